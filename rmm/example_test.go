package rmm_test

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Memory from a resource, in the order of a stream. The README shows this body.
func Example() {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim}) // no Backend: the GPU
	check(err)
	dev, err := drv.DefaultDevice()
	check(err)
	stream, err := dev.NewStream(driver.StreamOptions{})
	check(err)
	memory, err := mr.NewCudaAsync(dev, mr.CudaAsyncOptions{})
	check(err)
	p, err := memory.Allocate(5, 0, stream)
	check(err)
	check(stream.MemcpyHtoDAsync(p, []byte("hello")))
	back := make([]byte, 5)
	check(stream.MemcpyDtoHAsync(back, p))
	check(memory.Deallocate(p, 5, 0, stream))
	check(stream.Synchronize())
	fmt.Println(string(back))
	// Output: hello
}

func ExampleReinitialize() {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	check(err)
	dev, err := drv.DefaultDevice()
	check(err)

	handle, err := rmm.Reinitialize(rmm.Options{Allocator: "cuda-async", InitialSize: 64 * rmm.MiB, Driver: drv})
	check(err)
	r := mr.PerDevice(dev) // what every part of the program allocates from now
	p, err := r.Allocate(1*rmm.MiB, 0, dev.DefaultStream())
	check(err)
	check(r.Deallocate(p, 1*rmm.MiB, 0, dev.DefaultStream()))
	check(handle.Close()) // puts back what was there
	check(drv.Close())
	fmt.Printf("%T\n", r)
	// Output: *mr.CudaAsync
}

func ExampleParseBytes() {
	n, err := rmm.ParseBytes("1.5 GiB")
	fmt.Println(n, err)
	_, err = rmm.ParseBytes("2k")
	fmt.Println(err)
	// Output:
	// 1610612736 <nil>
	// cannot read "2k" as an amount of memory: write a number and one of B, KB, MB, GB, TB, PB (powers of 1000) or KiB, MiB, GiB, TiB, PiB (powers of 1024), such as "512MiB" or "1.5 GiB"
}

func ExampleFormatBytes() {
	fmt.Println(rmm.FormatBytes(141e9), rmm.FormatBytes(512), rmm.FormatBytes(2*rmm.GiB))
	// Output: 131.32 GiB 512 B 2 GiB
}

func ExampleNewAllocator() {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	check(err)
	dev, err := drv.DefaultDevice()
	check(err)
	r, err := rmm.NewAllocator("managed", dev, rmm.AllocatorOptions{})
	fmt.Printf("%T %v\n", r, err)
	_, err = rmm.NewAllocator("jemalloc", dev, rmm.AllocatorOptions{})
	fmt.Println(err)
	// Output:
	// *mr.Managed <nil>
	// unknown allocator "jemalloc": use one of cuda, cuda-async, managed, pinned-host
}
