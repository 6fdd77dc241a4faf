package driver_test

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver"
)

// What is captured once is launched many times, at the cost of one call.
func ExampleStream_BeginCapture() {
	dev := exampleDevice()
	s, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	defer s.Close()
	p, err := dev.MemAlloc(1 << 10)
	must(err)
	defer dev.MemFree(p)

	must(s.BeginCapture(driver.CaptureRelaxed))
	must(s.MemsetD8Async(p, 1, 1<<10), s.MemsetD8Async(p, 2, 1<<9))
	graph, err := s.EndCapture()
	must(err)
	defer graph.Close()
	exec, err := graph.Instantiate()
	must(err)
	defer exec.Close()
	for range 10 {
		must(exec.Launch(s))
	}
	must(s.Synchronize())
	status, _, err := s.CaptureStatus()
	fmt.Println(status == driver.CaptureNone, err)
}
