package rmm

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// Options says which allocator a program uses. The zero value is plain cuda
// memory on the default device.
type Options struct {
	// Allocator is the name of a memory resource, see AllocatorNames. Default:
	// "cuda".
	Allocator string
	// InitialSize is how many bytes the allocator takes from each device at once.
	// Default: 0. For cuda-async only; see ParseBytes for "1GiB".
	InitialSize int
	// Devices are the ordinals of the devices to set up. Default: the driver's
	// default device.
	Devices []int
	// Driver is the driver whose devices are set up. Default: driver.Default().
	Driver *driver.Driver
}

// devices opens the devices that the options name.
func (o Options) devices() ([]*driver.Device, error) {
	drv := o.Driver
	if drv == nil {
		var err error
		if drv, err = driver.Default(); err != nil {
			return nil, err
		}
	}
	if len(o.Devices) == 0 {
		dev, err := drv.DefaultDevice()
		return []*driver.Device{dev}, err
	}
	var devices []*driver.Device
	for _, ordinal := range o.Devices {
		dev, err := drv.Device(ordinal)
		if err != nil {
			return nil, err
		}
		if slices.Contains(devices, dev) {
			return nil, &driver.ArgumentError{Call: "rmm.Reinitialize", Reason: fmt.Sprintf("Options.Devices names device %d twice", ordinal)}
		}
		devices = append(devices, dev)
	}
	return devices, nil
}

// build makes one resource per device, or none at all.
func (o Options) build(devices []*driver.Device) (resources []mr.Resource, err error) {
	name := o.Allocator
	if name == "" {
		name = allocators[0].name
	}
	for _, dev := range devices {
		r, err := NewAllocator(name, dev, AllocatorOptions{InitialSize: o.InitialSize})
		if err != nil {
			return nil, errors.Join(err, closeAll(resources))
		}
		resources = append(resources, r)
	}
	return resources, nil
}
