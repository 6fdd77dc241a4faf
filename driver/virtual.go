package driver

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// HandleType is a way to export memory to another process.
type HandleType = api.HandleType

// The handle types.
const (
	HandleNone    = api.HandleNone
	HandlePosixFD = api.HandlePosixFD
	HandleWin32   = api.HandleWin32
	HandleFabric  = api.HandleFabric
)

// Access is what a device may do with a range of memory.
type Access = api.Access

// The kinds of access.
const (
	AccessNone      = api.AccessNone
	AccessRead      = api.AccessRead
	AccessReadWrite = api.AccessReadWrite
)

// Shareable is an exported handle: a file descriptor (the receiver owns it) or
// the 64 bytes of a fabric handle.
type Shareable = api.Shareable

// MemHandle is physical memory of a device, to be mapped at an address.
type MemHandle struct {
	dev  *Device
	raw  api.MemHandle
	size int
}

// Size is the size of the physical memory in bytes.
func (h *MemHandle) Size() int { return h.size }

// virtual calls f with the backend's virtual memory management, if the device
// has it.
func (d *Device) virtual(call string, f func(api.VirtualMemory) error) error {
	return with(d, call, func(vm api.VirtualMemory) error {
		ok, err := d.Has(AttrVirtualMemoryManagementSupported)
		if err != nil {
			return err
		}
		if !ok {
			return &UnsupportedError{Feature: call, Reason: fmt.Sprintf("%v has no virtual memory management", d)}
		}
		return f(vm)
	})
}

// MemGranularity is the unit, in bytes, of the sizes and addresses of virtual
// memory that can be exported as handles says (2 MiB on most GPUs).
func (d *Device) MemGranularity(handles HandleType) (size int, err error) {
	err = d.virtual("Device.MemGranularity", func(vm api.VirtualMemory) (err error) {
		size, err = vm.MemGranularity(true, handles)
		return err
	})
	return size, err
}

// MemAddressReserve reserves size bytes of addresses, without memory behind
// them; size is a multiple of the granularity, align a power of two or 0 for
// the granularity.
func (d *Device) MemAddressReserve(size, align int) (p Ptr, err error) {
	const call = "Device.MemAddressReserve"
	if size <= 0 {
		return 0, badSize(call, size)
	}
	if align < 0 || align&(align-1) != 0 {
		return 0, badArgument(call, "the alignment is %d: it must be a power of two, or 0", align)
	}
	err = d.virtual(call, func(vm api.VirtualMemory) (err error) {
		p, err = vm.MemAddressReserve(size, align)
		return err
	})
	return p, err
}

// MemAddressFree gives up a whole reservation. Nothing may be mapped in it.
func (d *Device) MemAddressFree(p Ptr, size int) error {
	return d.virtual("Device.MemAddressFree", func(vm api.VirtualMemory) error { return vm.MemAddressFree(p, size) })
}

// MemCreate takes size bytes of physical memory from the device; size is a
// multiple of the granularity. Release it after use.
func (d *Device) MemCreate(size int, handles HandleType) (*MemHandle, error) {
	const call = "Device.MemCreate"
	return d.newMemHandle(call, size, func(vm api.VirtualMemory) (api.MemHandle, error) { return vm.MemCreate(size, handles) })
}

// MemImport opens memory of size bytes that another process exported. Release
// it after use.
func (d *Device) MemImport(s Shareable, size int) (*MemHandle, error) {
	const call = "Device.MemImport"
	return d.newMemHandle(call, size, func(vm api.VirtualMemory) (api.MemHandle, error) { return vm.MemImport(s) })
}

func (d *Device) newMemHandle(call string, size int, f func(api.VirtualMemory) (api.MemHandle, error)) (*MemHandle, error) {
	if size <= 0 {
		return nil, badSize(call, size)
	}
	h := &MemHandle{dev: d, size: size}
	err := d.virtual(call, func(vm api.VirtualMemory) (err error) {
		h.raw, err = f(vm)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// virtual refuses a nil handle.
func (h *MemHandle) virtual(call string, f func(api.VirtualMemory) error) error {
	if h == nil {
		return badArgument(call, "the memory handle is nil: make one with Device.MemCreate")
	}
	return h.dev.virtual(call, f)
}

// Release gives the memory up: it goes back to the device once it is mapped
// nowhere. The handle must not be used afterwards.
func (h *MemHandle) Release() error {
	return h.virtual("MemHandle.Release", func(vm api.VirtualMemory) error { return vm.MemRelease(h.raw) })
}

// Map puts the whole of the memory at p, inside a reservation. No device can
// use it there before MemSetAccess.
func (h *MemHandle) Map(p Ptr) error {
	return h.virtual("MemHandle.Map", func(vm api.VirtualMemory) error { return vm.MemMap(p, h.size, 0, h.raw) })
}

// Export makes the memory available to another process; it must have been
// created with the handle type.
func (h *MemHandle) Export(t HandleType) (s Shareable, err error) {
	err = h.virtual("MemHandle.Export", func(vm api.VirtualMemory) (err error) {
		s, err = vm.MemExport(h.raw, t)
		return err
	})
	return s, err
}

// MemUnmap takes the memory away from size bytes of addresses at p. It waits
// for nothing: work that still uses them faults.
func (d *Device) MemUnmap(p Ptr, size int) error {
	return d.virtual("Device.MemUnmap", func(vm api.VirtualMemory) error { return vm.MemUnmap(p, size) })
}

// MemSetAccess lets a device use size mapped bytes at p.
func (d *Device) MemSetAccess(p Ptr, size int, who *Device, access Access) error {
	const call = "Device.MemSetAccess"
	if who == nil {
		return badArgument(call, "the device to give access to is nil")
	}
	return d.virtual(call, func(vm api.VirtualMemory) error { return vm.MemSetAccess(p, size, who.Ordinal(), access) })
}
