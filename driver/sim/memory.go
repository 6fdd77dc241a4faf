package sim

import (
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// memory is the memory of one device: its capacity, its address space in
// granules, and who holds which part.
type memory struct {
	device  *device
	mu      sync.Mutex
	limit   int // bytes that this process can have
	used    int // bytes of granules handed out
	blocks  arena
	unused  freeList // granules
	plain   suballocator
	live    index           // everything allocated, from pools too
	leaving map[*block]bool // plain memory that MemFreeAsync frees when its stream gets there
	pools   []*pool
	handles handles[pool]
	pages   pageTable // has no need of mu
	retired []retired
	current *pool // the default pool
}

func newMemory(d *device, base uintptr) *memory {
	span := int(d.machine.config.addressSpan())
	m := &memory{
		device:  d,
		limit:   d.info.TotalMemory - d.machine.config.UsedByOthers,
		handles: handles[pool]{base: 3<<40 + uintptr(d.info.Ordinal)<<36},
		pages:   newPageTable(base, span),
		leaving: map[*block]bool{},
	}
	m.unused.push(m.blocks.add(base, span, nil))
	m.plain = suballocator{arena: &m.blocks, source: m, share: granule}
	m.current = m.addPool(api.PoolProps{})
	return m
}

// take hands out granules, nil beyond the capacity.
func (m *memory) take(size int) *block {
	if size > m.limit-m.used {
		return nil
	}
	b := m.blocks.carve(&m.unused, size)
	if b == nil {
		return nil
	}
	m.used += size
	return m.blocks.add(b.base, size, &chunk{parent: b})
}

// back takes granules in again. What was written there is forgotten.
func (m *memory) back(c *chunk) {
	m.used -= c.parent.size
	m.pages.discard(c.parent.base, c.parent.size)
	m.blocks.give(c.parent, &m.unused)
}

// allocate takes plain device memory; nil beyond the capacity.
func (m *memory) allocate(size int) *block {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.plain.allocate(size)
	if b == nil && m.reclaim() {
		b = m.plain.allocate(size)
	}
	if b != nil {
		b.kind, b.device = api.MemoryDevice, m.device
		m.live.insert(b)
	}
	return b
}

// withdraw makes the allocation at p invalid, without yet reusing its memory.
func (m *memory) withdraw(p Ptr) *block {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.live.exact(p)
	switch {
	case b == nil:
		return nil
	case b.node != nil:
		if !b.node.withdraw() {
			return nil
		}
	default:
		m.live.remove(b)
	}
	return b
}

// release makes the memory of a withdrawn allocation reusable.
func (m *memory) release(b *block) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restore(b)
}

func (m *memory) restore(b *block) {
	if b.node != nil {
		b.node.restore()
		return
	}
	if b.pool != nil {
		b.pool.free(b, nil, nil)
		return
	}
	delete(m.leaving, b)
	m.plain.free(b)
}

// lookup describes the allocation that contains p.
func (m *memory) lookup(p Ptr) (block, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.live.find(p); b != nil {
		return *b, true
	}
	return block{}, false
}

// available are the free bytes of the device.
func (m *memory) available() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(0, m.limit-m.used)
}
