package mr

import (
	"errors"
	"fmt"
	"sync"

	"github.com/rmm-go/rmm-go/driver"
)

// perDevice is one device's entry of the registry.
type perDevice struct {
	initial *Cuda
	current Resource
}

// registry holds the per-device resources of the process.
//
// Devices are told apart by identity, so those of two drivers do not collide.
// Whoever adds a device drops the entries of drivers that have been closed:
// what a closed driver leaves behind lasts until then.
var registry = struct {
	sync.Mutex
	devices map[*driver.Device]*perDevice
}{devices: map[*driver.Device]*perDevice{}}

// entry finds or makes the entry of a device. The caller holds the lock.
func entry(call string, dev *driver.Device) (*perDevice, error) {
	if found := registry.devices[dev]; found != nil {
		return found, nil
	}
	initial, err := NewCuda(dev)
	if err != nil {
		return nil, fmt.Errorf("mr.%s: %w", call, err)
	}
	dropClosed()
	added := &perDevice{initial: initial, current: initial}
	registry.devices[dev] = added
	return added, nil
}

func dropClosed() {
	for dev := range registry.devices {
		// An open device is found again at no cost, a closed driver says so.
		if _, err := dev.Driver().Device(dev.Ordinal()); errors.Is(err, driver.ErrClosed) {
			delete(registry.devices, dev)
		}
	}
}

// PerDevice returns the resource that code on a device uses when it is given no
// other: what SetPerDevice set, at first a Cuda. For a nil device it is nil. It
// is RMM's get_per_device_resource_ref.
func PerDevice(dev *driver.Device) Resource {
	registry.Lock()
	defer registry.Unlock()
	e, err := entry("PerDevice", dev)
	if err != nil {
		return nil
	}
	return e.current
}

// SetPerDevice makes r the device's resource and returns the one before, so that
// it can be put back. A nil r resets to the initial Cuda. A resource of another
// device is driver.ErrWrongDevice. What was allocated from the previous resource
// still goes back to it. It is RMM's set_per_device_resource.
func SetPerDevice(dev *driver.Device, r Resource) (previous Resource, err error) {
	const call = "SetPerDevice"
	if err := checkPerDevice(call, dev, r); err != nil {
		return nil, err
	}
	registry.Lock()
	defer registry.Unlock()
	e, err := entry(call, dev)
	if err != nil {
		return nil, err
	}
	previous = e.current
	e.set(r)
	return previous, nil
}

// ReplacePerDevice makes next the device's resource if it is old now, and
// reports whether it was: it undoes one's own SetPerDevice and leaves anybody
// else's alone. A nil next resets, as for SetPerDevice.
func ReplacePerDevice(dev *driver.Device, old, next Resource) (bool, error) {
	const call = "ReplacePerDevice"
	if err := checkPerDevice(call, dev, next); err != nil {
		return false, err
	}
	registry.Lock()
	defer registry.Unlock()
	e, err := entry(call, dev)
	if err != nil || isNil(old) || !same(e.current, old) {
		return false, err
	}
	e.set(next)
	return true, nil
}

// ResetPerDevice goes back to the initial Cuda and returns the resource before.
// It is RMM's reset_per_device_resource.
func ResetPerDevice(dev *driver.Device) (previous Resource, err error) {
	return SetPerDevice(dev, nil)
}

// set puts a resource in force; nil is the initial one.
func (e *perDevice) set(r Resource) {
	if r == nil {
		r = e.initial
	}
	e.current = r
}

// checkPerDevice refuses a resource that does not serve the device. A nil
// interface means the initial one; a nil pointer in it is a mistake.
func checkPerDevice(call string, dev *driver.Device, r Resource) error {
	if r == nil {
		return nil
	}
	if isNil(r) {
		return fmt.Errorf("mr.%s: the resource is a nil %T, check the error of its constructor: %w", call, r, ErrNilResource)
	}
	if has := r.Device(); has != dev {
		return fmt.Errorf("mr.%s: the resource serves %v, not %v: %w", call, has, dev, driver.ErrWrongDevice)
	}
	return nil
}
