package driver

import (
	"fmt"
	"strings"

	"github.com/rmm-go/rmm-go/driver/sim"
)

// Backend names a way to reach devices.
type Backend int

// The backends.
const (
	// Auto reads RMM_BACKEND and takes CUDA when that is unset. It never chooses
	// the simulator by itself.
	Auto Backend = iota
	// CUDA is libcuda, the driver API: it needs nothing but the GPU driver.
	CUDA
	// CUDART is libcudart, the runtime API.
	CUDART
	// Sim is the simulator of package driver/sim.
	Sim
)

var backendNames = []string{Auto: "auto", CUDA: "cuda", CUDART: "cudart", Sim: "sim"}

// String is the name that ParseBackend reads.
func (b Backend) String() string {
	if b < 0 || int(b) >= len(backendNames) {
		return fmt.Sprintf("Backend(%d)", int(b))
	}
	return backendNames[b]
}

// ParseBackend reads auto, cuda, cudart or sim in any case; empty is Auto. The
// error lists the names.
func ParseBackend(name string) (Backend, error) {
	if name == "" {
		return Auto, nil
	}
	for b, n := range backendNames {
		if strings.EqualFold(name, n) {
			return Backend(b), nil
		}
	}
	return Auto, badArgument("ParseBackend", "unknown backend %q: use one of %s", name, strings.Join(backendNames, ", "))
}

// Options says how to reach devices. The zero value opens CUDA, or what
// RMM_BACKEND names.
type Options struct {
	// Backend chooses the backend. Default: Auto.
	Backend Backend
	// LibCUDA is the file to load instead of searching for libcuda. Default:
	// RMM_LIBCUDA, then the search that package loader documents.
	LibCUDA string
	// LibCUDART is the file to load instead of searching for libcudart, which only
	// Backend CUDART needs. Default: RMM_LIBCUDART, then the same search.
	LibCUDART string
	// Machine is the simulated machine to use with Backend Sim (or with Auto and
	// RMM_BACKEND=sim). Default: a new one as sim.Config{} describes it.
	Machine *sim.Machine
}
