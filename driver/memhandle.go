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

// Shareable is an exported handle: a file descriptor (the receiver owns it) or
// the 64 bytes of a fabric handle.
type Shareable = api.Shareable

// MemHandle is physical memory of a device, to be mapped at an address.
type MemHandle struct {
	dev  *Device
	raw  api.MemHandle
	size int
	gate gate
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
	h := &MemHandle{dev: d, size: size, gate: newGate()}
	if err := d.register(call); err != nil {
		return nil, err
	}
	err := d.virtual(call, func(vm api.VirtualMemory) (err error) {
		h.raw, err = f(vm)
		return err
	})
	if err != nil {
		d.drv.open.Add(-1)
		return nil, err
	}
	return h, nil
}

// Device is the device whose memory it is.
func (h *MemHandle) Device() *Device { return h.dev }

// Size is the size of the physical memory in bytes.
func (h *MemHandle) Size() int { return h.size }

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

// Release gives the handle up: the memory stays where it is mapped, and goes
// back to the device once it is mapped nowhere. A second Release is ErrClosed.
func (h *MemHandle) Release() error {
	const call = "MemHandle.Release"
	if h == nil {
		return nilMemHandle(call)
	}
	if !h.gate.shut() {
		return h.releasedError(call)
	}
	defer h.dev.drv.open.Add(-1)
	return h.dev.virtual(call, func(vm api.VirtualMemory) error { return vm.MemRelease(h.raw) })
}

// virtual calls f while the handle is held open.
func (h *MemHandle) virtual(call string, f func(api.VirtualMemory) error) error {
	if h == nil {
		return nilMemHandle(call)
	}
	if !h.gate.enter() {
		return h.releasedError(call)
	}
	defer h.gate.leave()
	return h.dev.virtual(call, f)
}

func (h *MemHandle) releasedError(call string) error {
	return fmt.Errorf("%s: the memory handle is %w", call, ErrClosed)
}

func nilMemHandle(call string) error {
	return badArgument(call, "the memory handle is nil: make one with Device.MemCreate")
}
