package cudart

import (
	"errors"
	"fmt"
	"runtime"

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
		return nil, &api.UnsupportedError{Feature: "the CUDA runtime", Reason: err.Error(), Cause: err}
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
