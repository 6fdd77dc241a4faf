package cuda

import (
	"errors"
	"fmt"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// minimumVersion is the oldest CUDA that a driver may be for: 11.4.
const minimumVersion = 11040

// Options configure Open.
type Options struct {
	// LibraryPath is the exact file of libcuda; empty: loader's search.
	LibraryPath string
}

// backend is the driver API of one loaded libcuda.
type backend struct {
	fn       functions
	library  api.Library
	count    int
	kernels  kernelParameters
	captures capturedFuncs

	mu      sync.Mutex // guards devices
	devices []*device  // by ordinal; nil until opened
}

// Open loads libcuda and initialises it. The error is a *loader.SearchError
// without the library, api.ErrNoDevice without a GPU, api.ErrNotSupported with a
// driver older than CUDA 11.4 or in a program built without CUDA.
func Open(opts Options) (api.Backend, error) {
	lib, err := loader.Open(loader.CUDA(), opts.LibraryPath)
	if errors.Is(err, loader.ErrNotBuilt) {
		return nil, &api.UnsupportedError{Feature: "the CUDA driver", Reason: err.Error(), Cause: err}
	}
	if err != nil {
		return nil, err
	}
	if err := checkVersion(lib.Version(), lib.Path()); err != nil {
		return nil, err
	}
	b := &backend{library: api.Library{Name: lib.Name(), Path: lib.Path(), Source: lib.Source(), Version: lib.Version()}}
	if err := lib.Bind(b.fn.table()); err != nil {
		return nil, err
	}
	return b.start()
}

// checkVersion refuses drivers that lack functions this backend is built on.
func checkVersion(version int, path string) error {
	if version >= minimumVersion {
		return nil
	}
	return &api.UnsupportedError{
		Feature: "the GPU driver " + path,
		Reason: fmt.Sprintf("it is for CUDA %s and CUDA %s or newer is needed: update the driver",
			versionText(version), versionText(minimumVersion)),
	}
}

func versionText(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// start initialises the driver and counts its devices.
func (b *backend) start() (api.Backend, error) {
	if err := b.call(&b.fn.init, 0); err != nil {
		return nil, b.explain(err)
	}
	count, err := b.callOut(&b.fn.deviceGetCount)
	if err == nil && count == 0 {
		err = b.fn.failure(&b.fn.deviceGetCount, api.CodeNoDevice, nil)
	}
	if err != nil {
		return nil, b.explain(err)
	}
	b.count = int(count)
	b.devices = make([]*device, b.count)
	b.kernels, b.captures = newKernelParameters(), newCapturedFuncs()
	return b, nil
}

// explain adds what a reader of "no device" wants to know next.
func (b *backend) explain(err error) error {
	var failure *api.Error
	if errors.As(err, &failure) && errors.Is(err, api.ErrNoDevice) {
		failure.Detail = fmt.Sprintf("%s (CUDA %s) is loaded but sees no GPU: check nvidia-smi, CUDA_VISIBLE_DEVICES and the container's device options",
			b.library.Path, versionText(b.library.Version))
	}
	return err
}

// Name is "cuda".
func (b *backend) Name() string { return "cuda" }

// DriverVersion is the CUDA version of the loaded driver.
func (b *backend) DriverVersion() int { return b.library.Version }

// Libraries lists libcuda.
func (b *backend) Libraries() []api.Library { return []api.Library{b.library} }

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
		name, message := b.fn.describe(api.CodeInvalidDevice)
		return nil, &api.Error{Call: b.fn.deviceGet.Name(), Code: api.CodeInvalidDevice, Name: name, Message: message,
			Detail: fmt.Sprintf("there is no device %d, there are %d", ordinal, b.count)}
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

// Close releases the primary contexts. Memory that is still allocated lives on
// if somebody else in the process retains them too.
func (b *backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for i, d := range b.devices {
		if d != nil {
			errs = append(errs, b.call(&b.fn.primaryCtxRelease, d.id))
			b.devices[i] = nil
		}
	}
	return errors.Join(errs...)
}

// call calls a function that takes no notice of contexts.
func (b *backend) call(p *loader.Proc, args ...uintptr) error {
	f := loader.Acquire()
	code, err := f.Call(p, args...)
	f.Release()
	return b.fn.check(p, code, err)
}

// callOut is call for a function that writes its result through its first
// parameter, which args leave out.
func (b *backend) callOut(p *loader.Proc, args ...uintptr) (uint64, error) {
	f := loader.Acquire()
	f.SetOut(args...)
	code, err := f.Invoke(p)
	out := f.Word(0)
	f.Release()
	return out, b.fn.check(p, code, err)
}
