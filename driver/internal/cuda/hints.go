package cuda

import "github.com/rmm-go/rmm-go/driver/internal/api"

var _ api.ManagedHints = (*device)(nil)

// MemAdvise gives a hint on managed memory. Where the hint concerns no device
// (read-mostly) the driver ignores it.
func (d *device) MemAdvise(p api.Ptr, n int, advice api.Advice, device int) error {
	target, err := d.b.processor(device)
	if err != nil {
		return err
	}
	return d.current(&d.b.fn.optional.memAdvise, uintptr(p), uintptr(n), uintptr(advice), target)
}

// MemRangeAttribute asks for a property of managed memory. Each of them is an
// int in C: a switch, or a device.
func (d *device) MemRangeAttribute(p api.Ptr, n int, a api.RangeAttribute) (int, error) {
	const intSize = 4
	value, err := d.currentOut(&d.b.fn.optional.memRangeAttribute, intSize, uintptr(a), uintptr(p), uintptr(n))
	return int(int32(value)), err
}
