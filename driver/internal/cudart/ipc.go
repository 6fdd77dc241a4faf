package cudart

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// lazyPeerAccess is cudaIpcMemLazyEnablePeerAccess, the only flag there is.
const lazyPeerAccess = 1

// IpcMemHandle exports plain device memory.
func (d *device) IpcMemHandle(p api.Ptr) (api.IPCHandle, error) {
	return d.exportHandle(&d.b.rt.ipcGetMem, uintptr(p))
}

// IpcOpenMem maps memory that another process exported.
func (d *device) IpcOpenMem(h api.IPCHandle) (api.Ptr, error) {
	p, err := d.openHandle(&d.b.rt.ipcOpenMem, h, lazyPeerAccess)
	return api.Ptr(p), err
}

// IpcCloseMem unmaps what IpcOpenMem returned.
func (d *device) IpcCloseMem(p api.Ptr) error { return d.call(&d.b.rt.ipcCloseMem, uintptr(p)) }

// IpcEventHandle exports an event that was made with EventInterprocess.
func (d *device) IpcEventHandle(e api.Event) (api.IPCHandle, error) {
	return d.exportHandle(&d.b.rt.ipcGetEvent, uintptr(e))
}

// IpcOpenEvent opens an event that another process exported.
func (d *device) IpcOpenEvent(h api.IPCHandle) (api.Event, error) {
	e, err := d.openHandle(&d.b.rt.ipcOpenEvent, h)
	return api.Event(e), err
}

func (d *device) exportHandle(p *loader.Proc, what uintptr) (api.IPCHandle, error) {
	h := new(api.IPCHandle)
	err := d.call(p, loader.AddressOf(h), what)
	return *h, err
}

// openHandle calls a function of the form (result *, handle by value, flags…).
func (d *device) openHandle(p *loader.Proc, h api.IPCHandle, flags ...uintptr) (uint64, error) {
	f := loader.Acquire()
	defer f.Release()
	f.SetOutStruct((*[64]byte)(&h), flags...)
	err := d.invoke(f, p)
	runtime.KeepAlive(&h)
	return f.Word(0), err
}
