package sim

import (
	"slices"
	"sort"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// The addresses that MemAddressReserve hands out follow those of the devices.
const (
	virtualBase  = addressLimit
	virtualLimit = virtualBase + 1<<44
)

// addressSpace is the virtual addresses of all devices. Work finds the memory
// behind a virtual address when it runs, not when it is enqueued, because
// unmapping waits for nothing.
type addressSpace struct {
	mu           sync.RWMutex
	reservations []*reservation // in order of base
}

// reservation is a range of virtual addresses.
//
// Invariant: the mappings are in order and do not overlap.
type reservation struct {
	device   *device // through which it was made
	base     uintptr
	size     int
	mappings []*mapping
	alias    *alias // what an import made, nil for MemAddressReserve
}

// mapping makes memory of a device readable and writable at virtual addresses.
type mapping struct {
	base   uintptr
	size   int
	device *device
	at     uintptr      // where the memory is on the device
	access []api.Access // by ordinal
	memory *physical    // nil for an alias
}

func (r *reservation) end() uintptr { return r.base + uintptr(r.size) }
func (m *mapping) end() uintptr     { return m.base + uintptr(m.size) }

// virtual reports whether p is an address of an addressSpace.
func virtual(p Ptr) bool { return uintptr(p) >= virtualBase && uintptr(p) < virtualLimit }

// reserve takes the lowest free range; nil if there is none. The caller holds
// mu.
func (a *addressSpace) reserve(d *device, size int, align uintptr) *reservation {
	at, i := virtualBase, 0
	for ; i < len(a.reservations); i++ {
		if r := a.reservations[i]; at+uintptr(size) <= r.base {
			break
		} else {
			at = (r.end() + align - 1) &^ (align - 1)
		}
	}
	if at > virtualLimit || size > int(virtualLimit-at) {
		return nil
	}
	r := &reservation{device: d, base: at, size: size}
	d.reserved++
	a.reservations = slices.Insert(a.reservations, i, r)
	return r
}

// drop gives a range up. The caller holds mu.
func (a *addressSpace) drop(r *reservation) {
	r.device.reserved--
	a.reservations = slices.DeleteFunc(a.reservations, func(other *reservation) bool { return other == r })
}

// find is the reservation that contains p, nil if none does. The caller holds
// mu.
func (a *addressSpace) find(p uintptr) *reservation {
	i := sort.Search(len(a.reservations), func(i int) bool { return a.reservations[i].end() > p })
	if i < len(a.reservations) && a.reservations[i].base <= p {
		return a.reservations[i]
	}
	return nil
}

// first is the number of the first mapping that ends after p.
func (r *reservation) first(p uintptr) int {
	return sort.Search(len(r.mappings), func(i int) bool { return r.mappings[i].end() > p })
}

// overlapping are the numbers of the mappings that the range touches, from low to
// before high.
func (r *reservation) overlapping(p uintptr, size int) (low, high int) {
	low = r.first(p)
	high = low
	for high < len(r.mappings) && r.mappings[high].base < p+uintptr(size) {
		high++
	}
	return low, high
}

// mapping is what is mapped at p, nil if nothing is. The caller holds mu.
func (a *addressSpace) mapping(p uintptr) *mapping {
	r := a.find(p)
	if r == nil {
		return nil
	}
	if i := r.first(p); i < len(r.mappings) && r.mappings[i].base <= p {
		return r.mappings[i]
	}
	return nil
}

// whole are the mappings that make up exactly the range, nil if they do not
// fill it or stick out of it. The caller holds mu.
func (r *reservation) whole(p uintptr, size int) []*mapping {
	low := r.first(p)
	high, at := low, p
	for at < p+uintptr(size) && high < len(r.mappings) && r.mappings[high].base == at {
		at = r.mappings[high].end()
		high++
	}
	if at != p+uintptr(size) {
		return nil
	}
	return r.mappings[low:high]
}

// info describes what is mapped at p. To CUDA the range is the whole reservation,
// however little of it is mapped.
func (a *addressSpace) info(p Ptr) api.PointerInfo {
	a.mu.RLock()
	defer a.mu.RUnlock()
	m := a.mapping(uintptr(p))
	if m == nil {
		return unregistered
	}
	info := api.PointerInfo{Type: api.MemoryDevice, Device: m.device.info.Ordinal, Base: Ptr(m.base), Size: m.size}
	if r := a.find(uintptr(p)); r.alias == nil {
		info.Base, info.Size = Ptr(r.base), r.size
	}
	return info
}
