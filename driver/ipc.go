package driver

import "github.com/rmm-go/rmm-go/driver/internal/api"

// IPCHandle names memory or an event of this process to another one.
type IPCHandle = api.IPCHandle

// PoolPointer names an allocation of an exported pool to another process.
type PoolPointer = api.PoolPointer

// IpcMemHandle exports the whole allocation of MemAlloc that contains p; the
// receiver adds p's offset in it (see PointerInfo.Base). Memory of pools and
// virtual memory have other ways: Pool.Export, MemHandle.Export.
func (d *Device) IpcMemHandle(p Ptr) (h IPCHandle, err error) {
	err = with(d, "Device.IpcMemHandle", func(ipc api.IPC) (err error) {
		h, err = ipc.IpcMemHandle(p)
		return err
	})
	return h, err
}

// IpcOpenMem maps memory that another process exported. Close it with
// IpcCloseMem.
func (d *Device) IpcOpenMem(h IPCHandle) (p Ptr, err error) {
	err = with(d, "Device.IpcOpenMem", func(ipc api.IPC) (err error) {
		p, err = ipc.IpcOpenMem(h)
		return err
	})
	return p, err
}

// IpcCloseMem unmaps what IpcOpenMem mapped.
func (d *Device) IpcCloseMem(p Ptr) error {
	return with(d, "Device.IpcCloseMem", func(ipc api.IPC) error { return ipc.IpcCloseMem(p) })
}

// IpcHandle exports the event, which must have been made with Interprocess.
func (e *Event) IpcHandle() (h IPCHandle, err error) {
	if err := e.enter("Event.IpcHandle"); err != nil {
		return h, err
	}
	defer e.gate.leave()
	err = with(e.dev, "Event.IpcHandle", func(ipc api.IPC) (err error) {
		h, err = ipc.IpcEventHandle(e.raw)
		return err
	})
	return h, err
}

// IpcOpenEvent opens an event that another process exported. Close it after
// use.
func (d *Device) IpcOpenEvent(h IPCHandle) (*Event, error) {
	e := &Event{dev: d, gate: newGate()}
	err := withNew(d, "Device.IpcOpenEvent", func(ipc api.IPC) (err error) {
		e.raw, err = ipc.IpcOpenEvent(h)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Export makes the pool available to another process; it must have been created
// with the handle type.
func (p *Pool) Export(t HandleType) (s Shareable, err error) {
	err = p.withIPC("Pool.Export", func(ipc api.IPC) (err error) {
		s, err = ipc.PoolExport(p.raw, t)
		return err
	})
	return s, err
}

// ImportPool opens a pool that another process exported. Nothing can be
// allocated from it, only ImportPointer. Close it after use.
func (d *Device) ImportPool(s Shareable) (*Pool, error) {
	p := &Pool{dev: d, owned: true, gate: newGate()}
	err := withNew(d, "Device.ImportPool", func(ipc api.IPC) (err error) {
		p.raw, err = ipc.PoolImport(s)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// ExportPointer names an allocation of the pool to a process that imported the
// pool.
func (p *Pool) ExportPointer(ptr Ptr) (data PoolPointer, err error) {
	err = p.withIPC("Pool.ExportPointer", func(ipc api.IPC) (err error) {
		data, err = ipc.PoolExportPointer(ptr)
		return err
	})
	return data, err
}

// ImportPointer maps an allocation of an imported pool. Free it on a stream of
// this process before the exporter frees it.
func (p *Pool) ImportPointer(data PoolPointer) (ptr Ptr, err error) {
	err = p.withIPC("Pool.ImportPointer", func(ipc api.IPC) (err error) {
		ptr, err = ipc.PoolImportPointer(p.raw, data)
		return err
	})
	return ptr, err
}

func (p *Pool) withIPC(call string, f func(api.IPC) error) error {
	if err := p.enter(call); err != nil {
		return err
	}
	defer p.gate.leave()
	return with(p.dev, call, f)
}
