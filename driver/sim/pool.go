package sim

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// pool is a memory pool of the stream-ordered allocator. memory.mu guards it.
//
// Its free blocks lie in clean once their free is complete, before that in the
// list of the stream that freed them. Blocks merge only inside one list, so
// what may be reused where is never mixed up.
type pool struct {
	memory    *memory
	handle    api.Pool
	max       int // bytes it may reserve
	switches  [3]bool
	threshold uint64
	reserved  gauge
	used      gauge
	clean     freeList
	pending   map[*stream]*freeList
	spare     *freeList // an empty list for the next stream that needs one
	destroyed bool
	imported  *pool          // the pool that was exported, nil for one of our own
	handles   api.HandleType // how it may be exported
	access    []api.Access   // by ordinal
}

// gauge is an amount and its high-water mark.
type gauge struct{ now, high int }

func (g *gauge) add(n int) {
	g.now += n
	g.high = max(g.high, g.now)
}

// growth is how much a pool grows by, in bytes.
const growth = 32 << 20

// addPool makes a pool. The caller holds mu or owns the memory.
func (m *memory) addPool(props api.PoolProps) *pool {
	p := &pool{memory: m, max: props.MaxSize, switches: [3]bool{true, true, true}, pending: map[*stream]*freeList{}}
	p.handles, p.access = api.HandleType(props.HandleTypes), make([]api.Access, m.device.machine.config.Devices)
	p.access[m.device.info.Ordinal] = api.AccessReadWrite
	if p.max == 0 {
		p.max = m.limit
	}
	p.handle = api.Pool(m.handles.add(p))
	m.pools = append(m.pools, p)
	return p
}

// grow reserves memory for size bytes, in large steps while there is enough.
func (p *pool) grow(size int) bool {
	return p.reserve(roundUp(size, growth)) || p.reserve(roundUp(size, granule)) ||
		p.memory.reclaim() && p.reserve(roundUp(size, granule))
}

func (p *pool) reserve(size int) bool {
	if size > p.max-p.reserved.now {
		return false
	}
	b := p.memory.take(size)
	if b == nil {
		return false
	}
	p.reserved.add(size)
	p.memory.blocks.give(b, &p.clean)
	return true
}

// sweep moves the blocks whose free is complete to the clean ones.
func (p *pool) sweep() {
	for _, s := range p.freers() {
		l := p.pending[s]
		for _, b := range l.collect(nil, unit, func(b *block) bool { return b.freed.complete() }) {
			l.remove(b)
			b.freed = nil
			p.memory.blocks.give(b, &p.clean)
		}
		if l.count == 0 {
			delete(p.pending, s)
			p.spare = l
		}
	}
}

// freers are the streams with pending frees, in the order in which they were
// made.
func (p *pool) freers() []*stream {
	return slices.SortedFunc(maps.Keys(p.pending), func(a, b *stream) int { return cmp.Compare(a.id, b.id) })
}

// trim gives chunks that are wholly clean back to the device, as long as keep
// bytes stay reserved. It reports whether it gave any.
func (p *pool) trim(keep uint64) bool {
	if uint64(p.reserved.now) <= keep {
		return false
	}
	gave := false
	p.sweep()
	for _, b := range p.clean.collect(nil, granule, (*block).whole) {
		if uint64(p.reserved.now-b.size) < keep {
			continue
		}
		p.clean.remove(b)
		p.reserved.add(-b.size)
		c := b.chunk
		p.memory.blocks.drop(b)
		p.memory.back(c)
		gave = true
	}
	return gave
}

// settle does what a synchronisation does to the pools of the device.
func (m *memory) settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweepRetired()
	for _, p := range m.pools {
		if len(p.pending) > 0 {
			p.sweep()
		}
		p.trim(p.threshold)
	}
	m.bury()
}

// reclaim takes back all memory that lies unused in pools, and reports whether
// there was any.
func (m *memory) reclaim() bool {
	gave := m.sweepRetired()
	for _, p := range m.pools {
		gave = p.trim(0) || gave
	}
	return gave
}

// bury forgets destroyed pools that hold no memory any more.
func (m *memory) bury() {
	rest := m.pools[:0]
	for _, p := range m.pools {
		if !p.destroyed || p.reserved.now > 0 {
			rest = append(rest, p)
		}
	}
	clear(m.pools[len(rest):])
	m.pools = rest
}
