package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

var _ api.IPC = (*device)(nil)

// ipcName is what an IPC handle carries.
func ipcName(t token) (h api.IPCHandle) {
	copy(h[:], t[:])
	return h
}

func (d *device) IpcMemHandle(p api.Ptr) (api.IPCHandle, error) {
	const call = "cuIpcGetMemHandle"
	if err := d.enter(call); err != nil {
		return api.IPCHandle{}, err
	}
	plain := func(b *block) bool { return b.pool == nil }
	owner := d.machine.deviceOf(p)
	if owner != d {
		return api.IPCHandle{}, notPlain(call, p)
	}
	a, ok := owner.memory.mark(p, plain)
	if !ok {
		return api.IPCHandle{}, notPlain(call, p)
	}
	return ipcName(d.machine.exports.add(a)), nil
}

func notPlain(call string, p api.Ptr) error {
	return fail(call, api.CodeInvalidValue, "%v is not memory of MemAlloc on this device: memory of pools is exported with its pool, virtual memory by its handle", p)
}

// IpcOpenMem gives the memory a second address; opening the same memory again
// gives the same one.
func (d *device) IpcOpenMem(h api.IPCHandle) (api.Ptr, error) {
	const call = "cuIpcOpenMemHandle_v2"
	object, err := d.ipcObject(call, h)
	if err != nil {
		return 0, err
	}
	source, ok := object.(allocation)
	size := 0
	if ok && source.pool == nil {
		size = source.size()
	}
	if size == 0 {
		return 0, fail(call, api.CodeInvalidHandle, "the handle does not name memory that is still allocated")
	}
	a := &d.machine.space
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.opened(d, source)
	if r == nil {
		r = d.open(source, size)
	}
	if r == nil {
		return 0, fail(call, api.CodeOutOfMemory, "no %d bytes of simulated addresses are free", size)
	}
	r.alias.opened++
	return api.Ptr(r.base), nil
}

// opened is where a device has opened a source, nil if it has not. The caller
// holds mu.
func (a *addressSpace) opened(d *device, source allocation) *reservation {
	for _, r := range a.reservations {
		if r.device == d && r.alias != nil && r.alias.source == source {
			return r
		}
	}
	return nil
}

// IpcCloseMem takes the address away when it was closed as often as opened.
func (d *device) IpcCloseMem(p api.Ptr) error {
	const call = "cuIpcCloseMemHandle"
	if err := d.enter(call); err != nil {
		return err
	}
	a := &d.machine.space
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.alias(p)
	if r == nil || r.alias.opened == 0 {
		return fail(call, api.CodeInvalidValue, "%v is not what IpcOpenMem returned, or was closed before", p)
	}
	if r.alias.opened--; r.alias.opened == 0 {
		a.drop(r)
	}
	return nil
}

// ipcObject finds what a handle names. Like CUDA it refuses the process that
// exported it, unless the configuration says otherwise.
func (d *device) ipcObject(call string, h api.IPCHandle) (any, error) {
	if err := d.enter(call); err != nil {
		return nil, err
	}
	object := d.machine.exports.find(h[:])
	if object == nil {
		return nil, fail(call, api.CodeInvalidHandle, "the handle names nothing that is exported and still exists")
	}
	if !d.machine.config.SameProcessIPC {
		return nil, fail(call, api.CodeInvalidContext, "a handle cannot be opened in the process that exported it: use the original there, or set sim.Config.SameProcessIPC in a test")
	}
	return object, nil
}

func (d *device) IpcEventHandle(handle api.Event) (h api.IPCHandle, err error) {
	const call = "cuIpcGetEventHandle"
	err = d.onEvent(call, handle, func(e *event) error {
		if !e.interprocess {
			return fail(call, api.CodeInvalidHandle, "the event was not made for other processes: create it with the interprocess flag")
		}
		h = ipcName(d.machine.exports.add(e))
		return nil
	})
	return h, err
}

// IpcOpenEvent makes another handle of the same event.
func (d *device) IpcOpenEvent(h api.IPCHandle) (api.Event, error) {
	const call = "cuIpcOpenEventHandle"
	object, err := d.ipcObject(call, h)
	if err != nil {
		return 0, err
	}
	e, ok := object.(*event)
	if !ok {
		return 0, fail(call, api.CodeInvalidHandle, "the handle does not name an event")
	}
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	e.handles++
	e.device.events++
	return api.Event(g.events.add(e)), nil
}
