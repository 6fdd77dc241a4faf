package cuda

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// hostAddress is where b's memory lies; 0 if it is empty.
func hostAddress(b []byte) uintptr {
	if len(b) == 0 {
		return 0
	}
	return loader.AddressOf(&b[0])
}

// MemcpyHtoD copies src to the device.
func (d *device) MemcpyHtoD(dst api.Ptr, src []byte) error {
	err := d.current(&d.b.fn.memcpyHtoD, uintptr(dst), hostAddress(src), uintptr(len(src)))
	runtime.KeepAlive(src)
	return err
}

// MemcpyDtoH fills dst from the device.
func (d *device) MemcpyDtoH(dst []byte, src api.Ptr) error {
	err := d.current(&d.b.fn.memcpyDtoH, hostAddress(dst), uintptr(src), uintptr(len(dst)))
	runtime.KeepAlive(dst)
	return err
}

// MemcpyDtoD copies n bytes within the device.
func (d *device) MemcpyDtoD(dst, src api.Ptr, n int) error {
	return d.current(&d.b.fn.memcpyDtoD, uintptr(dst), uintptr(src), uintptr(n))
}

// MemcpyHtoDAsync copies src in s's order; the caller keeps src reachable and
// unchanged until then.
func (d *device) MemcpyHtoDAsync(dst api.Ptr, src []byte, s api.Stream) error {
	err := d.copyOn(s, &d.b.fn.memcpyHtoDAsync, uintptr(dst), hostAddress(src), uintptr(len(src)), handle(s))
	runtime.KeepAlive(src)
	return err
}

// MemcpyDtoHAsync fills dst in s's order; the caller keeps dst reachable until
// then.
func (d *device) MemcpyDtoHAsync(dst []byte, src api.Ptr, s api.Stream) error {
	err := d.copyOn(s, &d.b.fn.memcpyDtoHAsync, hostAddress(dst), uintptr(src), uintptr(len(dst)), handle(s))
	runtime.KeepAlive(dst)
	return err
}

// MemcpyDtoDAsync copies n bytes in s's order.
func (d *device) MemcpyDtoDAsync(dst, src api.Ptr, n int, s api.Stream) error {
	return d.copyOn(s, &d.b.fn.memcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(n), handle(s))
}

// MemcpyPeerAsync copies n bytes between two devices in s's order.
func (d *device) MemcpyPeerAsync(dst api.Ptr, dstDevice int, src api.Ptr, srcDevice int, n int, s api.Stream) error {
	to, err := d.b.device(dstDevice)
	if err != nil {
		return err
	}
	from, err := d.b.device(srcDevice)
	if err != nil {
		return err
	}
	return d.copyOn(s, &d.b.fn.memcpyPeerAsync,
		uintptr(dst), to.context.Load(), uintptr(src), from.context.Load(), uintptr(n), handle(s))
}

// Memset writes count elements of width bytes.
func (d *device) Memset(p api.Ptr, value uint32, width, count int) error {
	fn := &d.b.fn
	set, err := fn.byWidth(width, &fn.memset8, &fn.memset16, &fn.memset32)
	if err != nil {
		return err
	}
	return d.current(set, uintptr(p), uintptr(value), uintptr(count))
}

// MemsetAsync writes count elements of width bytes in s's order.
func (d *device) MemsetAsync(p api.Ptr, value uint32, width, count int, s api.Stream) error {
	fn := &d.b.fn
	set, err := fn.byWidth(width, &fn.memset8Async, &fn.memset16Async, &fn.memset32Async)
	if err != nil {
		return err
	}
	return d.copyOn(s, set, uintptr(p), uintptr(value), uintptr(count), handle(s))
}

func (fn *functions) byWidth(width int, one, two, four *loader.Proc) (*loader.Proc, error) {
	switch width {
	case 1:
		return one, nil
	case 2:
		return two, nil
	case 4:
		return four, nil
	}
	return nil, fn.invalid(one, "elements of %d bytes cannot be set: use 1, 2 or 4", width)
}

// PrefetchAsync moves managed memory to a device, or to the host for -1.
func (d *device) PrefetchAsync(p api.Ptr, n int, toDevice int, s api.Stream) error {
	target, err := d.b.processor(toDevice)
	if err != nil {
		return err
	}
	return d.copyOn(s, &d.b.fn.memPrefetch, uintptr(p), uintptr(n), target, handle(s))
}
