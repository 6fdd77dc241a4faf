package sim_test

import (
	"fmt"
	"log"

	"github.com/rmm-go/rmm-go/driver/sim"
)

// A machine is passed to driver.Open; afterwards it tells what the program
// forgot to give back.
func ExampleNew() {
	m, err := sim.New(sim.Config{Devices: 2, MemoryPerDevice: 16 << 30})
	if err != nil {
		log.Fatal(err)
	}
	// drv, err := driver.Open(driver.Options{Backend: driver.Sim, Machine: m})
	d, err := m.Device(1)
	if err != nil {
		log.Fatal(err)
	}
	p, err := d.MemAlloc(1 << 20)
	fmt.Println(p, err)
	_, err = d.MemAlloc(1 << 40)
	fmt.Println(err)
	fmt.Printf("%+v\n", m.Outstanding()[1])
	// Output:
	// 0x801000000000 <nil>
	// cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory: 1099511627776 bytes asked, 17177772032 of 17179869184 free on simulated device 1
	// {Device:1 Allocations:1 Bytes:1048576 Streams:0 Events:0 Pools:0 Operations:0 MemHandles:0 Modules:0 Graphs:0 Reservations:0}
}
