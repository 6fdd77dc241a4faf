package cudart

import "github.com/rmm-go/rmm-go/driver/internal/api"

// Memset writes count elements of width bytes. The runtime fills with bytes
// only; wider elements are libcuda's to write.
func (d *device) Memset(p api.Ptr, value uint32, width, count int) error {
	switch width {
	case 1:
		return d.call(&d.b.rt.memset, uintptr(p), uintptr(value), uintptr(count))
	case 2:
		return d.driverCall(&d.b.drv.memset16, uintptr(p), uintptr(value), uintptr(count))
	case 4:
		return d.driverCall(&d.b.drv.memset32, uintptr(p), uintptr(value), uintptr(count))
	}
	return d.refuseWidth(width)
}

// MemsetAsync writes count elements of width bytes in s's order.
func (d *device) MemsetAsync(p api.Ptr, value uint32, width, count int, s api.Stream) error {
	switch width {
	case 1:
		return d.call(&d.b.rt.memsetAsync, uintptr(p), uintptr(value), uintptr(count), handle(s))
	case 2:
		return d.driverCall(&d.b.drv.memset16Async, uintptr(p), uintptr(value), uintptr(count), handle(s))
	case 4:
		return d.driverCall(&d.b.drv.memset32Async, uintptr(p), uintptr(value), uintptr(count), handle(s))
	}
	return d.refuseWidth(width)
}

func (d *device) refuseWidth(width int) error {
	return d.b.invalid(&d.b.rt.memset, "elements of %d bytes cannot be set: use 1, 2 or 4", width)
}
