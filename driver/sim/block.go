package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// Units of address space, in bytes.
const (
	granule  = 2 << 20 // what devices hand out
	unit     = 512     // alignment of every allocation
	hugeSize = 1 << 47 // more than any address space has
)

func roundUp(n, step int) int { return (n + step - 1) / step * step }

// chunk is contiguous memory that an arena divides into blocks.
type chunk struct {
	parent *block // device memory: the granules it is made of
	host   []byte // host memory: the memory itself
}

// block is a range of addresses inside a chunk: a live allocation, or free.
//
// Invariant: the blocks of a chunk, chained by prev and next, cover it without
// gaps; list is nil exactly while the block is live.
type block struct {
	base       uintptr
	size       int // a multiple of unit
	chunk      *chunk
	prev, next *block

	// while free
	list         *freeList
	newer, older *block
	freed        *op // orders the free; nil once nothing must wait for it

	// while live
	asked      int // the size that was asked for
	kind       api.MemoryType
	device     *device
	pool       *pool
	node       *graphMemory // nil outside of graphs
	exported   bool         // to other processes
	registered bool         // host memory of the program's own; never in an arena
	hints      hints        // on managed memory
}

// whole reports whether the block is its entire chunk.
func (b *block) whole() bool { return b.prev == nil && b.next == nil }

// end is the address behind what was asked for.
func (b *block) end() uintptr { return b.base + uintptr(b.asked) }

// arena divides chunks into blocks. Its user keeps the lists of free blocks and
// the lock. Blocks are recycled, so that a warm arena allocates nothing on the
// Go heap.
type arena struct{ spare *block }

// add makes a chunk of size bytes one live block.
func (a *arena) add(base uintptr, size int, c *chunk) *block {
	b := a.blank()
	b.base, b.size, b.chunk = base, size, c
	return b
}

// carve takes size bytes, a multiple of unit, from the low end of a free block
// that is large enough; nil if the list has none.
func (a *arena) carve(l *freeList, size int) *block {
	b := l.find(size)
	if b == nil {
		return nil
	}
	l.remove(b)
	a.shorten(b, size, l)
	return b
}

// shorten leaves size bytes of a block that is in no list, and the rest of it
// in l.
func (a *arena) shorten(b *block, size int, l *freeList) {
	if b.size == size {
		return
	}
	rest := a.blank()
	rest.base, rest.size, rest.chunk, rest.freed = b.base+uintptr(size), b.size-size, b.chunk, b.freed
	rest.prev, rest.next = b, b.next
	if b.next != nil {
		b.next.prev = rest
	}
	b.next, b.size = rest, size
	l.push(rest)
}

// give makes a live block free in l, merged with its neighbours in the same
// list, and returns the block that contains it now.
func (a *arena) give(b *block, l *freeList) *block {
	b.asked, b.kind, b.device, b.pool, b.exported, b.hints = 0, 0, nil, nil, false, nil
	if n := b.next; n != nil && n.list == l {
		l.remove(n)
		a.join(b, n)
	}
	if p := b.prev; p != nil && p.list == l {
		l.remove(p)
		a.join(p, b)
		b = p
	}
	l.push(b)
	return b
}

// join merges a block with its successor; neither is in a list.
func (a *arena) join(b, next *block) {
	b.size += next.size
	b.freed = later(b.freed, next.freed)
	if b.next = next.next; b.next != nil {
		b.next.prev = b
	}
	a.drop(next)
}

func (a *arena) blank() *block {
	b := a.spare
	if b == nil {
		return &block{}
	}
	a.spare, b.next = b.next, nil
	return b
}

// drop recycles a block that is in no list and has no neighbours any more.
func (a *arena) drop(b *block) {
	*b = block{next: a.spare}
	a.spare = b
}
