package sim

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// hostMemory is pinned and managed memory: real memory of the process, at the
// address that devices use, committed as it is touched.
//
// Readers hold mu from looking an address up until the operation that uses it
// is enqueued. So whoever has withdrawn an allocation under mu and then waited
// for all devices knows that no operation will touch it again: only then may
// the memory be unmapped.
type hostMemory struct {
	mu       sync.RWMutex
	heap     suballocator
	live     index
	reserved map[*chunk]struct{}
	failed   error // memory that could not be given back
}

// hostShare is the address space that small allocations share, in bytes.
const hostShare = 64 << 20

func newHostMemory() *hostMemory {
	h := &hostMemory{reserved: map[*chunk]struct{}{}}
	h.heap = suballocator{arena: &arena{}, source: h, share: hostShare}
	return h
}

func (h *hostMemory) take(size int) *block {
	data, err := reserve(size)
	if err != nil {
		return nil
	}
	c := &chunk{host: data}
	h.reserved[c] = struct{}{}
	return h.heap.add(address(data), size, c)
}

func (h *hostMemory) back(c *chunk) {
	delete(h.reserved, c)
	h.failed = errors.Join(h.failed, unreserve(c.host))
}

// close unmaps everything.
func (h *hostMemory) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.reserved {
		h.back(c)
	}
	return h.failed
}

func (h *hostMemory) allocate(d *device, size int, kind api.MemoryType) *block {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.heap.allocate(size)
	if b != nil {
		b.kind, b.device = kind, d
		h.live.insert(b)
	}
	return b
}

// withdraw makes the allocation at p invalid if it is of this kind; nil if
// there is none.
func (h *hostMemory) withdraw(p Ptr, kind api.MemoryType) *block {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.live.exact(p)
	if b == nil || b.kind != kind || b.registered {
		return nil
	}
	h.live.remove(b)
	return b
}

// release gives the memory of a withdrawn allocation back.
func (h *hostMemory) release(b *block) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heap.free(b)
}

// holds reports whether b lies in pinned or managed memory. The caller holds mu.
func (h *hostMemory) holds(b []byte) bool { return h.live.find(Ptr(address(b))) != nil }

// access is what an operation does to b, for the checker: nothing if b is not
// pinned or managed memory. The caller holds mu.
func (h *hostMemory) access(b []byte, write bool) checker.Range {
	if !h.holds(b) {
		return checker.Range{}
	}
	return checker.Range{Ptr: Ptr(address(b)), Size: len(b), Write: write}
}

// bytes is n bytes of a live block from p on.
func (b *block) bytes(p Ptr, n int) []byte {
	offset := int(uintptr(p) - address(b.chunk.host))
	return b.chunk.host[offset : offset+n]
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
