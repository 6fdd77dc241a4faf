package sim

import (
	"bytes"
	"sync/atomic"
)

// pageTable is the content of a device's memory. Pages are committed when they
// are first written and forgotten when their granules go back to the device. It
// is safe for concurrent use without a lock; who reads and writes the bytes of
// a page, and when, is the program's business, as on a GPU.
type pageTable struct {
	base   uintptr
	leaves []atomic.Pointer[leaf]
}

const (
	pageSize  = 64 << 10
	leafPages = 512
	leafSize  = leafPages * pageSize
)

type (
	page [pageSize]byte
	leaf [leafPages]atomic.Pointer[page]
)

// unwritten is what memory holds that was never written.
var unwritten = page(bytes.Repeat([]byte{0xA5}, pageSize))

func newPageTable(base uintptr, span int) pageTable {
	return pageTable{base: base, leaves: make([]atomic.Pointer[leaf], (span+leafSize-1)/leafSize)}
}

// read returns the bytes from p to the end of its page. They must not be
// changed.
func (t *pageTable) read(p uintptr) []byte {
	offset := int(p - t.base)
	pg := &unwritten
	if l := t.leaves[offset/leafSize].Load(); l != nil {
		if committed := l[offset/pageSize%leafPages].Load(); committed != nil {
			pg = committed
		}
	}
	return pg[offset%pageSize:]
}

// write returns the bytes from p to the end of its page, which it commits.
func (t *pageTable) write(p uintptr) []byte {
	offset := int(p - t.base)
	slot := &commit(&t.leaves[offset/leafSize], nil)[offset/pageSize%leafPages]
	return commit(slot, &unwritten)[offset%pageSize:]
}

// commit returns what slot holds, or puts a copy of initial there (zeros for
// nil). Of two that commit at once, one wins and both use its value.
func commit[T any](slot *atomic.Pointer[T], initial *T) *T {
	if v := slot.Load(); v != nil {
		return v
	}
	v := new(T)
	if initial != nil {
		*v = *initial
	}
	if slot.CompareAndSwap(nil, v) {
		return v
	}
	return slot.Load()
}

// discard forgets whole pages. Nothing may be using them.
func (t *pageTable) discard(p uintptr, size int) {
	for offset := int(p - t.base); size > 0; {
		n := min(size, leafSize-offset%leafSize)
		if l := t.leaves[offset/leafSize].Load(); l != nil {
			first := offset / pageSize % leafPages
			for i := range n / pageSize {
				l[first+i].Store(nil)
			}
		}
		offset, size = offset+n, size-n
	}
}
