package mr

import "github.com/rmm-go/rmm-go/driver"

// Current is PerDevice for the default device of driver.Default. It fails if no
// driver can be opened. It is RMM's get_current_device_resource_ref.
func Current() (Resource, error) {
	dev, err := currentDevice()
	if err != nil {
		return nil, err
	}
	return PerDevice(dev), nil
}

// SetCurrent is SetPerDevice for the default device of driver.Default. It is
// RMM's set_current_device_resource.
func SetCurrent(r Resource) (previous Resource, err error) {
	dev, err := currentDevice()
	if err != nil {
		return nil, err
	}
	return SetPerDevice(dev, r)
}

// ResetCurrent is ResetPerDevice for the default device of driver.Default. It is
// RMM's reset_current_device_resource.
func ResetCurrent() (previous Resource, err error) { return SetCurrent(nil) }

func currentDevice() (*driver.Device, error) {
	drv, err := driver.Default()
	if err != nil {
		return nil, err
	}
	return drv.DefaultDevice()
}
