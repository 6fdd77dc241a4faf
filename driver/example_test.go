package driver_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/rmm-go/rmm-go/driver"
)

// exampleDevice opens the simulator, so that the examples run anywhere; on a GPU
// machine leave Backend out.
func exampleDevice() *driver.Device {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	if err != nil {
		log.Fatal(err)
	}
	dev, err := drv.DefaultDevice()
	if err != nil {
		log.Fatal(err)
	}
	return dev
}

func must(errs ...error) {
	if err := errors.Join(errs...); err != nil {
		log.Fatal(err)
	}
}

func Example() {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim}) // without options: the GPU
	must(err)
	defer drv.Close()
	dev, err := drv.DefaultDevice()
	must(err)
	s, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	defer s.Close()

	p, err := s.MemAllocAsync(1 << 20)
	must(err)
	must(s.MemcpyHtoDAsync(p, []byte("hello, device")))
	back := make([]byte, 13)
	must(s.MemcpyDtoHAsync(back, p), s.MemFreeAsync(p), s.Synchronize())
	fmt.Printf("%s\n", back)
	// Output: hello, device
}

func ExampleOpen() {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	if err != nil {
		log.Fatal(err)
	}
	defer drv.Close()
	fmt.Println(drv.Backend(), drv.DeviceCount())
	// Output: sim 1
}

func ExampleOpen_noGPU() {
	_, err := driver.Open(driver.Options{Backend: driver.CUDA, LibCUDA: "/no/such/libcuda.so.1"})
	switch {
	case errors.Is(err, driver.ErrLibraryNotFound), errors.Is(err, driver.ErrNoDevice),
		errors.Is(err, driver.ErrNotSupported): // the last in a program built without CUDA
		fmt.Println("no GPU: select the simulator with driver.Sim or RMM_BACKEND=sim")
	}
	// Output: no GPU: select the simulator with driver.Sim or RMM_BACKEND=sim
}

func ExampleParseBackend() {
	kind, _ := driver.ParseBackend("SIM")
	fmt.Println(kind)
	_, err := driver.ParseBackend("opencl")
	fmt.Println(err)
	// Output:
	// sim
	// ParseBackend: unknown backend "opencl": use one of auto, cuda, cudart, sim
}

func ExampleSetDefault() {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	must(err)
	previous := driver.SetDefault(drv)
	defer driver.SetDefault(previous)
	again, err := driver.Default()
	fmt.Println(again == drv, err)
	// Output: true <nil>
}

func ExampleObserveOpen() {
	stop := driver.ObserveOpen(func(drv *driver.Driver, err error) {
		if err != nil {
			fmt.Println("no driver:", err)
			return
		}
		fmt.Println("opened", drv.Backend())
	})
	defer stop()
	must(exampleDevice().Driver().Close())
	// Output: opened sim
}

func ExampleDriver_Close() {
	dev := exampleDevice()
	s, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	fmt.Println(errors.Is(dev.Driver().Close(), driver.ErrOutstanding))
	must(s.Close())
	fmt.Println(dev.Driver().Close())
	// Output:
	// true
	// <nil>
}

func ExampleDevice_Has() {
	dev := exampleDevice()
	managed, err := dev.Has(driver.AttrManagedMemory)
	fmt.Println(managed, err)
	// Output: true <nil>
}

func ExampleDevice_MemAlloc() {
	dev := exampleDevice()
	p, err := dev.MemAlloc(1 << 20)
	must(err)
	info, err := dev.PointerInfo(p + 100)
	must(err)
	fmt.Println(info.Type, info.Device, info.Base == p)
	fmt.Println(dev.MemFree(p))
	// Output:
	// device 0 true
	// <nil>
}

func ExampleDevice_MemAlloc_outOfMemory() {
	dev := exampleDevice()
	_, err := dev.MemAlloc(1 << 50)
	var failed *driver.Error
	fmt.Println(errors.Is(err, driver.ErrOutOfMemory), errors.As(err, &failed))
	fmt.Println(failed.Code, failed.Name)

	_, err = dev.MemAlloc(-1) // found before CUDA is asked
	fmt.Println(err, errors.Is(err, driver.ErrInvalidValue))
	// Output:
	// true true
	// 2 CUDA_ERROR_OUT_OF_MEMORY
	// Device.MemAlloc: the size is -1 bytes: it must be positive true
}

func ExampleDevice_MemHostAlloc() {
	dev := exampleDevice()
	p, err := dev.MemHostAlloc(4096)
	must(err)
	defer dev.MemHostFree(p)
	view, err := dev.HostView(p, 4096)
	must(err)
	copy(view, "pinned")
	s := dev.DefaultStream()
	q, err := s.MemAllocAsync(4096)
	must(err)
	must(s.MemcpyHtoDAsync(q, view)) // reads the view when the stream gets there
	must(s.MemFreeAsync(q), s.Synchronize())
	fmt.Printf("%s\n", view[:6])
	// Output: pinned
}

func ExampleDevice_MemAllocManaged() {
	dev := exampleDevice()
	p, err := dev.MemAllocManaged(1024)
	must(err)
	defer dev.MemFree(p)
	must(dev.MemsetD8(p, 'x', 1024), dev.Synchronize())
	view, err := dev.HostView(p, 3)
	must(err)
	fmt.Printf("%s\n", view)
	// Output: xxx
}

func ExampleDevice_MemcpyDtoD() {
	dev := exampleDevice()
	from, err := dev.MemAlloc(1024)
	must(err)
	defer dev.MemFree(from)
	to, err := dev.MemAlloc(1024)
	must(err)
	defer dev.MemFree(to)

	back := make([]byte, 5)
	must(dev.MemcpyHtoD(from, []byte("to go")), dev.MemcpyDtoD(to, from, 5), dev.MemcpyDtoH(back, to))
	fmt.Printf("%s\n", back)
	// Output: to go
}

func ExampleDevice_MemInfo() {
	dev := exampleDevice()
	free, total, err := dev.MemInfo()
	fmt.Println(free > 0, free <= total, err)
	// Output: true true <nil>
}
