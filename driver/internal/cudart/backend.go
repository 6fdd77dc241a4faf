package cudart

import (
	"errors"
	"fmt"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// backend is the runtime API of one loaded libcudart.
type backend struct {
	rt        runtimeAPI
	drv       driverAPI
	libraries []api.Library // libcudart, libcuda
	count     int

	mu      sync.Mutex // guards devices
	devices []*device  // by ordinal; nil until opened
}

// Name is "cudart".
func (b *backend) Name() string { return "cudart" }

// DriverVersion is the CUDA version of the loaded driver.
func (b *backend) DriverVersion() int { return b.libraries[1].Version }

// Libraries lists libcudart and libcuda.
func (b *backend) Libraries() []api.Library { return append([]api.Library(nil), b.libraries...) }

// DeviceCount is the number of visible devices.
func (b *backend) DeviceCount() int { return b.count }

// Device retains the primary context of a device at its first use.
func (b *backend) Device(ordinal int) (api.Device, error) {
	d, err := b.device(ordinal)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (b *backend) device(ordinal int) (*device, error) {
	if ordinal < 0 || ordinal >= b.count {
		failure := b.failure(&b.drv.deviceGet, api.CodeInvalidDevice)
		failure.Detail = fmt.Sprintf("there is no device %d, there are %d", ordinal, b.count)
		return nil, failure
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.devices[ordinal] == nil {
		d, err := b.open(ordinal)
		if err != nil {
			return nil, err
		}
		b.devices[ordinal] = d
	}
	return b.devices[ordinal], nil
}

// Close releases the primary contexts. The runtime may keep those that it has
// worked in until the process ends.
func (b *backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for i, d := range b.devices {
		if d != nil {
			errs = append(errs, b.driver(&b.drv.primaryCtxRelease, d.id))
			b.devices[i] = nil
		}
	}
	return errors.Join(errs...)
}

// takesLocations reports whether the runtime names places of managed memory by
// cudaMemLocation.
func (b *backend) takesLocations() bool { return b.libraries[0].Version >= cuda13 }
