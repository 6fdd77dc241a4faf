package sim

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// physical is memory of a device without an address of its own.
//
// Invariant: refs counts its handles and its mappings; at 0 the memory is the
// device's again. addressSpace.mu guards it.
type physical struct {
	device  *device
	block   *block
	size    int
	handles api.HandleType // how it may be exported
	refs    int
}

func (p *physical) unref() {
	if p.refs--; p.refs == 0 {
		p.device.machine.exports.remove(p)
		p.device.memory.yield(p.block)
	}
}

// occupy takes granules for as long as the program likes; nil beyond the
// capacity.
func (m *memory) occupy(size int) *block {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.take(size)
	if b == nil && m.reclaim() {
		b = m.take(size)
	}
	return b
}

// yield takes back what occupy gave.
func (m *memory) yield(b *block) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := b.chunk
	m.blocks.drop(b)
	m.back(c)
}

func (d *device) MemCreate(size int, handles api.HandleType) (api.MemHandle, error) {
	const call = "cuMemCreate"
	if err := d.enterVirtual(call); err != nil {
		return 0, err
	}
	if err := d.wholeGranules(call, "size", size); err != nil {
		return 0, err
	}
	if err := d.exportable(call, handles); err != nil {
		return 0, err
	}
	b := d.memory.occupy(size)
	if b == nil {
		return 0, d.outOfMemory(call, size)
	}
	m := d.machine
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	d.physical++
	return api.MemHandle(m.physicals.add(&physical{device: d, block: b, size: size, handles: handles, refs: 1})), nil
}

func (d *device) MemRelease(h api.MemHandle) error {
	return d.onPhysical("cuMemRelease", h, func(p *physical) error {
		d.machine.physicals.remove(uintptr(h))
		p.device.physical--
		p.unref()
		return nil
	})
}

// onPhysical runs f on the memory of a handle, with the address space locked.
func (d *device) onPhysical(call string, h api.MemHandle, f func(*physical) error) error {
	if err := d.enterVirtual(call); err != nil {
		return err
	}
	m := d.machine
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	p := m.physicals.get(uintptr(h))
	if p == nil {
		return fail(call, api.CodeInvalidValue, "%#x is no handle of memory, or was released before", uintptr(h))
	}
	return f(p)
}

// enterVirtual is enter for the calls of virtual memory management, which need
// no context: a sticky fault does not concern them.
func (d *device) enterVirtual(call string) error {
	if err := d.machine.enter(call); err != nil {
		return err
	}
	return d.need(call, api.AttrVirtualMemoryManagementSupported, "virtual memory management")
}

// wholeGranules refuses a size that is not a positive multiple of the
// granularity.
func (d *device) wholeGranules(call, what string, n int) error {
	if g := d.machine.config.Granularity; n <= 0 || n%g != 0 {
		return fail(call, api.CodeInvalidValue, "the %s is %d: it must be a positive multiple of the granularity, %d bytes", what, n, g)
	}
	return nil
}
