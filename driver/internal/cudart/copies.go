package cudart

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// cudaMemcpyKind.
const (
	hostToDevice   = 1
	deviceToHost   = 2
	deviceToDevice = 3
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
	err := d.call(&d.b.rt.memcpy, uintptr(dst), hostAddress(src), uintptr(len(src)), hostToDevice)
	runtime.KeepAlive(src)
	return err
}

// MemcpyDtoH fills dst from the device.
func (d *device) MemcpyDtoH(dst []byte, src api.Ptr) error {
	err := d.call(&d.b.rt.memcpy, hostAddress(dst), uintptr(src), uintptr(len(dst)), deviceToHost)
	runtime.KeepAlive(dst)
	return err
}

// MemcpyDtoD copies n bytes within the device.
func (d *device) MemcpyDtoD(dst, src api.Ptr, n int) error {
	return d.call(&d.b.rt.memcpy, uintptr(dst), uintptr(src), uintptr(n), deviceToDevice)
}

// MemcpyHtoDAsync copies src in s's order; the caller keeps src reachable and
// unchanged until then.
func (d *device) MemcpyHtoDAsync(dst api.Ptr, src []byte, s api.Stream) error {
	err := d.call(&d.b.rt.memcpyAsync, uintptr(dst), hostAddress(src), uintptr(len(src)), hostToDevice, handle(s))
	runtime.KeepAlive(src)
	return err
}

// MemcpyDtoHAsync fills dst in s's order; the caller keeps dst reachable until
// then.
func (d *device) MemcpyDtoHAsync(dst []byte, src api.Ptr, s api.Stream) error {
	err := d.call(&d.b.rt.memcpyAsync, hostAddress(dst), uintptr(src), uintptr(len(dst)), deviceToHost, handle(s))
	runtime.KeepAlive(dst)
	return err
}

// MemcpyDtoDAsync copies n bytes in s's order.
func (d *device) MemcpyDtoDAsync(dst, src api.Ptr, n int, s api.Stream) error {
	return d.call(&d.b.rt.memcpyAsync, uintptr(dst), uintptr(src), uintptr(n), deviceToDevice, handle(s))
}

// MemcpyPeerAsync copies n bytes between two devices in s's order. Both are
// opened first, so that their contexts are ones that Close gives up.
func (d *device) MemcpyPeerAsync(dst api.Ptr, dstDevice int, src api.Ptr, srcDevice int, n int, s api.Stream) error {
	for _, ordinal := range [...]int{dstDevice, srcDevice} {
		if _, err := d.b.device(ordinal); err != nil {
			return err
		}
	}
	return d.call(&d.b.rt.memcpyPeerAsync,
		uintptr(dst), uintptr(dstDevice), uintptr(src), uintptr(srcDevice), uintptr(n), handle(s))
}
