package driver_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/rmm-go/rmm-go/driver"
)

func ExampleDevice_NewStream() {
	dev := exampleDevice()
	least, greatest, err := dev.StreamPriorities()
	must(err)
	s, err := dev.NewStream(driver.StreamOptions{Priority: greatest})
	must(err)
	defer s.Close()
	fmt.Println(least, greatest, s.Device() == dev)
	// Output: 0 -5 true
}

func ExampleDevice_DefaultStream() {
	dev := exampleDevice()
	s, err := dev.WrapStream(0) // as C code passes it
	must(err)
	fmt.Println(s == dev.DefaultStream())
	fmt.Println(errors.Is(s.Close(), driver.ErrInvalidValue))
	// Output:
	// true
	// true
}

func ExampleDevice_WrapStream() {
	dev := exampleDevice()
	ours, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	defer ours.Close()
	s, err := dev.WrapStream(ours.Handle()) // a CUstream that crossed C code
	must(err)
	fmt.Println(s == ours, s.Foreign())
	// Output: true false
}

func ExampleStream_Forget() {
	dev := exampleDevice()
	s, err := dev.WrapStream(2) // the per-thread default stream
	must(err)
	fmt.Println(s.Foreign(), s.Forget())
	fmt.Println(errors.Is(s.Synchronize(), driver.ErrStreamClosed))
	// Output:
	// true <nil>
	// true
}

func ExampleStream_Close() {
	dev := exampleDevice()
	s, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	p, err := s.MemAllocAsync(1024)
	must(err)
	must(s.MemsetD8Async(p, 1, 1024), s.Close())

	_, err = s.MemAllocAsync(1024)
	fmt.Println(errors.Is(err, driver.ErrStreamClosed))
	fmt.Println(s.MemFreeAsync(p)) // ordered after the memset
	// Output:
	// true
	// <nil>
}

func ExampleStream_Query() {
	dev := exampleDevice()
	s, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	defer s.Close()
	gate := make(chan struct{})
	must(s.LaunchHostFunc(func() { <-gate }))
	done, err := s.Query()
	fmt.Println(done, err)
	close(gate)
	must(s.Synchronize())
	done, err = s.Query()
	fmt.Println(done, err)
	// Output:
	// false <nil>
	// true <nil>
}

func ExampleStream_LaunchHostFunc() {
	dev := exampleDevice()
	s, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	defer s.Close()
	for i := range 3 {
		must(s.LaunchHostFunc(func() { fmt.Println("step", i) }))
	}
	must(s.Synchronize())
	// Output:
	// step 0
	// step 1
	// step 2
}

func ExampleStream_WaitEvent() {
	dev := exampleDevice()
	producer, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	defer producer.Close()
	consumer, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	defer consumer.Close()
	ready, err := dev.NewEvent(driver.EventOptions{})
	must(err)
	defer ready.Close()

	p, err := producer.MemAllocAsync(4)
	must(err)
	must(producer.MemsetD8Async(p, '!', 4), ready.Record(producer))
	back := make([]byte, 4)
	must(consumer.WaitEvent(ready), consumer.MemcpyDtoHAsync(back, p), consumer.MemFreeAsync(p), consumer.Synchronize())
	fmt.Printf("%s\n", back)
	// Output: !!!!
}

func ExampleEvent_Elapsed() {
	dev := exampleDevice()
	s := dev.DefaultStream()
	begin, err := dev.NewEvent(driver.EventOptions{Timing: true})
	must(err)
	defer begin.Close()
	end, err := dev.NewEvent(driver.EventOptions{Timing: true})
	must(err)
	defer end.Close()
	must(begin.Record(s), end.Record(s), end.Synchronize())
	took, err := end.Elapsed(begin)
	fmt.Println(took < time.Minute, err)
	// Output: true <nil>
}

func ExampleStream_MemsetD32Async() {
	dev := exampleDevice()
	s := dev.DefaultStream()
	p, err := s.MemAllocAsync(8)
	must(err)
	back := make([]byte, 8)
	must(s.MemsetD32Async(p, 0x04030201, 2), s.MemcpyDtoHAsync(back, p), s.MemFreeAsync(p), s.Synchronize())
	fmt.Println(back)
	// Output: [1 2 3 4 1 2 3 4]
}

func ExampleStream_MemPrefetchAsync() {
	dev := exampleDevice()
	p, err := dev.MemAllocManaged(1 << 20)
	must(err)
	defer dev.MemFree(p)
	s := dev.DefaultStream()
	must(s.MemPrefetchAsync(p, 1<<20, dev)) // before kernels use it
	must(s.MemPrefetchAsync(p, 1<<20, nil)) // back to the host
	fmt.Println(s.Synchronize())
	// Output: <nil>
}

func ExampleDevice_NewPool() {
	dev := exampleDevice()
	s := dev.DefaultStream()
	pool, err := dev.NewPool(driver.PoolOptions{})
	must(err)
	defer pool.Close()
	must(pool.SetAttribute(driver.PoolReleaseThreshold, 1<<30)) // keep up to 1 GiB

	p, err := pool.MemAllocAsync(1<<20, s)
	must(err)
	must(s.MemFreeAsync(p), s.Synchronize())
	used, err := pool.Attribute(driver.PoolUsedCurrent)
	must(err)
	kept, err := pool.Attribute(driver.PoolReservedCurrent)
	must(err)
	fmt.Println(used, kept > 0)
	must(pool.Trim(0))
	kept, err = pool.Attribute(driver.PoolReservedCurrent)
	fmt.Println(kept, err)
	// Output:
	// 0 true
	// 0 <nil>
}

func ExampleDevice_DefaultPool() {
	dev := exampleDevice()
	pool, err := dev.DefaultPool()
	must(err)
	high, err := pool.Attribute(driver.PoolReservedHigh)
	fmt.Println(high, err)
	// Output: 0 <nil>
}
