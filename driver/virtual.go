package driver

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Access is what a device may do with a range of memory.
type Access = api.Access

// The kinds of access.
const (
	AccessNone      = api.AccessNone
	AccessRead      = api.AccessRead
	AccessReadWrite = api.AccessReadWrite
)

func checkAccess(call string, access Access) error {
	switch access {
	case AccessNone, AccessRead, AccessReadWrite:
		return nil
	}
	return badArgument(call, "unknown access %d: use AccessNone, AccessRead or AccessReadWrite", int(access))
}

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

// onRange is virtual for a call on size bytes of addresses.
func (d *Device) onRange(call string, size int, f func(api.VirtualMemory) error) error {
	if size <= 0 {
		return badSize(call, size)
	}
	return d.virtual(call, f)
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
	if align < 0 || align&(align-1) != 0 {
		return 0, badArgument(call, "the alignment is %d: it must be a power of two, or 0", align)
	}
	err = d.onRange(call, size, func(vm api.VirtualMemory) (err error) {
		p, err = vm.MemAddressReserve(size, align)
		return err
	})
	return p, err
}

// MemAddressFree gives up a whole reservation. Nothing may be mapped in it.
func (d *Device) MemAddressFree(p Ptr, size int) error {
	return d.onRange("Device.MemAddressFree", size, func(vm api.VirtualMemory) error { return vm.MemAddressFree(p, size) })
}

// MemUnmap takes the memory away from size bytes of addresses at p. It waits
// for nothing: work that still uses them faults.
func (d *Device) MemUnmap(p Ptr, size int) error {
	return d.onRange("Device.MemUnmap", size, func(vm api.VirtualMemory) error { return vm.MemUnmap(p, size) })
}

// MemSetAccess says what a device may do with size mapped bytes at p.
func (d *Device) MemSetAccess(p Ptr, size int, who *Device, access Access) error {
	const call = "Device.MemSetAccess"
	if who == nil {
		return badArgument(call, "the device to give access to is nil: use Driver.Device")
	}
	if err := checkAccess(call, access); err != nil {
		return err
	}
	return d.onRange(call, size, func(vm api.VirtualMemory) error {
		if err := d.sameDriver(call, who); err != nil {
			return err
		}
		return vm.MemSetAccess(p, size, who.Ordinal(), access)
	})
}
