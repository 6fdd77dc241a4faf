package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// MemFreeAsync frees memory of a pool, or of MemAlloc, in stream order. It does
// nothing to the nil address.
func (d *device) MemFreeAsync(p api.Ptr, s api.Stream) error {
	const call = "cuMemFreeAsync"
	if err := d.enterPools(call); err != nil {
		return err
	}
	if virtual(p) {
		return d.freeAliasOn(call, p, s)
	}
	st, err := d.findStream(call, s)
	if err != nil || p == 0 {
		return err
	}
	owner := d.machine.deviceOf(p)
	if owner == nil {
		return d.machine.notAllocated(call, p)
	}
	if d.captured(s) {
		return owner.memory.recordFree(call, p, st)
	}
	if !owner.memory.freeOn(call, p, st) {
		return d.machine.notAllocated(call, p)
	}
	return nil
}

// freeOn frees the allocation at p in the order of s; false if there is none.
// Pool memory stays usable on s by the order of the stream; plain memory goes
// back by an operation of its own.
func (m *memory) freeOn(call string, p Ptr, s *stream) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.live.exact(p)
	if b == nil {
		return false
	}
	g := s.device.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	if b.node != nil {
		if !b.node.present {
			return false
		}
		g.check.Freed(s.thread, call, p, b.asked)
		return b.node.free(g.enqueue(s, nil, nil))
	}
	m.live.remove(b)
	g.check.Freed(s.thread, call, p, b.asked)
	if b.pool != nil {
		b.pool.free(b, s, g.enqueue(s, nil, nil))
	} else {
		m.leaving[b] = true
		g.enqueue(s, func() { m.release(b) }, nil)
	}
	return true
}
