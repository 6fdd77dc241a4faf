package cuda

import (
	"math"
	"runtime"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// argumentLists are the void ** that cuLaunchKernel takes: where each argument
// lies. They are pooled, so that a launch allocates nothing.
var argumentLists = sync.Pool{New: func() any { return new([]uintptr) }}

// Launch runs a kernel in s's order. The driver copies the arguments before it
// returns.
func (d *device) Launch(f api.Function, cfg api.LaunchConfig, s api.Stream, params api.Params) error {
	if err := d.checkLaunch(f, cfg, params); err != nil {
		return err
	}
	list := argumentLists.Get().(*[]uintptr)
	err := d.current(&d.b.fn.optional.launchKernel, uintptr(f),
		uintptr(cfg.Grid[0]), uintptr(cfg.Grid[1]), uintptr(cfg.Grid[2]),
		uintptr(cfg.Block[0]), uintptr(cfg.Block[1]), uintptr(cfg.Block[2]),
		uintptr(cfg.SharedMemory), handle(s), fillArguments(list, params), 0)
	runtime.KeepAlive(params.Buf)
	argumentLists.Put(list)
	return err
}

// fillArguments lists where the arguments lie and returns the list's address; 0
// without arguments.
func fillArguments(list *[]uintptr, params api.Params) uintptr {
	*list = (*list)[:0]
	if len(params.Offsets) == 0 {
		return 0
	}
	for _, offset := range params.Offsets {
		*list = append(*list, loader.AddressOf(&params.Buf[offset]))
	}
	return loader.AddressOf(&(*list)[0])
}

// checkLaunch refuses what would make the driver read memory that is not the
// caller's: it believes whatever the argument list says.
func (d *device) checkLaunch(f api.Function, cfg api.LaunchConfig, params api.Params) error {
	p := &d.b.fn.optional.launchKernel
	if cfg.SharedMemory < 0 || cfg.SharedMemory > math.MaxUint32 {
		return d.b.fn.invalid(p, "%d bytes of dynamic shared memory are impossible", cfg.SharedMemory)
	}
	for i, offset := range params.Offsets {
		if offset < 0 || offset >= len(params.Buf) {
			return d.b.fn.invalid(p, "argument %d begins at byte %d of %d", i, offset, len(params.Buf))
		}
	}
	return d.checkParameters(f, params)
}

// checkParameters compares the arguments with what the kernel takes, where that
// is known.
func (d *device) checkParameters(f api.Function, params api.Params) error {
	p := &d.b.fn.optional.launchKernel
	sizes, known := d.b.kernels.parameters(f)
	if !known {
		return nil
	}
	if len(params.Offsets) != len(sizes) {
		return d.b.fn.invalid(p, "%d arguments are given and the kernel takes %d", len(params.Offsets), len(sizes))
	}
	for i, size := range sizes {
		if room := argumentRoom(params, i); room < size {
			return d.b.fn.invalid(p, "argument %d has %d bytes and the kernel's parameter %d: pass a value of the same size", i, room, size)
		}
	}
	return nil
}

// argumentRoom is the number of bytes from an argument to the next one.
func argumentRoom(params api.Params, i int) int {
	begin, end := params.Offsets[i], len(params.Buf)
	if i+1 < len(params.Offsets) && params.Offsets[i+1] > begin {
		end = params.Offsets[i+1]
	}
	return end - begin
}
