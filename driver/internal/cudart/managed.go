package cudart

import "github.com/rmm-go/rmm-go/driver/internal/api"

// PrefetchAsync moves managed memory to a device, or to the host for -1.
func (d *device) PrefetchAsync(p api.Ptr, n int, toDevice int, s api.Stream) error {
	to, err := d.place(toDevice)
	if err != nil {
		return err
	}
	if d.b.takesLocations() {
		const flags = 0
		return d.call(&d.b.rt.memPrefetch, uintptr(p), uintptr(n), to, flags, handle(s))
	}
	return d.call(&d.b.rt.memPrefetch, uintptr(p), uintptr(n), to, handle(s))
}

// MemAdvise gives a hint on n bytes of managed memory; device -1 is the host.
func (d *device) MemAdvise(p api.Ptr, n int, advice api.Advice, device int) error {
	about, err := d.place(device)
	if err != nil {
		return err
	}
	return d.call(&d.b.rt.memAdvise, uintptr(p), uintptr(n), uintptr(advice), about)
}

// MemRangeAttribute asks about n bytes of managed memory. Every attribute of
// package api is a C int.
func (d *device) MemRangeAttribute(p api.Ptr, n int, a api.RangeAttribute) (int, error) {
	const size = 4
	value, err := d.callOut(&d.b.rt.memRangeAttribute, size, uintptr(a), uintptr(p), uintptr(n))
	return int(int32(value)), err
}
