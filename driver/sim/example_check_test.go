package sim_test

import (
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// normalize is a small GPU pipeline: copies fills a buffer, compute reads it.
// Its author has forgotten that compute must wait for copies.
func normalize(copies, compute *driver.Stream, in, out driver.Ptr, data []byte) error {
	return errors.Join(
		copies.MemcpyHtoDAsync(in, data),
		// missing: ready.Record(copies), compute.WaitEvent(ready)
		compute.MemcpyDtoDAsync(out, in, len(data)),
	)
}

// The ordering checker reports what goes wrong under some timing, whether or not
// it did in this run; package drivertest fails every test that has hazards. The
// whole report also has the places of both calls in the program.
func ExampleMachine_Hazards() {
	m, err := sim.New(sim.Config{Check: true, Seed: 1}) // with a seed every run is the same
	if err != nil {
		log.Fatal(err)
	}
	drv, err := driver.Open(driver.Options{Backend: driver.Sim, Machine: m})
	if err != nil {
		log.Fatal(err)
	}
	defer drv.Close()
	dev, _ := drv.DefaultDevice()
	copies, _ := dev.NewStream(driver.StreamOptions{})
	defer copies.Close()
	compute, _ := dev.NewStream(driver.StreamOptions{})
	defer compute.Close()
	in, _ := dev.MemAlloc(1024)
	defer dev.MemFree(in)
	out, _ := dev.MemAlloc(1024)
	defer dev.MemFree(out)

	if err := normalize(copies, compute, in, out, make([]byte, 1024)); err != nil {
		log.Fatal(err)
	}
	for _, h := range m.Hazards() {
		report, _, _ := strings.Cut(h.String(), "\n")
		fmt.Println(report)
		fmt.Println(h.First.Call, "in", name(h.First), "and", h.Second.Call, "in", name(h.Second))
	}
	// Output:
	// unordered write and read: stream 0x10000000000 wrote 0x800000000000 (1024 bytes), stream 0x10000000010 reads it; no event or synchronisation orders the read after the write
	// cuMemcpyHtoDAsync_v2 in normalize and cuMemcpyDtoDAsync_v2 in normalize
}

// name is the function from which a call was made.
func name(a sim.HazardAction) string {
	_, function, _ := strings.Cut(a.Frames[0].Function, "sim_test.")
	return function
}

// A resource says which parts of its memory it hands out, so that the checker
// sees below an allocation: a freed part is freed memory, though its chunk is
// live.
func ExampleMachine_Hazards_resource() {
	m, _ := sim.New(sim.Config{Check: true, Seed: 1})
	drv, err := driver.Open(driver.Options{Backend: driver.Sim, Machine: m})
	if err != nil {
		log.Fatal(err)
	}
	defer drv.Close()
	dev, _ := drv.DefaultDevice()
	s := dev.DefaultStream()
	chunk, _ := dev.MemAlloc(1 << 20)
	defer dev.MemFree(chunk)

	dev.Annotate(driver.Allocated, chunk, 256, s, 1)
	_ = s.MemsetD8Async(chunk, 0, 256)
	dev.Annotate(driver.Freed, chunk, 256, s, 1)
	_ = s.MemsetD8Async(chunk, 0, 256)
	for _, h := range m.Hazards() {
		fmt.Println(h.Kind)
	}
	// Output: use of freed memory
}
