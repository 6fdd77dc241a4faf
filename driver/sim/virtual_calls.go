package sim

import (
	"slices"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

var _ api.VirtualMemory = (*device)(nil)

// MemGranularity is the same for the minimum and for what is recommended, as on
// an H200.
func (d *device) MemGranularity(_ bool, handles api.HandleType) (int, error) {
	const call = "cuMemGetAllocationGranularity"
	if err := d.enterVirtual(call); err != nil {
		return 0, err
	}
	if err := d.exportable(call, handles); err != nil {
		return 0, err
	}
	return d.machine.config.Granularity, nil
}

func (d *device) MemAddressReserve(size, align int) (api.Ptr, error) {
	const call = "cuMemAddressReserve"
	if err := d.enterVirtual(call); err != nil {
		return 0, err
	}
	if err := d.wholeGranules(call, "size", size); err != nil {
		return 0, err
	}
	if align < 0 || align&(align-1) != 0 {
		return 0, fail(call, api.CodeInvalidValue, "the alignment is %d: it must be a power of two, or 0", align)
	}
	a := &d.machine.space
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.reserve(d, size, uintptr(max(align, d.machine.config.Granularity)))
	if r == nil {
		return 0, fail(call, api.CodeOutOfMemory, "no %d bytes of simulated addresses are free", size)
	}
	return api.Ptr(r.base), nil
}

func (d *device) MemAddressFree(p api.Ptr, size int) error {
	const call = "cuMemAddressFree"
	return d.onReservation(call, p, size, func(r *reservation) error {
		if r.base != uintptr(p) || r.size != size {
			return fail(call, api.CodeInvalidValue, "%d bytes at %v are not the reservation, which has %d bytes at %#x", size, p, r.size, r.base)
		}
		if len(r.mappings) > 0 {
			return fail(call, api.CodeInvalidValue, "memory is still mapped at %#x: unmap it first", r.mappings[0].base)
		}
		d.machine.space.drop(r)
		return nil
	})
}

// onReservation runs f on the reservation that contains the range, with the
// address space locked.
func (d *device) onReservation(call string, p api.Ptr, size int, f func(*reservation) error) error {
	if err := d.enterVirtual(call); err != nil {
		return err
	}
	if err := d.wholeGranules(call, "size", size); err != nil {
		return err
	}
	a := &d.machine.space
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.find(uintptr(p))
	if r == nil || r.alias != nil || size > int(r.end()-uintptr(p)) || int(p)%d.machine.config.Granularity != 0 {
		return fail(call, api.CodeInvalidValue, "%d bytes at %v are not inside a range that MemAddressReserve returned, in whole granules", size, p)
	}
	return f(r)
}

// MemMap maps the beginning of the memory: CUDA does not support an offset, nor
// more than there is.
func (d *device) MemMap(p api.Ptr, size, offset int, h api.MemHandle) error {
	const call = "cuMemMap"
	return d.onReservation(call, p, size, func(r *reservation) error {
		memory := d.machine.physicals.get(uintptr(h))
		switch i := r.first(uintptr(p)); {
		case memory == nil:
			return fail(call, api.CodeInvalidValue, "%#x is no handle of memory, or was released before", uintptr(h))
		case offset != 0 || size > memory.size:
			return fail(call, api.CodeNotSupported, "%d bytes at offset %d of memory of %d bytes: the offset must be 0 and the size at most the memory's", size, offset, memory.size)
		case i < len(r.mappings) && r.mappings[i].base < uintptr(p)+uintptr(size):
			return fail(call, api.CodeInvalidValue, "memory is mapped at %#x already: unmap it first", r.mappings[i].base)
		default:
			memory.refs++
			r.mappings = slices.Insert(r.mappings, i, d.machine.newMapping(uintptr(p), size, memory))
			d.machine.graph.check.Allocated(nil, call, p, size, checker.Mapped)
			return nil
		}
	})
}

func (m *Machine) newMapping(base uintptr, size int, p *physical) *mapping {
	return &mapping{base: base, size: size, device: p.device, at: p.block.base, access: make([]api.Access, len(m.devices)), memory: p}
}

// MemUnmap unmaps what is mapped in the range, which may be nothing, but no part
// of a mapping.
func (d *device) MemUnmap(p api.Ptr, size int) error {
	const call = "cuMemUnmap"
	return d.onReservation(call, p, size, func(r *reservation) error {
		low, high := r.overlapping(uintptr(p), size)
		for _, m := range r.mappings[low:high] {
			if m.base < uintptr(p) || m.end() > uintptr(p)+uintptr(size) {
				return fail(call, api.CodeInvalidValue, "%d bytes at %v contain only a part of the mapping of %d bytes at %#x: unmap the whole of it", size, p, m.size, m.base)
			}
		}
		for _, m := range r.mappings[low:high] {
			m.memory.unref()
			d.machine.graph.check.Freed(nil, call, api.Ptr(m.base), m.size)
		}
		r.mappings = slices.Delete(r.mappings, low, high)
		return nil
	})
}

func notWhole(call string, p api.Ptr, size int) error {
	return fail(call, api.CodeInvalidValue, "%d bytes at %v are not one or more whole mappings without gaps", size, p)
}

func (d *device) MemSetAccess(p api.Ptr, size int, ordinal int, access api.Access) error {
	const call = "cuMemSetAccess"
	return d.onReservation(call, p, size, func(r *reservation) error {
		if err := d.machine.validAccess(call, ordinal, access); err != nil {
			return err
		}
		mappings := r.whole(uintptr(p), size)
		if mappings == nil {
			return notWhole(call, p, size)
		}
		for _, m := range mappings {
			if !d.machine.reaches(d.machine.devices[ordinal], m.device) {
				return fail(call, api.CodeInvalidDevice, "device %d cannot reach memory of device %d: they are no peers", ordinal, m.device.info.Ordinal)
			}
		}
		for _, m := range mappings {
			m.access[ordinal] = access
		}
		return nil
	})
}

// validAccess checks a device and what it is to be allowed.
func (m *Machine) validAccess(call string, ordinal int, access api.Access) error {
	if ordinal < 0 || ordinal >= len(m.devices) {
		return fail(call, api.CodeInvalidDevice, "device %d does not exist, there are %d", ordinal, len(m.devices))
	}
	if access != api.AccessNone && access != api.AccessRead && access != api.AccessReadWrite {
		return fail(call, api.CodeInvalidValue, "access %d: use 0 (none), 1 (read) or 3 (read and write)", access)
	}
	return nil
}
