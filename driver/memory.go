package driver

import (
	"fmt"
	"unsafe"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Ptr is an address that a device understands. The zero Ptr is nil.
type Ptr = api.Ptr

// PointerInfo is what the driver knows about an address.
type PointerInfo = api.PointerInfo

// MemoryType is where an address lives.
type MemoryType = api.MemoryType

// The memory types.
const (
	MemoryUnregistered = api.MemoryUnregistered
	MemoryHost         = api.MemoryHost
	MemoryDevice       = api.MemoryDevice
	MemoryManaged      = api.MemoryManaged
)

// MemAlloc allocates size bytes of device memory, aligned to at least 256. It
// is slow (46 µs to 585 µs for an allocation with its release on an H200) and
// may wait for the device.
func (d *Device) MemAlloc(size int) (Ptr, error) {
	return d.allocate("Device.MemAlloc", size, func() (Ptr, error) { return d.raw.MemAlloc(size) })
}

// MemAllocManaged allocates size bytes that the host and every device can use,
// attached globally. Devices without managed memory answer ErrNotSupported.
func (d *Device) MemAllocManaged(size int) (Ptr, error) {
	return d.allocate("Device.MemAllocManaged", size, func() (Ptr, error) { return d.raw.MemAllocManaged(size) })
}

// MemHostAlloc allocates size bytes of pinned host memory, which every device
// can use at the same address. See HostView.
func (d *Device) MemHostAlloc(size int) (Ptr, error) {
	return d.allocate("Device.MemHostAlloc", size, func() (Ptr, error) {
		return d.raw.MemHostAlloc(size, api.HostPortable|api.HostDeviceMapped)
	})
}

func (d *Device) allocate(call string, size int, f func() (Ptr, error)) (Ptr, error) {
	if size <= 0 {
		return 0, badSize(call, size)
	}
	if err := d.enter(call); err != nil {
		return 0, err
	}
	defer d.drv.gate.leave()
	return f()
}

func badSize(call string, size int) error {
	return badArgument(call, "the size is %d bytes: it must be positive", size)
}

// MemFree frees device or managed memory. It may wait for work on the device.
func (d *Device) MemFree(p Ptr) error {
	if err := d.enter("Device.MemFree"); err != nil {
		return err
	}
	defer d.drv.gate.leave()
	return d.raw.MemFree(p)
}

// MemHostFree frees pinned host memory. It may wait for work on the device.
func (d *Device) MemHostFree(p Ptr) error {
	if err := d.enter("Device.MemHostFree"); err != nil {
		return err
	}
	defer d.drv.gate.leave()
	return d.raw.MemHostFree(p)
}

// PointerInfo says what the driver knows about an address: MemoryUnregistered,
// without an error, if nothing.
func (d *Device) PointerInfo(p Ptr) (PointerInfo, error) {
	if err := d.enter("Device.PointerInfo"); err != nil {
		return PointerInfo{}, err
	}
	defer d.drv.gate.leave()
	return d.raw.PointerInfo(p)
}

// HostView is pinned or managed memory as a Go slice of n bytes. The slice must
// not be used after the memory is freed, and only while no work on a device is
// using it: synchronise first. Managed memory of a device without concurrent
// access is refused (ErrNotSupported), because touching it while any kernel
// runs kills the process.
func (d *Device) HostView(p Ptr, n int) ([]byte, error) {
	info, err := d.PointerInfo(p)
	if err != nil {
		return nil, err
	}
	if err := d.hostAccessible(info, p, n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, nil
	}
	address := uintptr(p)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n), nil
}

// hostAccessible checks that the host may touch n bytes at p.
func (d *Device) hostAccessible(info PointerInfo, p Ptr, n int) error {
	const call = "Device.HostView"
	if info.Type != MemoryHost && info.Type != MemoryManaged {
		return badArgument(call, "%v is %v memory: only pinned and managed memory can be viewed from the host", p, info.Type)
	}
	if info.Size == 0 {
		return &UnsupportedError{Feature: "a host view", Reason: fmt.Sprintf("the backend %s does not say how large the allocation at %v is: copy the memory instead, or use driver.CUDA", d.drv.backend.Name(), p)}
	}
	if n < 0 || n > info.Size-int(p-info.Base) {
		return badArgument(call, "%d bytes at %v do not lie in the allocation of %d bytes at %v", n, p, info.Size, info.Base)
	}
	if info.Type == MemoryHost {
		return nil
	}
	ok, err := d.Has(AttrConcurrentManagedAccess)
	if err == nil && !ok {
		err = &UnsupportedError{Feature: "a host view of managed memory", Reason: fmt.Sprintf("%v has no concurrent managed access: copy the memory instead", d)}
	}
	return err
}

// MemAllocAsync allocates size bytes from the device's current memory pool,
// usable by work on the stream from here on. A closed stream is
// ErrStreamClosed.
func (s *Stream) MemAllocAsync(size int) (Ptr, error) {
	if size <= 0 {
		return 0, badSize("Stream.MemAllocAsync", size)
	}
	if err := s.enter("Stream.MemAllocAsync"); err != nil {
		return 0, err
	}
	p, err := s.dev.raw.MemAllocAsync(size, s.raw)
	s.gate.leave()
	return p, err
}

// MemFreeAsync frees memory once earlier work on the stream is complete. On a
// closed stream it is freed once the work enqueued before Close is complete.
func (s *Stream) MemFreeAsync(p Ptr) error {
	const call = "Stream.MemFreeAsync"
	if s == nil {
		return badArgument(call, "the stream is nil")
	}
	if !s.gate.enter() {
		return s.dev.afterlife.after(s, call, func(raw api.Stream) error { return s.dev.raw.MemFreeAsync(p, raw) })
	}
	err := s.dev.raw.MemFreeAsync(p, s.raw)
	s.gate.leave()
	return err
}
