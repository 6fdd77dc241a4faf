package driver_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/loader"
)

// somebodyElse is other code in the process that uses CUDA's current context.
type somebodyElse struct {
	retain, release, setCurrent, getCurrent loader.Proc
	device                                  uintptr
	context                                 uintptr
}

// newSomebodyElse holds a reference to the primary context of a device. The
// handles of devices are their ordinals.
func newSomebodyElse(t *testing.T, device int) *somebodyElse {
	t.Helper()
	e := &somebodyElse{device: uintptr(device)}
	lib, err := loader.Open(loader.CUDA(), "")
	require.NoError(t, err)
	require.NoError(t, lib.Bind([]loader.Symbol{
		{Proc: &e.retain, Name: "cuDevicePrimaryCtxRetain", Required: true},
		{Proc: &e.release, Name: "cuDevicePrimaryCtxRelease", Export: "cuDevicePrimaryCtxRelease_v2", Required: true},
		{Proc: &e.setCurrent, Name: "cuCtxSetCurrent", Required: true},
		{Proc: &e.getCurrent, Name: "cuCtxGetCurrent", Required: true},
	}))
	f := loader.Acquire()
	defer f.Release()
	e.call(t, f, &e.retain, f.WordAddr(0), e.device)
	e.context = uintptr(f.Word(0))
	t.Cleanup(func() {
		f := loader.Acquire()
		defer f.Release()
		e.call(t, f, &e.release, e.device)
	})
	return e
}

func (e *somebodyElse) call(t *testing.T, f *loader.Frame, p *loader.Proc, args ...uintptr) {
	t.Helper()
	code, err := f.Call(p, args...)
	require.NoError(t, err)
	require.Zero(t, code, p.Name())
}

// leave makes a context current on the calling thread; 0 is none.
func (e *somebodyElse) leave(t *testing.T, context uintptr) {
	t.Helper()
	f := loader.Acquire()
	defer f.Release()
	e.call(t, f, &e.setCurrent, context)
}

func (e *somebodyElse) current(t *testing.T) uintptr {
	t.Helper()
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	e.call(t, f, &e.getCurrent, f.WordAddr(0))
	return uintptr(f.Word(0))
}

// TestForeignContextLeftCurrent works on one device while the context of the
// other is current on the thread: nothing may land there, and the context must
// still be current afterwards.
func TestForeignContextLeftCurrent(t *testing.T) {
	drivertest.NeedGPU(t)
	devices := drivertest.NeedDevices(t, 2)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i, dev := range devices {
		other := newSomebodyElse(t, devices[1-i].Ordinal())
		other.leave(t, other.context)
		useEverything(t, dev)
		require.Equal(t, other.context, other.current(t), "the foreign context was not put back")
		other.leave(t, 0)
		useEverything(t, dev)
		require.Zero(t, other.current(t), "a context was left current on a thread that had none")
	}
}

// useEverything makes every kind of call that depends on a context in CUDA.
func useEverything(t *testing.T, dev *driver.Device) {
	t.Helper()
	plain := deviceMemory(t, dev, kib)
	requireOn(t, dev, plain)
	pinned, view := pinnedMemory(t, dev, kib)
	info, err := dev.PointerInfo(pinned)
	require.NoError(t, err)
	require.Equal(t, driver.MemoryHost, info.Type)

	require.NoError(t, dev.MemsetD8(plain, 7, kib))
	require.NoError(t, dev.MemcpyDtoH(view, plain))
	require.Equal(t, repeated(7, kib), view)
	for _, s := range []*driver.Stream{dev.DefaultStream(), drivertest.Stream(t, dev)} {
		p, err := s.MemAllocAsync(kib)
		require.NoError(t, err)
		requireOn(t, dev, p)
		e := drivertest.Event(t, dev)
		drivertest.Fill(t, s, p, kib, s.ID())
		require.NoError(t, e.Record(s))
		require.NoError(t, s.WaitEvent(e))
		drivertest.Check(t, s, p, kib, s.ID())
		require.NoError(t, s.MemFreeAsync(p))
		require.NoError(t, s.Synchronize())
	}
	require.NoError(t, dev.Synchronize())
}

func requireOn(t *testing.T, dev *driver.Device, p driver.Ptr) {
	t.Helper()
	info, err := dev.PointerInfo(p)
	require.NoError(t, err)
	require.Equal(t, dev.Ordinal(), info.Device, "memory of %v landed elsewhere", dev)
}

// TestEverythingOnEveryDevice is the part of the test above that needs no raw
// CUDA calls.
func TestEverythingOnEveryDevice(t *testing.T) {
	for _, dev := range allDevices(t) {
		useEverything(t, dev)
	}
}
