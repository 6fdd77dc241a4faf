package driver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// optionalCalls are the calls that a backend may lack, by name and with good
// arguments, on objects that lie on dev whether or not it could make them.
func optionalCalls(dev *Device) map[string]func() error {
	s := newStream(dev, 3, ownedStream)
	e := &Event{dev: dev, raw: 1, gate: newGate()}
	pool := &Pool{dev: dev, raw: 1, owned: true, gate: newGate()}
	h := &MemHandle{dev: dev, raw: 1, size: 2 << 20, gate: newGate()}
	m := &Module{dev: dev, raw: 1, gate: newGate()}
	f := &Function{module: m, raw: 1, name: "k"}
	g := &Graph{dev: dev, raw: 1, gate: newGate()}
	exec := &GraphExec{dev: dev, raw: 1, gate: newGate()}
	memory := make([]byte, 8)
	return map[string]func() error{
		"Device.MemGranularity":    func() error { return second(dev.MemGranularity(HandleNone)) },
		"Device.MemAddressReserve": func() error { return second(dev.MemAddressReserve(2<<20, 0)) },
		"Device.MemAddressFree":    func() error { return dev.MemAddressFree(1<<40, 2<<20) },
		"Device.MemCreate":         func() error { return second(dev.MemCreate(2<<20, HandleNone)) },
		"Device.MemImport":         func() error { return second(dev.MemImport(Shareable{}, 2<<20)) },
		"Device.MemUnmap":          func() error { return dev.MemUnmap(1<<40, 2<<20) },
		"Device.MemSetAccess":      func() error { return dev.MemSetAccess(1<<40, 2<<20, dev, AccessReadWrite) },
		"MemHandle.Map":            func() error { return h.Map(1 << 40) },
		"MemHandle.Export":         func() error { return second(h.Export(HandlePosixFD)) },
		"MemHandle.Release":        h.Release,
		"Device.CanAccessPeer":     func() error { return second(dev.CanAccessPeer(dev)) },
		"Device.EnablePeerAccess":  func() error { return dev.EnablePeerAccess(dev) },
		"Device.DisablePeerAccess": func() error { return dev.DisablePeerAccess(dev) },
		"Pool.SetAccess":           func() error { return pool.SetAccess(dev, AccessReadWrite) },
		"Pool.Access":              func() error { return second(pool.Access(dev)) },
		"Device.IpcMemHandle":      func() error { return second(dev.IpcMemHandle(256)) },
		"Device.IpcOpenMem":        func() error { return second(dev.IpcOpenMem(IPCHandle{})) },
		"Device.IpcCloseMem":       func() error { return dev.IpcCloseMem(256) },
		"Device.IpcOpenEvent":      func() error { return second(dev.IpcOpenEvent(IPCHandle{})) },
		"Event.IpcHandle":          func() error { return second(e.IpcHandle()) },
		"Device.ImportPool":        func() error { return second(dev.ImportPool(Shareable{})) },
		"Pool.Export":              func() error { return second(pool.Export(HandlePosixFD)) },
		"Pool.ExportPointer":       func() error { return second(pool.ExportPointer(256)) },
		"Pool.ImportPointer":       func() error { return second(pool.ImportPointer(PoolPointer{})) },
		"Device.MemAdvise":         func() error { return dev.MemAdvise(256, 8, AdviseSetReadMostly, dev) },
		"Device.MemRangeAttribute": func() error { return second(dev.MemRangeAttribute(256, 8, RangeReadMostly)) },
		"Device.MemHostRegister":   func() error { return dev.MemHostRegister(memory) },
		"Device.MemHostUnregister": func() error { return dev.MemHostUnregister(memory) },
		"Device.LoadModule":        func() error { return second(dev.LoadModule(memory)) },
		"Module.Function":          func() error { return second(m.Function("k")) },
		"Stream.Launch":            func() error { return s.Launch(f, LaunchConfig{}) },
		"Module.Close":             m.Close,
		"Stream.BeginCapture":      func() error { return s.BeginCapture(CaptureGlobal) },
		"Stream.CaptureStatus":     func() error { _, _, err := s.CaptureStatus(); return err },
		"Stream.EndCapture":        func() error { return second(s.EndCapture()) },
		"Graph.Instantiate":        func() error { return second(g.Instantiate()) },
		"GraphExec.Launch":         func() error { return exec.Launch(s) },
		"Graph.Close":              g.Close,
		"GraphExec.Close":          exec.Close,
	}
}

