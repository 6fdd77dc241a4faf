package sim

import (
	"bytes"
	"slices"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// The limits of a launch on an H200.
const maxSharedMemory = 48 << 10 // bytes, without opting in to more

var (
	maxGrid  = [3]uint32{1<<31 - 1, 1<<16 - 1, 1<<16 - 1}
	maxBlock = [3]uint32{1024, 1024, 64}
)

// Launch runs the Go function that stands for the kernel when it is the stream's
// turn. The arguments are copied at the call.
func (d *device) Launch(handle api.Function, cfg api.LaunchConfig, s api.Stream, params api.Params) error {
	const call = "cuLaunchKernel"
	if err := d.enter(call); err != nil {
		return err
	}
	f, err := d.function(call, handle)
	if err != nil {
		return err
	}
	if err := d.checkShape(call, cfg); err != nil {
		return err
	}
	if err := f.checkArguments(call, params); err != nil {
		return err
	}
	params = api.Params{Buf: bytes.Clone(params.Buf), Offsets: slices.Clone(params.Offsets)}
	_, err = d.submit(call, s, func() (work, error) {
		return func(act *checker.Act) {
			k := &Kernel{Grid: cfg.Grid, Block: cfg.Block, SharedMemory: cfg.SharedMemory, name: f.name, device: d, params: params, act: act}
			d.machine.graph.callbacks.run(func() { f.run(k) })
		}, nil
	})
	return err
}

func (d *device) function(call string, handle api.Function) (*function, error) {
	m := d.machine.modules
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.functions.get(uintptr(handle))
	if f == nil || f.module.device != d {
		return nil, fail(call, api.CodeInvalidHandle, "%#x is not a kernel of device %d, or its module was unloaded", uintptr(handle), d.info.Ordinal)
	}
	return f, nil
}

func (d *device) checkShape(call string, cfg api.LaunchConfig) error {
	for i := range 3 {
		if cfg.Grid[i] == 0 || cfg.Block[i] == 0 || cfg.Grid[i] > maxGrid[i] || cfg.Block[i] > maxBlock[i] {
			return fail(call, api.CodeInvalidValue, "grid %v and block %v: dimensions are at least 1 and at most %v and %v", cfg.Grid, cfg.Block, maxGrid, maxBlock)
		}
	}
	threads := int(cfg.Block[0]) * int(cfg.Block[1]) * int(cfg.Block[2])
	if most, _ := d.attribute(api.AttrMaxThreadsPerBlock); threads > most {
		return fail(call, api.CodeInvalidValue, "block %v has %d threads: at most %d are possible", cfg.Block, threads, most)
	}
	if cfg.SharedMemory < 0 || cfg.SharedMemory > maxSharedMemory {
		return fail(call, api.CodeInvalidValue, "%d bytes of dynamic shared memory: at most %d are possible", cfg.SharedMemory, maxSharedMemory)
	}
	return nil
}

// checkArguments compares the arguments with the parameters in the PTX.
func (f *function) checkArguments(call string, params api.Params) error {
	if len(params.Offsets) != len(f.params) {
		return fail(call, api.CodeInvalidValue, "%s: %d arguments are given and the kernel takes %d", f.name, len(params.Offsets), len(f.params))
	}
	for i, size := range f.params {
		room, ok := argument(params, i)
		if !ok {
			return fail(call, api.CodeInvalidValue, "%s: argument %d begins at byte %d of %d", f.name, i, params.Offsets[i], len(params.Buf))
		}
		if len(room) < size {
			return fail(call, api.CodeInvalidValue, "%s: argument %d has %d bytes and the kernel's parameter %d: pass a value of the same size", f.name, i, len(room), size)
		}
	}
	return nil
}

// argument is the bytes from an argument to the next one.
func argument(params api.Params, i int) (b []byte, ok bool) {
	begin, end := params.Offsets[i], len(params.Buf)
	if begin < 0 || begin >= end {
		return nil, false
	}
	if i+1 < len(params.Offsets) && params.Offsets[i+1] > begin {
		end = min(end, params.Offsets[i+1])
	}
	return params.Buf[begin:end], true
}
