package sim

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// allocate takes memory for use by work on s, nil if neither the pool nor the
// device has it: first what s itself freed, then what everybody can use, then
// new memory, then what another stream has freed but not reached yet. The
// caller holds memory.mu.
func (p *pool) allocate(size int, s *stream) *block {
	if size > hugeSize {
		return nil
	}
	need := roundUp(size, unit)
	b := p.reuse(need, s)
	if b == nil && p.grow(need) {
		b = p.memory.blocks.carve(&p.clean, need)
	}
	if b == nil && p.switches[api.PoolReuseAllowInternalDependencies-1] {
		b = p.steal(need, s)
	}
	if b == nil {
		return nil
	}
	b.freed, b.pool, b.kind, b.asked, b.device = nil, p, api.MemoryDevice, size, p.memory.device
	p.used.add(b.asked) // CUDA does not count what rounding adds
	p.memory.live.insert(b)
	return b
}

// reuse finds free memory that s need not wait for.
func (p *pool) reuse(need int, s *stream) *block {
	blocks := &p.memory.blocks
	if own := p.pending[s]; own != nil {
		if b := blocks.carve(own, need); b != nil {
			return b
		}
	}
	b := blocks.carve(&p.clean, need)
	if b != nil || len(p.pending) == 0 {
		return b
	}
	if p.switches[api.PoolReuseAllowOpportunistic-1] {
		p.sweep()
		b = blocks.carve(&p.clean, need)
	}
	if b == nil && p.switches[api.PoolReuseFollowEventDependencies-1] {
		b = p.follow(need, s)
	}
	return b
}

// steal takes memory that another stream has freed, and makes s wait for the
// free.
func (p *pool) steal(need int, s *stream) *block {
	for _, freer := range p.freers() {
		if b := p.memory.blocks.carve(p.pending[freer], need); b != nil {
			g := s.device.machine.graph
			g.mu.Lock()
			g.enqueue(s, nil, b.freed)
			g.mu.Unlock()
			return b
		}
	}
	return nil
}

// free takes memory back that is usable when freed is complete; s is the stream
// that freed it. The caller holds memory.mu and has withdrawn the block.
func (p *pool) free(b *block, s *stream, freed *op) {
	p.used.add(-b.asked)
	if b.freed = freed; freed.complete() {
		b.freed = nil
		p.memory.blocks.give(b, &p.clean)
	} else {
		p.memory.blocks.give(b, p.freedOn(s))
	}
	if p.destroyed {
		p.trim(0)
	}
}

func (p *pool) freedOn(s *stream) *freeList {
	l := p.pending[s]
	if l == nil {
		if l, p.spare = p.spare, nil; l == nil {
			l = &freeList{}
		}
		p.pending[s] = l
	}
	return l
}

func (d *device) MemAllocAsync(size int, s api.Stream) (api.Ptr, error) {
	return d.allocAsync("cuMemAllocAsync", size, s, func(string) (*pool, error) { return d.memory.current, nil })
}

func (d *device) MemAllocFromPoolAsync(size int, p api.Pool, s api.Stream) (api.Ptr, error) {
	return d.allocAsync("cuMemAllocFromPoolAsync", size, s, func(call string) (*pool, error) { return d.memory.pool(call, p) })
}

// allocAsync allocates from the pool that choose returns under the memory's
// lock. CUDA takes the size 0, of which there is nothing to free.
func (d *device) allocAsync(call string, size int, s api.Stream, choose func(string) (*pool, error)) (api.Ptr, error) {
	if err := d.enterPools(call); err != nil {
		return 0, err
	}
	if size < 0 {
		return 0, badSize(call, size)
	}
	st, err := d.findStream(call, s)
	if err != nil || size == 0 {
		return 0, err
	}
	if d.captured(s) {
		return d.allocNode(call, size, st)
	}
	if err := d.unsafe(call); err != nil {
		return 0, err
	}
	b, err := d.memory.allocateOn(call, size, st, choose)
	if err == nil && b == 0 {
		err = d.outOfMemory(call, size)
	}
	return b, err
}

func (m *memory) allocateOn(call string, size int, s *stream, choose func(string) (*pool, error)) (api.Ptr, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := choose(call)
	if err != nil {
		return 0, err
	}
	if p.imported != nil {
		return 0, fail(call, api.CodeInvalidValue, "the pool is imported: only its exporter allocates from it")
	}
	if b := p.allocate(size, s); b != nil {
		m.device.machine.graph.check.Allocated(s.thread, call, Ptr(b.base), size, checker.Plain)
		return api.Ptr(b.base), nil
	}
	return 0, nil
}

// findStream finds the stream of a handle, without the graph's lock.
func (d *device) findStream(call string, s api.Stream) (*stream, error) {
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	return d.stream(call, s)
}

func (d *device) enterPools(call string) error {
	if err := d.enter(call); err != nil {
		return err
	}
	return d.need(call, api.AttrMemoryPoolsSupported, "memory pools")
}
