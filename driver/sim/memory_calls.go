package sim

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

func (d *device) MemAlloc(size int) (api.Ptr, error) {
	const call = "cuMemAlloc_v2"
	if err := d.enterUnsafe(call); err != nil {
		return 0, err
	}
	if size <= 0 {
		return 0, badSize(call, size)
	}
	b := d.memory.allocate(size)
	if b == nil {
		return 0, d.outOfMemory(call, size)
	}
	d.machine.graph.check.Allocated(nil, call, api.Ptr(b.base), size, checker.Plain)
	return api.Ptr(b.base), nil
}

func (d *device) outOfMemory(call string, size int) error {
	return fail(call, api.CodeOutOfMemory, "%d bytes asked, %d of %d free on simulated device %d", size, d.memory.available(), d.info.TotalMemory, d.info.Ordinal)
}

// MemFree does nothing to the nil address, nor does MemHostFree.
func (d *device) MemFree(p api.Ptr) error {
	const call = "cuMemFree_v2"
	if err := d.enterUnsafe(call); err != nil || p == 0 {
		return err
	}
	if virtual(p) {
		return d.freeAlias(call, p)
	}
	if owner := d.machine.deviceOf(p); owner != nil {
		b := owner.memory.withdraw(p)
		if b == nil {
			return d.machine.notAllocated(call, p)
		}
		owner.drain()
		d.machine.graph.check.Freed(nil, call, p, b.asked)
		owner.memory.release(b)
		return nil
	}
	return d.machine.hostFree(call, p, api.MemoryManaged)
}

func (m *Machine) notAllocated(call string, p api.Ptr) error {
	err := fail(call, api.CodeInvalidValue, "%v is not the address of an allocation that this call can free, or was freed before", p)
	m.graph.check.RefusedFree(call, p, err)
	return err
}

func (d *device) MemAllocManaged(size int) (api.Ptr, error) {
	const call = "cuMemAllocManaged"
	if err := d.enterUnsafe(call); err != nil {
		return 0, err
	}
	if err := d.need(call, api.AttrManagedMemory, "managed memory"); err != nil {
		return 0, err
	}
	return d.hostAllocate(call, size, api.MemoryManaged)
}

func (d *device) MemHostAlloc(size int, flags api.HostAllocFlags) (api.Ptr, error) {
	const call = "cuMemHostAlloc"
	if err := d.enterUnsafe(call); err != nil {
		return 0, err
	}
	if flags&^(api.HostPortable|api.HostDeviceMapped|api.HostWriteCombined) != 0 {
		return 0, fail(call, api.CodeInvalidValue, "flags %#x: use a combination of 1, 2 and 4", flags)
	}
	return d.hostAllocate(call, size, api.MemoryHost)
}

func (d *device) hostAllocate(call string, size int, kind api.MemoryType) (api.Ptr, error) {
	if size <= 0 {
		return 0, badSize(call, size)
	}
	b := d.machine.host.allocate(d, size, kind)
	if b == nil {
		return 0, fail(call, api.CodeOutOfMemory, "the operating system has no %d bytes of address space", size)
	}
	d.machine.graph.check.Allocated(nil, call, api.Ptr(b.base), size, checker.Shared)
	return api.Ptr(b.base), nil
}

func (d *device) MemHostFree(p api.Ptr) error {
	const call = "cuMemFreeHost"
	if err := d.enterUnsafe(call); err != nil || p == 0 {
		return err
	}
	return d.machine.hostFree(call, p, api.MemoryHost)
}

// hostFree waits for every device: any of them may be using the memory.
func (m *Machine) hostFree(call string, p api.Ptr, kind api.MemoryType) error {
	b := m.host.withdraw(p, kind)
	if b == nil {
		return m.notAllocated(call, p)
	}
	m.drain()
	m.graph.check.Freed(nil, call, p, b.asked)
	m.host.release(b)
	return nil
}

func (d *device) PointerInfo(p api.Ptr) (api.PointerInfo, error) {
	if err := d.enter("cuPointerGetAttributes"); err != nil {
		return api.PointerInfo{}, err
	}
	if virtual(p) {
		return d.machine.space.info(p), nil
	}
	b, ok := d.machine.lookup(p)
	if !ok {
		return unregistered, nil
	}
	info := api.PointerInfo{Type: b.kind, Device: b.device.info.Ordinal, Base: api.Ptr(b.base), Size: b.asked}
	if b.pool != nil {
		info.Pool = b.pool.handle
	}
	return info, nil
}

// unregistered is an address that CUDA knows nothing of.
var unregistered = api.PointerInfo{Type: api.MemoryUnregistered, Device: -1}

// lookup describes the allocation that contains p, wherever it is.
func (m *Machine) lookup(p api.Ptr) (block, bool) {
	m.host.mu.RLock()
	defer m.host.mu.RUnlock()
	b, _, ok := m.block(p)
	return b, ok
}
