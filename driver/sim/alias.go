package sim

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// alias is why a reservation is the second address of an allocation: an import
// made it, and its end takes it back.
type alias struct {
	source allocation
	opened int  // by IpcOpenMem, not yet closed
	freed  bool // by MemFreeAsync, which the stream has yet to reach
}

// allocation names live memory of a device that was exported.
type allocation struct {
	device *device
	pool   *pool // nil for plain memory
	base   uintptr
}

// mark notes that the allocation that contains p is exported. It says false
// unless want holds for it.
func (m *memory) mark(p Ptr, want func(*block) bool) (allocation, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.live.find(p)
	if b == nil || !want(b) {
		return allocation{}, false
	}
	b.exported = true
	return allocation{device: m.device, pool: b.pool, base: b.base}, true
}

// size is the size of the allocation in bytes, 0 if it is not live any more.
func (a allocation) size() int {
	m := a.device.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.live.exact(Ptr(a.base)); b != nil && b.exported {
		return b.asked
	}
	return 0
}

// open gives an allocation another address, at which d can use it; nil if there
// is no room. The caller holds space.mu.
func (d *device) open(source allocation, size int) *reservation {
	m := d.machine
	r := m.space.reserve(d, roundUp(size, granule), granule)
	if r == nil {
		return nil
	}
	access := make([]api.Access, len(m.devices))
	access[d.info.Ordinal], access[source.device.info.Ordinal] = api.AccessReadWrite, api.AccessReadWrite
	r.alias = &alias{source: source}
	m.graph.check.Allocated(nil, "the import of memory", Ptr(r.base), size, checker.Shared)
	r.mappings = []*mapping{{base: r.base, size: size, device: source.device, at: source.base, access: access}}
	return r
}

// alias finds the alias that begins at p, nil if none does. The caller holds
// mu.
func (a *addressSpace) alias(p Ptr) *reservation {
	r := a.find(uintptr(p))
	if r == nil || r.alias == nil || r.base != uintptr(p) {
		return nil
	}
	return r
}

// pooledAlias is the alias of pool memory that begins at p, nil if there is none
// or it is freed. The caller holds mu.
func (a *addressSpace) pooledAlias(p Ptr) *reservation {
	r := a.alias(p)
	if r == nil || r.alias.source.pool == nil || r.alias.freed {
		return nil
	}
	return r
}

// freeAlias is MemFree for what PoolImportPointer returned.
func (d *device) freeAlias(call string, p Ptr) error {
	d.drain()
	a := &d.machine.space
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.pooledAlias(p)
	if r == nil {
		return d.machine.notAllocated(call, p)
	}
	a.drop(r)
	return nil
}

// freeAliasOn is MemFreeAsync for what PoolImportPointer returned.
func (d *device) freeAliasOn(call string, p Ptr, s api.Stream) error {
	a := &d.machine.space
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.pooledAlias(p)
	if r == nil {
		return d.machine.notAllocated(call, p)
	}
	if err := d.uncapturable(call, s); err != nil {
		return err
	}
	err := d.enqueueOn(call, s, func(st *stream) error {
		d.machine.graph.enqueue(st, func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.drop(r)
		}, nil)
		return nil
	})
	r.alias.freed = err == nil
	return err
}