func fakeWithVirtualMemory() (*fakeDevice, *Device) {
	fake, dev := newFake()
	fake.attribute[AttrVirtualMemoryManagementSupported] = 1
	return fake, dev
}

func TestBackendWithoutAFeatureIsNamed(t *testing.T) {
	for call := range optionalCalls(nil) {
		_, dev := newPlainFake()
		err := optionalCalls(dev)[call]()
		require.ErrorIs(t, err, ErrNotSupported, call)
		require.ErrorContains(t, err, call+" is not supported: the backend fake does not offer it: use driver.CUDA")
	}
}

func TestBackendWithAFeatureIsAsked(t *testing.T) {
	for call := range optionalCalls(nil) {
		fake, dev := fakeWithVirtualMemory()
		require.NoError(t, optionalCalls(dev)[call](), call)
		require.NotEmpty(t, fake.calls, call)
	}
}

// TestClosedDriverIsNotAsked: objects that outlive their driver, which only a
// mistake can make them do, still reach no backend.
func TestClosedDriverIsNotAsked(t *testing.T) {
	fake, dev := fakeWithVirtualMemory()
	calls := optionalCalls(dev)
	require.NoError(t, dev.drv.Close())
	before := len(fake.calls)
	for call, f := range calls {
		err := f()
		require.ErrorIs(t, err, ErrClosed, call)
		require.ErrorContains(t, err, call+": ")
	}
	require.Len(t, fake.calls, before)
}

func TestDeviceWithoutVirtualMemoryIsNamed(t *testing.T) {
	_, dev := newFake()
	err := second(dev.MemAddressReserve(2<<20, 0))
	require.ErrorIs(t, err, ErrNotSupported)
	require.ErrorContains(t, err, "Device.MemAddressReserve is not supported: device 0 (fake) has no virtual memory management")

	fake, dev := newFake()
	fake.fail("Attribute", &api.Error{Call: "cuDeviceGetAttribute", Code: api.CodeIllegalAddress})
	require.ErrorIs(t, second(dev.MemAddressReserve(2<<20, 0)), ErrFault)
}

// TestErrorsOfTheBackendComeThrough, whole.
func TestErrorsOfTheBackendComeThrough(t *testing.T) {
	failure := &api.Error{Call: "cuSomething", Code: api.CodeNotPermitted, Name: "CUDA_ERROR_NOT_PERMITTED"}
	for call, raw := range map[string]string{
		"Device.MemSetAccess": "MemSetAccess", "MemHandle.Map": "MemMap", "MemHandle.Export": "MemExport",
		"Device.EnablePeerAccess": "EnablePeerAccess", "Pool.Access": "PoolAccess", "Event.IpcHandle": "IpcEventHandle",
		"Pool.ExportPointer": "PoolExportPointer", "Device.MemRangeAttribute": "MemRangeAttribute",
		"Module.Function": "ModuleFunction", "Stream.Launch": "Launch", "GraphExec.Launch": "GraphLaunch",
		"Stream.CaptureStatus": "StreamCapture", "Device.IpcOpenMem": "IpcOpenMem",
	} {
		fake, dev := fakeWithVirtualMemory()
		fake.fail(raw, failure)
		err := optionalCalls(dev)[call]()
		var got *Error
		require.ErrorAs(t, err, &got, call)
		require.Same(t, failure, got)
	}
}
