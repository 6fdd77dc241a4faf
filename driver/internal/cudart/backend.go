package cudart

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// minimumDriver is the oldest CUDA that a driver may be for: 11.4.
const minimumDriver = 11040

// codeInsufficientDriver is cudaErrorInsufficientDriver.
const codeInsufficientDriver = 35

// Options configure Open.
type Options struct {
	// LibraryPath is the exact file of libcudart; empty: loader's search.
	LibraryPath string
	// DriverPath is the exact file of libcuda; empty: loader's search.
	DriverPath string
}

// backend is the runtime API of one loaded libcudart.
type backend struct {
	rt        runtimeAPI
	drv       driverAPI
	libraries []api.Library // libcudart, libcuda
	count     int

	mu      sync.Mutex // guards devices
	devices []*device  // by ordinal; nil until opened
}

// Open loads libcuda and libcudart. The error is a *loader.SearchError without
// one of them, api.ErrNoDevice without a GPU, api.ErrNotSupported with a driver
// that is older than CUDA 11.4 or too old for libcudart, and in a program built
// without CUDA.
func Open(opts Options) (api.Backend, error) {
	// libcuda first: libcudart looks for libcuda.so.1 by itself at its first
	// call, and finds the one that the process has loaded.
	driver, err := load(loader.CUDA(), opts.DriverPath)
	if err != nil {
		return nil, err
	}
	if err := checkDriver(driver.Version(), driver.Path()); err != nil {
		return nil, err
	}
	cudart, err := load(loader.CUDART(), opts.LibraryPath)
	if err != nil {
		return nil, err
	}
	b := &backend{libraries: []api.Library{describe(cudart), describe(driver)}}
	if err := errors.Join(driver.Bind(b.drv.table()), cudart.Bind(b.rt.table(cudart.Version()))); err != nil {
		return nil, err
	}
	return b.start()
}

func load(spec loader.Spec, path string) (*loader.Library, error) {
	lib, err := loader.Open(spec, path)
	if errors.Is(err, loader.ErrNotBuilt) {
		return nil, &api.UnsupportedError{Feature: "the CUDA runtime", Reason: err.Error()}
	}
	return lib, err
}

func describe(lib *loader.Library) api.Library {
	return api.Library{Name: lib.Name(), Path: lib.Path(), Source: lib.Source(), Version: lib.Version()}
}

// checkDriver refuses drivers that lack functions this backend is built on.
func checkDriver(version int, path string) error {
	if version >= minimumDriver {
		return nil
	}
	return &api.UnsupportedError{
		Feature: "the GPU driver " + path,
		Reason: fmt.Sprintf("it is for CUDA %s and CUDA %s or newer is needed: update the driver",
			versionText(version), versionText(minimumDriver)),
	}
}

func versionText(v int) string {
	if v == 0 {
		return "of an unknown version"
	}
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10)
}

// start counts the devices, which initialises both libraries and makes no
// context.
func (b *backend) start() (api.Backend, error) {
	count, err := b.deviceCount()
	if err == nil && count == 0 {
		err = b.failure(&b.rt.getDeviceCount, api.CodeNoDevice)
	}
	if err != nil {
		return nil, b.explain(err)
	}
	b.count = count
	b.devices = make([]*device, count)
	return b, nil
}

func (b *backend) deviceCount() (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f := loader.Acquire()
	defer f.Release()
	f.SetOut()
	code, err := b.runtimeCall(f, &b.rt.getDeviceCount)
	return int(f.Int32(0)), b.check(&b.rt.getDeviceCount, code, err)
}

// explain adds what a reader wants to know next.
func (b *backend) explain(err error) error {
	var failure *api.Error
	if !errors.As(err, &failure) {
		return err
	}
	cudart, driver := b.libraries[0], b.libraries[1]
	switch failure.Code {
	case codeInsufficientDriver:
		return &api.UnsupportedError{
			Feature: fmt.Sprintf("%s (CUDA %s)", cudart.Path, versionText(cudart.Version)),
			Reason: fmt.Sprintf("the GPU driver %s is for CUDA %s and too old for it: update the driver, or use an older libcudart (RMM_LIBCUDART)",
				driver.Path, versionText(driver.Version)),
		}
	case api.CodeNoDevice:
		failure.Detail = fmt.Sprintf("%s and %s (CUDA %s) are loaded but see no GPU: check nvidia-smi, CUDA_VISIBLE_DEVICES and the container's device options",
			cudart.Path, driver.Path, versionText(driver.Version))
	}
	return err
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

// Close releases the primary contexts. The runtime retains those that it has
// worked in by itself, until the process ends.
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
