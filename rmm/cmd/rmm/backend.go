package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
	"github.com/rmm-go/rmm-go/loader"
)

// backendFlag is --backend; it wins over RMM_BACKEND.
type backendFlag struct{ name string }

func (f *backendFlag) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "backend", "", "auto, cuda, cudart or sim (default: RMM_BACKEND, else auto: the GPU if there is one, else the simulator)")
}

// resolve returns the backend that the flag or the environment asks for.
func (f *backendFlag) resolve() (driver.Backend, error) {
	name := f.name
	if name == "" {
		name = os.Getenv("RMM_BACKEND")
	}
	return driver.ParseBackend(name)
}

// open opens the backend, or for auto on a machine without a GPU the simulator,
// which is then the machine given. The note says in a line what the command runs
// on.
func (f *backendFlag) open(machine *sim.Machine) (drv *driver.Driver, note string, err error) {
	kind, err := f.resolve()
	if err != nil {
		return nil, "", err
	}
	if kind != driver.Auto {
		drv, err = openBackend(kind, machine)
		return drv, describe(drv), err
	}
	drv, err = openBackend(driver.CUDA, machine)
	if err == nil || !meansNoGPU(err) {
		return drv, describe(drv), err
	}
	missing := firstLine(err)
	drv, err = openBackend(driver.Sim, machine)
	return drv, fmt.Sprintf("no GPU here (%s), running on the simulator: figures are not a GPU's", missing), err
}

func openBackend(kind driver.Backend, machine *sim.Machine) (*driver.Driver, error) {
	if kind != driver.Sim {
		machine = nil
	}
	return driver.Open(driver.Options{Backend: kind, Machine: machine})
}

// meansNoGPU tells a machine without CUDA from one where CUDA is broken.
func meansNoGPU(err error) bool {
	return errors.Is(err, driver.ErrNoDevice) || errors.Is(err, driver.ErrLibraryNotFound) || errors.Is(err, loader.ErrNotBuilt)
}

// describe names what a driver runs on.
func describe(drv *driver.Driver) string {
	if drv == nil {
		return ""
	}
	if drv.Backend() == driver.Sim {
		return "running on the simulator: figures are not a GPU's"
	}
	return fmt.Sprintf("running on CUDA %v through the backend %v", drv.Version(), drv.Backend())
}

// firstLine is the innermost reason of an error, in one line.
func firstLine(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(line, ", tried")
}
