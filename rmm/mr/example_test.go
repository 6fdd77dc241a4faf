package mr_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// must ends an example at an error; programs handle it.
func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// simulated opens a simulated device with a stream; on a machine with a GPU
// driver.Default does the first part.
func simulated() (*driver.Device, *driver.Stream, func()) {
	drv := must(driver.Open(driver.Options{Backend: driver.Sim}))
	dev := must(drv.DefaultDevice())
	s := must(dev.NewStream(driver.StreamOptions{}))
	return dev, s, func() {
		check(s.Synchronize())
		check(s.Close())
		check(drv.Close())
	}
}

func Example() {
	dev, s, done := simulated()
	defer done()
	async := must(mr.NewCudaAsync(dev, mr.CudaAsyncOptions{}))
	stats := must(mr.NewStatistics(async))

	p := must(stats.Allocate(1<<20, 0, s)) // usable by work on s from here on
	check(s.MemsetD8Async(p, 42, 1<<20))
	check(stats.Deallocate(p, 1<<20, 0, s)) // after that work

	fmt.Printf("%+v\n", stats.Counters().Bytes)
	check(async.Close())
	// Output: {Value:0 Peak:1048576 Total:1048576}
}

func ExampleNewCuda() {
	dev, s, done := simulated()
	defer done()
	r := must(mr.NewCuda(dev))
	p := must(r.Allocate(1000, 4096, s))
	fmt.Println("aligned to 4096:", p%4096 == 0)
	check(r.Deallocate(p, 1000, 4096, s))
	fmt.Println(r.Deallocate(p, 1000, 4096, s) != nil, "to free it twice is an error")
	// Output:
	// aligned to 4096: true
	// true to free it twice is an error
}

func ExampleNewCudaAsync() {
	dev, _, done := simulated()
	defer done()
	r := must(mr.NewCudaAsync(dev, mr.CudaAsyncOptions{InitialSize: 64 << 20}))
	fmt.Println(r.Usage().Reserved>>20, "MiB reserved")
	freed := must(r.Trim(0))
	fmt.Println(freed>>20, "MiB given back")
	check(r.Close())
	// Output:
	// 64 MiB reserved
	// 64 MiB given back
}

func ExampleCudaAsync_Retire() {
	dev, s, done := simulated()
	defer done()
	r := must(mr.NewCudaAsync(dev, mr.CudaAsyncOptions{}))
	p := must(r.Allocate(1000, 0, s))
	fmt.Println(errors.Is(r.Close(), mr.ErrOutstanding))
	check(r.Retire())
	_, err := r.Allocate(1000, 0, s)
	fmt.Println(errors.Is(err, mr.ErrClosed))
	check(r.Deallocate(p, 1000, 0, s)) // closes it
	// Output:
	// true
	// true
}

func ExampleNewManaged() {
	dev, s, done := simulated()
	defer done()
	r := must(mr.NewManaged(dev))
	p := must(r.Allocate(4, 0, s))
	check(s.MemsetD8Async(p, 7, 4))
	check(s.Synchronize()) // before the host looks
	fmt.Println(must(dev.HostView(p, 4)))
	check(r.Deallocate(p, 4, 0, s))
	// Output: [7 7 7 7]
}

func ExampleNewPinnedHost() {
	dev, s, done := simulated()
	defer done()
	pinned, device := must(mr.NewPinnedHost(dev)), must(mr.NewCuda(dev))
	from, to := must(pinned.Allocate(5, 0, s)), must(device.Allocate(5, 0, s))
	copy(must(dev.HostView(from, 5)), "hello")
	check(s.MemcpyDtoDAsync(to, from, 5)) // truly asynchronous
	back := make([]byte, 5)
	check(s.MemcpyDtoHAsync(back, to))
	check(s.Synchronize())
	fmt.Printf("%s\n", back)
	check(pinned.Deallocate(from, 5, 0, s))
	check(device.Deallocate(to, 5, 0, s))
	// Output: hello
}

func ExampleNewLimiting() {
	dev, s, done := simulated()
	defer done()
	r := must(mr.NewLimiting(must(mr.NewCuda(dev)), 1<<20, mr.LimitingOptions{}))
	_, err := r.Allocate(2<<20, 0, s)
	var oom *mr.OutOfMemoryError
	if errors.As(err, &oom) {
		fmt.Println(oom.Requested, "bytes asked, limit", oom.Limit, errors.Is(err, driver.ErrOutOfMemory))
	}
	// Output: 2097152 bytes asked, limit 1048576 true
}

func ExampleStatistics_PushCounters() {
	dev, s, done := simulated()
	defer done()
	stats := must(mr.NewStatistics(must(mr.NewCuda(dev))))
	p := must(stats.Allocate(100, 0, s))

	stats.PushCounters() // counts one part of the program for itself
	q := must(stats.Allocate(30, 0, s))
	check(stats.Deallocate(q, 30, 0, s))
	part := must(stats.PopCounters())

	fmt.Printf("part: %+v\nall:  %+v\n", part.Bytes, stats.Counters().Bytes)
	check(stats.Deallocate(p, 100, 0, s))
	// Output:
	// part: {Value:0 Peak:30 Total:30}
	// all:  {Value:100 Peak:130 Total:130}
}

func ExampleSetPerDevice() {
	dev, _, done := simulated()
	defer done()
	r := must(mr.NewManaged(dev))
	previous := must(mr.SetPerDevice(dev, r))
	fmt.Printf("%T instead of %T\n", mr.PerDevice(dev), previous)
	must(mr.ReplacePerDevice(dev, r, previous)) // unless somebody else has set another
	fmt.Printf("%T again\n", mr.PerDevice(dev))
	// Output:
	// *mr.Managed instead of *mr.Cuda
	// *mr.Cuda again
}

func ExampleCurrent() {
	drv := must(driver.Open(driver.Options{Backend: driver.Sim}))
	defer driver.SetDefault(driver.SetDefault(drv))
	must(mr.SetCurrent(must(mr.NewManaged(must(drv.DefaultDevice())))))
	fmt.Printf("%T\n", must(mr.Current()))
	fmt.Printf("%T\n", must(mr.ResetCurrent()))
	check(drv.Close())
	// Output:
	// *mr.Managed
	// *mr.Managed
}

func ExampleAs() {
	dev, _, done := simulated()
	defer done()
	r := must(mr.NewStatistics(must(mr.NewLimiting(must(mr.NewCuda(dev)), 1<<30, mr.LimitingOptions{}))))
	if l, ok := mr.As[*mr.Limiting](r); ok {
		fmt.Println("limit:", l.Limit())
	}
	_, ok := mr.As[mr.Trimmer](r)
	fmt.Println("can trim:", ok)
	// Output:
	// limit: 1073741824
	// can trim: false
}

func ExampleAllocateSync() {
	dev, _, done := simulated()
	defer done()
	r := must(mr.NewCuda(dev))
	p := must(mr.AllocateSync(r, 1000, 0)) // usable on every stream
	check(dev.MemsetD8(p, 0, 1000))
	check(mr.DeallocateSync(r, p, 1000, 0)) // waits for that
	fmt.Println(r.Usage().Allocations)
	// Output: 0
}
