package driver

import "github.com/rmm-go/rmm-go/driver/internal/api"

// The optional interfaces of the fake device: each call is counted, can be acted
// in and made to fail, and otherwise succeeds.
var (
	_ api.VirtualMemory = (*fakeDevice)(nil)
	_ api.Peer          = (*fakeDevice)(nil)
	_ api.IPC           = (*fakeDevice)(nil)
	_ api.HostRegister  = (*fakeDevice)(nil)
	_ api.ManagedHints  = (*fakeDevice)(nil)
	_ api.Kernels       = (*fakeDevice)(nil)
	_ api.Graphs        = (*fakeDevice)(nil)
)

func (f *fakeDevice) MemGranularity(bool, api.HandleType) (int, error) {
	return 2 << 20, f.called("MemGranularity")
}

func (f *fakeDevice) MemAddressReserve(int, int) (api.Ptr, error) {
	return 1 << 40, f.called("MemAddressReserve")
}

func (f *fakeDevice) MemAddressFree(api.Ptr, int) error { return f.called("MemAddressFree") }

func (f *fakeDevice) MemCreate(int, api.HandleType) (api.MemHandle, error) {
	return 1, f.called("MemCreate")
}

func (f *fakeDevice) MemRelease(api.MemHandle) error { return f.called("MemRelease") }

func (f *fakeDevice) MemMap(api.Ptr, int, int, api.MemHandle) error { return f.called("MemMap") }

func (f *fakeDevice) MemUnmap(api.Ptr, int) error { return f.called("MemUnmap") }

func (f *fakeDevice) MemSetAccess(api.Ptr, int, int, api.Access) error {
	return f.called("MemSetAccess")
}

func (f *fakeDevice) MemExport(_ api.MemHandle, t api.HandleType) (api.Shareable, error) {
	return api.Shareable{Type: t}, f.called("MemExport")
}

func (f *fakeDevice) MemImport(api.Shareable) (api.MemHandle, error) {
	return 1, f.called("MemImport")
}

func (f *fakeDevice) CanAccessPeer(int) (bool, error) { return true, f.called("CanAccessPeer") }

func (f *fakeDevice) EnablePeerAccess(int) error { return f.called("EnablePeerAccess") }

func (f *fakeDevice) DisablePeerAccess(int) error { return f.called("DisablePeerAccess") }

func (f *fakeDevice) PoolSetAccess(api.Pool, int, api.Access) error {
	return f.called("PoolSetAccess")
}

func (f *fakeDevice) PoolAccess(api.Pool, int) (api.Access, error) {
	return api.AccessReadWrite, f.called("PoolAccess")
}

func (f *fakeDevice) IpcMemHandle(api.Ptr) (api.IPCHandle, error) {
	return api.IPCHandle{1}, f.called("IpcMemHandle")
}

func (f *fakeDevice) IpcOpenMem(api.IPCHandle) (api.Ptr, error) {
	return 1 << 41, f.called("IpcOpenMem")
}

func (f *fakeDevice) IpcCloseMem(api.Ptr) error { return f.called("IpcCloseMem") }

func (f *fakeDevice) IpcEventHandle(api.Event) (api.IPCHandle, error) {
	return api.IPCHandle{2}, f.called("IpcEventHandle")
}

func (f *fakeDevice) IpcOpenEvent(api.IPCHandle) (api.Event, error) {
	return 2, f.called("IpcOpenEvent")
}

func (f *fakeDevice) PoolExport(_ api.Pool, t api.HandleType) (api.Shareable, error) {
	return api.Shareable{Type: t}, f.called("PoolExport")
}

func (f *fakeDevice) PoolImport(api.Shareable) (api.Pool, error) { return 2, f.called("PoolImport") }

func (f *fakeDevice) PoolExportPointer(api.Ptr) (api.PoolPointer, error) {
	return api.PoolPointer{3}, f.called("PoolExportPointer")
}

func (f *fakeDevice) PoolImportPointer(api.Pool, api.PoolPointer) (api.Ptr, error) {
	return 1 << 42, f.called("PoolImportPointer")
}

func (f *fakeDevice) MemHostRegister([]byte) error { return f.called("MemHostRegister") }

func (f *fakeDevice) MemHostUnregister([]byte) error { return f.called("MemHostUnregister") }

func (f *fakeDevice) MemAdvise(api.Ptr, int, api.Advice, int) error { return f.called("MemAdvise") }

func (f *fakeDevice) MemRangeAttribute(api.Ptr, int, api.RangeAttribute) (int, error) {
	return -2, f.called("MemRangeAttribute")
}

func (f *fakeDevice) ModuleLoad([]byte) (api.Module, error) { return 1, f.called("ModuleLoad") }

func (f *fakeDevice) ModuleUnload(api.Module) error { return f.called("ModuleUnload") }

func (f *fakeDevice) ModuleFunction(api.Module, string) (api.Function, error) {
	return 1, f.called("ModuleFunction")
}

func (f *fakeDevice) Launch(_ api.Function, cfg api.LaunchConfig, _ api.Stream, params api.Params) error {
	f.shape, f.params = cfg, params
	return f.called("Launch")
}

func (f *fakeDevice) StreamBeginCapture(s api.Stream, mode api.CaptureMode) error {
	f.mu.Lock()
	f.captured, f.capture, f.mode = s, api.CaptureActive, mode
	f.mu.Unlock()
	return f.called("StreamBeginCapture")
}

func (f *fakeDevice) StreamEndCapture(api.Stream) (api.Graph, error) {
	f.mu.Lock()
	f.captured, f.capture = 0, api.CaptureNone
	f.mu.Unlock()
	return 1, f.called("StreamEndCapture")
}

func (f *fakeDevice) StreamCapture(s api.Stream) (api.CaptureStatus, uint64, error) {
	err := f.called("StreamCapture")
	f.mu.Lock()
	defer f.mu.Unlock()
	if s != f.captured {
		return api.CaptureNone, 0, err
	}
	return f.capture, 7, err
}

func (f *fakeDevice) WithCaptureMode(_ api.CaptureMode, fn func() error) error {
	if err := f.called("WithCaptureMode"); err != nil {
		return err
	}
	f.relax(1)
	defer f.relax(-1)
	return fn()
}

func (f *fakeDevice) relax(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.relaxed += n
}

func (f *fakeDevice) GraphInstantiate(api.Graph) (api.GraphExec, error) {
	return 1, f.called("GraphInstantiate")
}

func (f *fakeDevice) GraphLaunch(api.GraphExec, api.Stream) error { return f.called("GraphLaunch") }

func (f *fakeDevice) GraphDestroy(api.Graph) error { return f.called("GraphDestroy") }

func (f *fakeDevice) GraphExecDestroy(api.GraphExec) error { return f.called("GraphExecDestroy") }
