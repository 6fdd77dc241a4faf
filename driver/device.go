package driver

import (
	"errors"
	"fmt"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Device is one GPU.
type Device struct {
	drv        *Driver
	raw        api.Device
	info       api.DeviceInfo
	attributes sync.Map // api.Attribute -> int; they never change

	streams       streamTable
	defaultStream *Stream
	defaultPool   defaultPool
	afterlife     afterlife
	endings       endings
	limbo         keepAlive // Go memory of work on forgotten streams
	poller        poller
}

// Attribute names a property of a device, numbered as CUDA does.
type Attribute = api.Attribute

// The attributes that matter for memory.
const (
	AttrMultiprocessorCount              = api.AttrMultiprocessorCount
	AttrIntegrated                       = api.AttrIntegrated
	AttrUnifiedAddressing                = api.AttrUnifiedAddressing
	AttrComputeCapabilityMajor           = api.AttrComputeCapabilityMajor
	AttrComputeCapabilityMinor           = api.AttrComputeCapabilityMinor
	AttrManagedMemory                    = api.AttrManagedMemory
	AttrPageableMemoryAccess             = api.AttrPageableMemoryAccess
	AttrConcurrentManagedAccess          = api.AttrConcurrentManagedAccess
	AttrVirtualMemoryManagementSupported = api.AttrVirtualMemoryManagementSupported
	AttrMemoryPoolsSupported             = api.AttrMemoryPoolsSupported
	AttrMempoolSupportedHandleTypes      = api.AttrMempoolSupportedHandleTypes
	AttrHandleTypeFabricSupported        = api.AttrHandleTypeFabricSupported
)

func newDevice(drv *Driver, raw api.Device) *Device {
	dev := &Device{drv: drv, raw: raw, info: raw.Info()}
	dev.defaultStream = newStream(dev, api.StreamLegacy, defaultStream)
	dev.streams.current = map[api.Stream]*Stream{api.StreamLegacy: dev.defaultStream}
	return dev
}

// Driver is the driver that opened the device.
func (d *Device) Driver() *Driver { return d.drv }

// Ordinal is the device's number, from 0.
func (d *Device) Ordinal() int { return d.info.Ordinal }

// Name is the product name: "NVIDIA H200".
func (d *Device) Name() string { return d.info.Name }

// UUID identifies the GPU as nvidia-smi prints it: "GPU-xxxxxxxx-xxxx-…".
func (d *Device) UUID() string {
	u := d.info.UUID
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:16])
}

// TotalMemory is the size of the device's memory in bytes.
func (d *Device) TotalMemory() int { return d.info.TotalMemory }

// String names the device in messages: "device 0 (NVIDIA H200)".
func (d *Device) String() string {
	if d == nil {
		return "no device"
	}
	return fmt.Sprintf("device %d (%s)", d.info.Ordinal, d.info.Name)
}

// Attribute asks the driver once and remembers the answer.
func (d *Device) Attribute(a Attribute) (int, error) {
	if d == nil {
		return 0, nilDevice("Device.Attribute")
	}
	if v, ok := d.attributes.Load(a); ok {
		return v.(int), nil
	}
	if err := d.enter("Device.Attribute"); err != nil {
		return 0, err
	}
	defer d.drv.gate.leave()
	v, err := d.raw.Attribute(a)
	if err != nil {
		return 0, err
	}
	d.attributes.Store(a, v)
	return v, nil
}

// Has reports whether a capability attribute is non-zero. A driver too old to
// know the attribute lacks the capability.
func (d *Device) Has(a Attribute) (bool, error) {
	if d == nil {
		return false, nilDevice("Device.Has")
	}
	v, err := d.Attribute(a)
	if errors.Is(err, ErrInvalidValue) {
		return false, nil
	}
	return v != 0, err
}

// ComputeCapability is the architecture version: 9, 0 for Hopper.
func (d *Device) ComputeCapability() (major, minor int, err error) {
	if major, err = d.Attribute(AttrComputeCapabilityMajor); err != nil {
		return 0, 0, err
	}
	minor, err = d.Attribute(AttrComputeCapabilityMinor)
	return major, minor, err
}

// MemInfo returns the free and total bytes of the device's memory now.
func (d *Device) MemInfo() (free, total int, err error) {
	if err := d.enter("Device.MemInfo"); err != nil {
		return 0, 0, err
	}
	defer d.drv.gate.leave()
	return d.raw.MemInfo()
}

// Synchronize blocks until all work of the device's context is complete.
func (d *Device) Synchronize() error {
	if err := d.enter("Device.Synchronize"); err != nil {
		return err
	}
	defer d.drv.gate.leave()
	mark := d.limbo.mark()
	err := d.raw.Synchronize()
	if err == nil {
		d.limbo.release(mark)
	}
	return err
}

// enter holds the driver open for one call; the caller leaves d.drv.gate.
func (d *Device) enter(call string) error {
	if d == nil {
		return nilDevice(call)
	}
	if !d.drv.gate.enter() {
		return d.drv.closedError(call)
	}
	return nil
}

func nilDevice(call string) error {
	return badArgument(call, "the device is nil: use Driver.Device or Driver.DefaultDevice")
}

// register counts an object that is about to be made, so that Driver.Close does
// not come between. Closing the object takes it off d.drv.open again.
func (d *Device) register(call string) error {
	if d == nil {
		return nilDevice(call)
	}
	if d.drv.open.Add(1) > 0 {
		return nil
	}
	d.drv.open.Add(-1)
	return d.drv.closedError(call)
}

// sameDriver refuses to mix the devices of two Drivers: their handles may mean
// nothing to each other's backend.
func (d *Device) sameDriver(call string, other *Device) error {
	if d.drv == other.drv {
		return nil
	}
	return fmt.Errorf("%s: %v of one Driver was mixed with %v of another: %w", call, other, d, ErrWrongDevice)
}

// close runs once the driver's gate is shut.
func (d *Device) close() error {
	d.defaultStream.gate.shut()
	d.defaultPool.close()
	d.streams.close()
	return errors.Join(d.raw.Synchronize(), d.endings.destroy(d.raw), d.afterlife.close(d))
}
