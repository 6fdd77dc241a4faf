package driver_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func ExampleEvent_Wait() {
	dev := exampleDevice()
	s, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	defer s.Close()
	done, err := dev.NewEvent(driver.EventOptions{})
	must(err)
	defer done.Close()
	must(s.LaunchHostFunc(func() { time.Sleep(time.Millisecond) }), done.Record(s))

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	results := make(chan error)
	for range 3 { // as many as you like: none holds a thread
		go func() { results <- done.Wait(ctx) }()
	}
	fmt.Println(<-results, <-results, <-results)
	// Output: <nil> <nil> <nil>
}

// A buffer that grows without being copied: its addresses are reserved first,
// memory is mapped there when it is needed.
func ExampleDevice_MemCreate() {
	dev := exampleDevice()
	unit, err := dev.MemGranularity(driver.HandleNone)
	must(err)
	p, err := dev.MemAddressReserve(64*unit, 0)
	must(err)
	for i := range 2 {
		piece := p + driver.Ptr(i*unit)
		h, err := dev.MemCreate(unit, driver.HandleNone)
		must(err)
		must(h.Map(piece), h.Release()) // the mapping keeps the memory
		must(dev.MemSetAccess(piece, unit, dev, driver.AccessReadWrite))
	}
	must(dev.MemsetD8(p, 1, 2*unit), dev.Synchronize())

	must(dev.MemUnmap(p, 2*unit), dev.MemAddressFree(p, 64*unit))
	fmt.Println(unit)
	// Output: 2097152
}

func ExampleDevice_EnablePeerAccess() {
	machine, err := sim.New(sim.Config{Devices: 2})
	must(err)
	drv, err := driver.Open(driver.Options{Backend: driver.Sim, Machine: machine}) // without options: the GPUs
	must(err)
	defer drv.Close()
	first, err := drv.Device(0)
	must(err)
	second, err := drv.Device(1)
	must(err)

	can, err := first.CanAccessPeer(second)
	must(err)
	if can {
		must(first.EnablePeerAccess(second)) // kernels of first may use plain memory of second
		defer first.DisablePeerAccess(second)
	}
	fmt.Println(can)
	// Output: true
}

func ExampleDevice_IpcMemHandle() {
	dev := exampleDevice()
	p, err := dev.MemAlloc(1 << 20)
	must(err)
	defer dev.MemFree(p)
	h, err := dev.IpcMemHandle(p)
	must(err)
	fmt.Println(len(h)) // send these bytes to the other process, which calls IpcOpenMem

	_, err = dev.IpcOpenMem(h)
	fmt.Println(errors.Is(err, driver.ErrInvalidContext)) // the exporter uses p itself
	// Output:
	// 64
	// true
}

func ExampleDevice_MemAdvise() {
	dev := exampleDevice()
	p, err := dev.MemAllocManaged(1 << 21)
	must(err)
	defer dev.MemFree(p)
	must(dev.MemAdvise(p, 1<<21, driver.AdviseSetPreferredLocation, dev))
	where, err := dev.MemRangeAttribute(p, 1<<21, driver.RangePreferredLocation)
	must(err)
	fmt.Println(where == dev.Ordinal())
}

func ExampleDevice_MemHostRegister() {
	dev := exampleDevice()
	memory := make([]byte, 4096) // or what a C library has allocated
	must(dev.MemHostRegister(memory))
	defer dev.MemHostUnregister(memory)
	p, err := dev.MemAlloc(4096)
	must(err)
	defer dev.MemFree(p)
	s := dev.DefaultStream()
	must(s.MemsetD8Async(p, 'x', 4096), s.MemcpyDtoHAsync(memory, p), s.Synchronize())
	fmt.Printf("%s\n", memory[:3])
	// Output: xxx
}

// double(float *x, unsigned n): x[i] *= 2.
const doublePTX = `.version 7.0
.target sm_70
.address_size 64
.visible .entry double(.param .u64 x, .param .u32 n)
{
	.reg .pred %outside;
	.reg .b32 %i, %n, %block, %threads, %thread;
	.reg .b64 %x;
	.reg .f32 %v;
	ld.param.u64 %x, [x];
	ld.param.u32 %n, [n];
	cvta.to.global.u64 %x, %x;
	mov.u32 %block, %ctaid.x;
	mov.u32 %threads, %ntid.x;
	mov.u32 %thread, %tid.x;
	mad.lo.u32 %i, %block, %threads, %thread;
	setp.ge.u32 %outside, %i, %n;
	@%outside bra done;
	mad.wide.u32 %x, %i, 4, %x;
	ld.global.f32 %v, [%x];
	add.f32 %v, %v, %v;
	st.global.f32 [%x], %v;
done:
	ret;
}
`

// A kernel from PTX text. On the simulator a Go function stands for it.
func ExampleStream_Launch() {
	sim.RegisterKernel("double", func(k *sim.Kernel) {
		var x driver.Ptr
		var n uint32
		k.Arg(0, &x)
		k.Arg(1, &n)
		values := sim.Load[float32](k, x, int(n))
		for i := range values {
			values[i] *= 2
		}
		sim.Store(k, x, values...)
	})
	dev := exampleDevice()
	module, err := dev.LoadModule([]byte(doublePTX))
	must(err)
	defer module.Close()
	double, err := module.Function("double")
	must(err)

	s := dev.DefaultStream()
	x, err := s.MemAllocAsync(8)
	must(err)
	one := []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f} // 1 and 1
	must(s.MemcpyHtoDAsync(x, one))
	must(s.Launch(double, driver.LaunchConfig{Grid: driver.Dim{X: 1}, Block: driver.Dim{X: 32}}, x, uint32(2)))
	back := make([]byte, 8)
	must(s.MemcpyDtoHAsync(back, x), s.MemFreeAsync(x), s.Synchronize())
	fmt.Printf("% x\n", back) // 2 and 2
	// Output: 00 00 00 40 00 00 00 40
}
