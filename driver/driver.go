package driver

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/internal/cuda"
	"github.com/rmm-go/rmm-go/driver/internal/cudart"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// Library is a shared library that a Driver has loaded.
type Library = api.Library

// Driver is an open backend with its devices. A process may hold several.
type Driver struct {
	backend api.Backend
	gate    gate
	open    atomic.Int64 // streams, events, … from before they are made until they are closed; far below 0 once the driver is

	mu            sync.Mutex // guards devices
	devices       []*Device  // by ordinal; nil until first used
	defaultDevice atomic.Int64
	captures      captures
}

// Open opens a backend. Without a GPU, Auto and CUDA fail with ErrNoDevice or
// ErrLibraryNotFound; the error lists what was tried and how to select the
// simulator. Devices open at first use: no memory is taken on a GPU that the
// program does not touch.
func Open(opts Options) (*Driver, error) {
	kind, err := opts.resolve()
	if err != nil {
		return nil, observeOpen(nil, err)
	}
	backend, err := openBackend(kind, opts)
	if err != nil {
		return nil, observeOpen(nil, err)
	}
	d := &Driver{backend: backend, gate: newGate(), devices: make([]*Device, backend.DeviceCount())}
	return d, observeOpen(d, nil)
}

// resolve settles Auto.
func (o Options) resolve() (Backend, error) {
	if o.Backend != Auto {
		return o.Backend, nil
	}
	kind, err := ParseBackend(os.Getenv("RMM_BACKEND"))
	if err != nil {
		return Auto, fmt.Errorf("read RMM_BACKEND: %w", err)
	}
	if kind == Auto {
		return CUDA, nil
	}
	return kind, nil
}

func openBackend(kind Backend, opts Options) (api.Backend, error) {
	if opts.Machine != nil && kind != Sim {
		return nil, badArgument("driver.Open", "Options.Machine is set but the backend is %v: set Options.Backend to driver.Sim or RMM_BACKEND=sim", kind)
	}
	switch kind {
	case CUDA:
		return opened(cuda.Open(cuda.Options{LibraryPath: opts.LibCUDA}))
	case CUDART:
		return opened(cudart.Open(cudart.Options{LibraryPath: opts.LibCUDART, DriverPath: opts.LibCUDA}))
	case Sim:
		return openSim(opts.Machine)
	}
	return nil, badArgument("driver.Open", "unknown backend %v", kind)
}

// opened adds what a reader on a machine without a GPU wants to know next.
func opened(b api.Backend, err error) (api.Backend, error) {
	if err != nil {
		return nil, fmt.Errorf("open CUDA (to run without a GPU use driver.Options{Backend: driver.Sim} or RMM_BACKEND=sim): %w", err)
	}
	return b, nil
}

func openSim(m *sim.Machine) (api.Backend, error) {
	if m != nil {
		return m, nil
	}
	return sim.New(sim.Config{})
}

// Backend is the backend in use: CUDA, CUDART or Sim.
func (d *Driver) Backend() Backend {
	kind, err := ParseBackend(d.backend.Name())
	if err != nil {
		return Auto
	}
	return kind
}

// Version is the newest CUDA that the GPU driver knows.
func (d *Driver) Version() Version { return Version(d.backend.DriverVersion()) }

// Libraries lists the shared libraries in use and where they were found; empty
// on the simulator.
func (d *Driver) Libraries() []Library { return d.backend.Libraries() }

// DeviceCount is the number of devices, at least 1.
func (d *Driver) DeviceCount() int { return len(d.devices) }

// Device opens device number ordinal (on CUDA: retains its primary context),
// or returns it if it is open. An ordinal out of range is ErrInvalidDevice.
func (d *Driver) Device(ordinal int) (*Device, error) {
	if ordinal < 0 || ordinal >= len(d.devices) {
		return nil, fmt.Errorf("device %d does not exist, there are %d (0 to %d): %w", ordinal, len(d.devices), len(d.devices)-1, ErrInvalidDevice)
	}
	if !d.gate.enter() {
		return nil, d.closedError("Driver.Device")
	}
	defer d.gate.leave()
	d.mu.Lock()
	defer d.mu.Unlock()
	if dev := d.devices[ordinal]; dev != nil {
		return dev, nil
	}
	raw, err := d.backend.Device(ordinal)
	if err != nil {
		return nil, fmt.Errorf("open device %d: %w", ordinal, err)
	}
	d.devices[ordinal] = newDevice(d, raw)
	return d.devices[ordinal], nil
}

// DefaultDevice opens the default device: 0, or what SetDefaultDevice chose.
func (d *Driver) DefaultDevice() (*Device, error) { return d.Device(int(d.defaultDevice.Load())) }

// SetDefaultDevice chooses the device that DefaultDevice opens, for the whole
// process. A device of another Driver is ErrWrongDevice.
func (d *Driver) SetDefaultDevice(dev *Device) error {
	if dev == nil || dev.drv != d {
		return fmt.Errorf("Driver.SetDefaultDevice: %v is not a device of this driver: %w", dev, ErrWrongDevice)
	}
	d.defaultDevice.Store(int64(dev.Ordinal()))
	return nil
}

// Close gives the devices up. While anything made through d is open (streams,
// events, pools, memory handles, modules, graphs) it fails with ErrOutstanding
// and changes nothing. A second Close is ErrClosed.
func (d *Driver) Close() error {
	for !d.open.CompareAndSwap(0, shutBias) {
		if n := d.open.Load(); n > 0 {
			return fmt.Errorf("Driver.Close: %d streams, events, pools, memory handles, modules or graphs are still open, close them first: %w", n, ErrOutstanding)
		} else if n < 0 {
			return d.closedError("Driver.Close")
		}
	}
	d.gate.shut()
	var errs []error
	for _, dev := range d.devices {
		if dev != nil {
			errs = append(errs, dev.close())
		}
	}
	return errors.Join(append(errs, d.backend.Close())...)
}

func (d *Driver) closedError(call string) error {
	return fmt.Errorf("%s: the driver is %w", call, ErrClosed)
}
