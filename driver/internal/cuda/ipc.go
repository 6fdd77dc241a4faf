package cuda

import (
	"errors"
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

var _ api.IPC = (*device)(nil)

// lazyPeerAccess is CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, which cuda.h demands.
const lazyPeerAccess = 1

// IpcMemHandle exports the allocation of MemAlloc that contains p.
func (d *device) IpcMemHandle(p api.Ptr) (api.IPCHandle, error) {
	return d.ipcHandle(&d.b.fn.optional.ipcGetMemHandle, uintptr(p))
}

// IpcEventHandle exports an event made with EventInterprocess and
// EventDisableTiming.
func (d *device) IpcEventHandle(e api.Event) (api.IPCHandle, error) {
	return d.ipcHandle(&d.b.fn.optional.ipcGetEventHandle, uintptr(e))
}

// ipcHandle calls a function of the form (handle *, object).
func (d *device) ipcHandle(p *loader.Proc, object uintptr) (api.IPCHandle, error) {
	h := new(api.IPCHandle)
	if err := d.current(p, loader.AddressOf(h), object); err != nil {
		return api.IPCHandle{}, err
	}
	return *h, nil
}

// IpcOpenMem maps memory that another process exported. The driver enables
// access between peers if the memory lies on another device.
func (d *device) IpcOpenMem(h api.IPCHandle) (api.Ptr, error) {
	p, err := d.ipcOpen(&d.b.fn.optional.ipcOpenMemHandle, h, lazyPeerAccess)
	return api.Ptr(p), err
}

// IpcCloseMem unmaps what IpcOpenMem mapped.
func (d *device) IpcCloseMem(p api.Ptr) error {
	return d.current(&d.b.fn.optional.ipcCloseMemHandle, uintptr(p))
}

// IpcOpenEvent opens an event that another process exported.
func (d *device) IpcOpenEvent(h api.IPCHandle) (api.Event, error) {
	e, err := d.ipcOpen(&d.b.fn.optional.ipcOpenEvent, h)
	return api.Event(e), err
}

// ipcOpen calls a function of the form (object *, handle by value, rest…).
func (d *device) ipcOpen(p *loader.Proc, h api.IPCHandle, rest ...uintptr) (uint64, error) {
	f := loader.Acquire()
	defer f.Release()
	handle := (*[64]byte)(&h)
	f.SetOutStruct(handle, rest...)
	err := d.invokeCurrent(f, p)
	runtime.KeepAlive(handle)
	if err != nil {
		return 0, explainOpen(err)
	}
	return f.Word(0), nil
}

// explainOpen says what the driver's "invalid context" means here.
func explainOpen(err error) error {
	var failure *api.Error
	if errors.As(err, &failure) && failure.Code == api.CodeInvalidContext {
		failure.Detail = "a handle cannot be opened in the process that exported it: use the original there"
	}
	return err
}

// PoolExport makes a pool available to another process.
func (d *device) PoolExport(p api.Pool, t api.HandleType) (api.Shareable, error) {
	return d.export(&d.b.fn.optional.poolExport, uintptr(p), t)
}

// PoolImport opens a pool that another process exported.
func (d *device) PoolImport(s api.Shareable) (api.Pool, error) {
	p, err := d.importHandle(&d.b.fn.optional.poolImport, s)
	return api.Pool(p), err
}

// PoolExportPointer names an allocation of an exported pool.
func (d *device) PoolExportPointer(p api.Ptr) (api.PoolPointer, error) {
	data := new(api.PoolPointer)
	if err := d.current(&d.b.fn.optional.poolExportPointer, loader.AddressOf(data), uintptr(p)); err != nil {
		return api.PoolPointer{}, err
	}
	return *data, nil
}

// PoolImportPointer maps an allocation of an imported pool.
func (d *device) PoolImportPointer(pool api.Pool, data api.PoolPointer) (api.Ptr, error) {
	p, err := d.currentOut(&d.b.fn.optional.poolImportPointer, uintptr(pool), loader.AddressOf(&data))
	runtime.KeepAlive(&data)
	return api.Ptr(p), err
}
