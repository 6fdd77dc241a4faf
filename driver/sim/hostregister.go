package sim

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

var _ api.HostRegister = (*device)(nil)

// MemHostRegister makes the memory pinned: copies read and write it when it is
// their stream's turn. It stays reachable until MemHostUnregister.
func (d *device) MemHostRegister(memory []byte) error {
	const call = "cuMemHostRegister_v2"
	if err := d.enterUnsafe(call); err != nil {
		return err
	}
	if err := d.need(call, api.AttrHostRegisterSupported, "registered host memory"); err != nil {
		return err
	}
	if len(memory) == 0 {
		return badSize(call, 0)
	}
	if !d.machine.host.register(d, memory) {
		return fail(call, api.CodeHostMemoryRegistered, "a part of the %d bytes at %#x is pinned or managed already", len(memory), address(memory))
	}
	d.machine.graph.check.Allocated(nil, call, Ptr(address(memory)), len(memory), checker.Shared)
	return nil
}

// MemHostUnregister first waits for every device, as MemHostFree does.
func (d *device) MemHostUnregister(memory []byte) error {
	const call = "cuMemHostUnregister"
	if err := d.enterUnsafe(call); err != nil {
		return err
	}
	if len(memory) == 0 {
		return badSize(call, 0)
	}
	if !d.machine.host.unregister(address(memory)) {
		return fail(call, codeHostMemoryNotRegistered, "no registered memory begins at %#x", address(memory))
	}
	d.machine.drain()
	d.machine.graph.check.Freed(nil, call, Ptr(address(memory)), len(memory))
	return nil
}

// register adds memory of the program to what devices can use; false if some of
// it is there already.
func (h *hostMemory) register(d *device, memory []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := &block{base: address(memory), size: len(memory), asked: len(memory), chunk: &chunk{host: memory}}
	b.kind, b.device, b.registered = api.MemoryHost, d, true
	if last := h.live.floor(b.base + uintptr(b.size) - 1); last != nil && last.end() > b.base {
		return false
	}
	h.live.insert(b)
	return true
}

func (h *hostMemory) unregister(base uintptr) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.live.exact(Ptr(base))
	if b == nil || !b.registered {
		return false
	}
	h.live.remove(b)
	return true
}
