package driver

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Dim is the extent of a grid or block in three dimensions. A zero counts as 1.
type Dim struct{ X, Y, Z int }

// LaunchConfig is the shape of a kernel launch.
type LaunchConfig struct {
	// Grid is the number of blocks, Block the number of threads in each.
	Grid, Block Dim
	// SharedMemory is the dynamic shared memory of each block in bytes. Default: 0.
	SharedMemory int
}

// Launch runs a kernel on the stream. Arguments are passed by value: Ptr,
// integers and floats of fixed size, bool, and arrays and structs of those
// without padding between fields. Their types must be those of the kernel's
// parameters; their number is checked where the driver knows it (CUDA 12.4).
func (s *Stream) Launch(f *Function, cfg LaunchConfig, args ...any) error {
	const call = "Stream.Launch"
	if f == nil {
		return badArgument(call, "the function is nil: get one from Module.Function")
	}
	shape, err := cfg.raw(call)
	if err != nil {
		return err
	}
	params, err := encodeArguments(call, args)
	if err != nil {
		return err
	}
	if err := s.enter(call); err != nil {
		return err
	}
	defer s.gate.leave()
	if err := f.module.enter(call); err != nil {
		return err
	}
	defer f.module.gate.leave()
	if s.dev != f.module.dev {
		return wrongDevice(call, s.String(), s.dev, f.module.dev)
	}
	err = with(s.dev, call, func(k api.Kernels) error { return k.Launch(f.raw, shape, s.raw, params) })
	if err != nil {
		return fmt.Errorf("launch %s: %w", f.name, err)
	}
	return nil
}

func (c LaunchConfig) raw(call string) (api.LaunchConfig, error) {
	grid, gridOK := c.Grid.raw()
	block, blockOK := c.Block.raw()
	if !gridOK || !blockOK || c.SharedMemory < 0 {
		return api.LaunchConfig{}, badArgument(call, "the configuration %+v has a negative or too large number", c)
	}
	return api.LaunchConfig{Grid: grid, Block: block, SharedMemory: c.SharedMemory}, nil
}

func (d Dim) raw() (out [3]uint32, ok bool) {
	for i, n := range []int{d.X, d.Y, d.Z} {
		if n < 0 || n > 1<<31-1 {
			return out, false
		}
		out[i] = uint32(max(n, 1))
	}
	return out, true
}
