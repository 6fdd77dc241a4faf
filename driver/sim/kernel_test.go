package sim_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

const testKernels = `
.version 7.0
.target sm_70
.address_size 64
.visible .entry test_add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) { ret; }
.visible .entry test_run() { ret; }
.visible .entry test_missing(.param .u64 x) { ret; }
`

// kernel stands f for test_run during the test and returns how to launch it.
func (r *rig) kernel(f func(*sim.Kernel)) func(api.Stream) error {
	sim.RegisterKernel("test_run", f)
	r.t.Cleanup(func() { sim.RegisterKernel("test_run", nil) })
	run := r.function("test_run")
	return func(s api.Stream) error {
		return r.Device.(api.Kernels).Launch(run, threads(1), s, api.Params{})
	}
}

// function loads the test kernels for the length of the test.
func (r *rig) function(name string) api.Function {
	k := r.Device.(api.Kernels)
	m, err := k.ModuleLoad([]byte(testKernels))
	require.NoError(r.t, err)
	r.t.Cleanup(func() {
		if r.healthy() {
			require.NoError(r.t, k.ModuleUnload(m))
		}
	})
	f, err := k.ModuleFunction(m, name)
	require.NoError(r.t, err)
	return f
}

// healthy is false after a fault, and after a reset that took the test's things.
func (r *rig) healthy() bool {
	return r.Synchronize() == nil && r.machine.Outstanding()[r.Info().Ordinal].Modules > 0
}

func threads(n uint32) api.LaunchConfig {
	return api.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{n, 1, 1}}
}

// arguments lays values out as kernel arguments.
func arguments(t testing.TB, values ...any) (p api.Params) {
	for _, v := range values {
		if address, ok := v.(api.Ptr); ok {
			v = uint64(address)
		}
		p.Offsets = append(p.Offsets, len(p.Buf))
		var err error
		p.Buf, err = binary.Append(p.Buf, binary.LittleEndian, v)
		require.NoError(t, err)
	}
	return p
}

// add is what test_add does on a GPU.
func add(k *sim.Kernel) {
	var out, a, b sim.Ptr
	var n uint32
	for i, v := range []any{&out, &a, &b, &n} {
		k.Arg(i, v)
	}
	as, bs := sim.Load[float32](k, a, int(n)), sim.Load[float32](k, b, int(n))
	for i := range min(k.Threads(), int(n)) {
		as[i] += bs[i]
	}
	sim.Store(k, out, as...)
}

func registerAdd(t testing.TB) {
	sim.RegisterKernel("test_add", add)
	t.Cleanup(func() { sim.RegisterKernel("test_add", nil) })
}

func TestAKernelRunsInItsStreamsOrder(t *testing.T) {
	r := newRig(t, sim.Config{})
	registerAdd(t)
	f := r.function("test_add")
	const n = 40_000 // more than a page of numbers
	out, a, b := r.alloc(4*n), r.alloc(4*n), r.alloc(4*n)
	s := r.stream(api.StreamNonBlocking)
	release := r.hold(s)
	require.NoError(t, r.MemsetAsync(a, 0x3f800000, 4, n, s)) // 1.0
	require.NoError(t, r.MemsetAsync(b, 0x40000000, 4, n, s)) // 2.0
	params := arguments(t, out, a, b, uint32(n))
	shape := api.LaunchConfig{Grid: [3]uint32{40, 1, 1}, Block: [3]uint32{10, 10, 10}}
	require.NoError(t, r.Device.(api.Kernels).Launch(f, shape, s, params))
	clear(params.Buf) // the launch has copied it
	require.False(t, r.idle(s))
	release()
	got := r.read(out, 4*n, s)
	for i := range n {
		require.EqualValues(t, 0x40400000, binary.LittleEndian.Uint32(got[4*i:])) // 3.0
	}
}

func TestArgumentsOfEveryKind(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2}).on(1)
	type pair struct{ A, B uint16 }
	got := make(chan []any, 1)
	sim.RegisterKernel("test_add", func(k *sim.Kernel) {
		var p sim.Ptr
		var x float64
		var s pair
		var b [4]uint8
		for i, v := range []any{&p, &x, &s, &b} {
			k.Arg(i, v)
		}
		got <- []any{p, x, s, b, k.Grid, k.Block, k.SharedMemory, k.Threads(), k.Device()}
	})
	t.Cleanup(func() { sim.RegisterKernel("test_add", nil) })
	params := arguments(t, api.Ptr(1<<40), 2.5, [4]uint16{3, 4}, [4]uint8{5, 6, 7, 8})
	shape := api.LaunchConfig{Grid: [3]uint32{2, 3, 1}, Block: [3]uint32{4, 1, 2}, SharedMemory: 100}
	require.NoError(t, r.Device.(api.Kernels).Launch(r.function("test_add"), shape, 0, params))
	require.Equal(t, []any{sim.Ptr(1 << 40), 2.5, pair{3, 4}, [4]uint8{5, 6, 7, 8}, shape.Grid, shape.Block, 100, 48, 1}, <-got)
}

func TestModules(t *testing.T) {
	r := newRig(t, sim.Config{})
	k := r.Device.(api.Kernels)
	_, err := k.ModuleLoad([]byte("\x7fELF\x02\x01"))
	code(t, api.CodeNotSupported, "sim.RegisterKernel", err)
	_, err = k.ModuleLoad([]byte("not PTX"))
	code(t, 218, ".version", err)
	m, err := k.ModuleLoad([]byte(testKernels))
	require.NoError(t, err)
	_, err = k.ModuleFunction(m, "other")
	code(t, api.CodeNotFound, "the PTX has no .entry other", err)
	_, err = k.ModuleFunction(m, "test_missing")
	code(t, api.CodeNotFound, `sim.RegisterKernel("test_missing", …)`, err)

	registerAdd(t)
	f, err := k.ModuleFunction(m, "test_add")
	require.NoError(t, err)
	again, err := k.ModuleFunction(m, "test_add")
	require.NoError(t, err)
	require.Equal(t, f, again)
	require.Equal(t, 1, r.machine.Outstanding()[0].Modules)
	require.NoError(t, k.ModuleUnload(m))
	code(t, api.CodeInvalidHandle, "not any more", k.ModuleUnload(m))
	code(t, api.CodeInvalidHandle, "its module was unloaded", k.Launch(f, threads(1), 0, api.Params{}))
}

func TestImpossibleLaunches(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	registerAdd(t)
	k, f := r.Device.(api.Kernels), r.function("test_add")
	good := arguments(t, uint64(0), uint64(0), uint64(0), uint32(0))
	for text, shape := range map[string]api.LaunchConfig{
		"at least 1":                  {Grid: [3]uint32{1, 0, 1}, Block: [3]uint32{1, 1, 1}},
		"grid [1 1 65536]":            {Grid: [3]uint32{1, 1, 65536}, Block: [3]uint32{1, 1, 1}},
		"block [1 1 65]":              {Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 65}},
		"2048 threads":                {Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1024, 2, 1}},
		"49153 bytes of dynamic":      {Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, SharedMemory: 49153},
		"-1 bytes of dynamic shared ": {Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, SharedMemory: -1},
	} {
		code(t, api.CodeInvalidValue, text, k.Launch(f, shape, 0, good))
	}
	code(t, api.CodeInvalidValue, "1 arguments are given and the kernel takes 4", k.Launch(f, threads(1), 0, arguments(t, uint64(0))))
	code(t, api.CodeInvalidValue, "argument 2 has 4 bytes and the kernel's parameter 8", k.Launch(f, threads(1), 0, arguments(t, uint64(0), uint64(0), uint32(0), uint32(0))))
	outside := api.Params{Buf: make([]byte, 32), Offsets: []int{0, 8, 16, 32}}
	code(t, api.CodeInvalidValue, "begins at byte 32 of 32", k.Launch(f, threads(1), 0, outside))
	code(t, api.CodeInvalidHandle, "is not a kernel of device 1", r.device(1).(api.Kernels).Launch(f, threads(1), 0, good))
	code(t, api.CodeInvalidHandle, "not a stream", k.Launch(f, threads(1), 77, good))
}

// TestFaultsStay: what a kernel does wrong is the answer to every later call,
// until a reset.
func TestFaultsStay(t *testing.T) {
	for name, c := range map[string]struct {
		code int
		text string
		do   func(k *sim.Kernel, p sim.Ptr)
	}{
		"read outside":   {700, "is in no live allocation", func(k *sim.Kernel, p sim.Ptr) { sim.Load[byte](k, 64, 1) }},
		"write over":     {700, "do not lie in the allocation of 64 bytes", func(k *sim.Kernel, p sim.Ptr) { sim.Store(k, p+56, uint64(1), 2) }},
		"negative count": {700, "-1 numbers", func(k *sim.Kernel, p sim.Ptr) { sim.Load[byte](k, p, -1) }},
		"misaligned":     {716, "no multiple of 4 bytes", func(k *sim.Kernel, p sim.Ptr) { sim.Load[uint32](k, p+2, 1) }},
		"no argument":    {719, "argument 0 of 0", func(k *sim.Kernel, p sim.Ptr) { k.Arg(0, &p) }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sim.Config{Devices: 2})
			p, err := r.MemAlloc(64)
			require.NoError(t, err)
			other, err := r.StreamCreate(api.StreamNonBlocking, 0)
			require.NoError(t, err)
			launch := r.kernel(func(k *sim.Kernel) { c.do(k, p); t.Error("went on") })
			far := r.on(1)
			q, err := far.MemAlloc(8)
			require.NoError(t, err)
			release := r.hold(0)
			require.NoError(t, launch(0))
			require.NoError(t, r.LaunchHostFunc(0, func() { t.Error("work after a fault") }))
			release()
			err = r.Synchronize()
			code(t, c.code, "in kernel test_run: ", err)
			require.ErrorContains(t, err, c.text)
			require.ErrorIs(t, err, api.ErrFault)

			_, queryErr := r.StreamQuery(other)
			_, allocErr := r.MemAllocAsync(64, other)
			for _, err := range []error{queryErr, allocErr, r.MemFree(p), r.StreamDestroy(other), launch(other)} {
				code(t, c.code, "until the device's primary context is reset", err)
			}
			code(t, c.code, "until the device's primary context is reset", far.Memset(q, 0, 1, 8))
			r.reset()
			require.NoError(t, r.Memset(r.alloc(64), 0, 1, 64))
			require.ErrorIs(t, far.Synchronize(), api.ErrFault, "each device is reset by itself")
			far.reset()
			require.NoError(t, far.Memset(far.alloc(64), 0, 1, 64))
		})
	}
}

func TestAFaultKeepsNoMemory(t *testing.T) {
	r := newRig(t, sim.Config{})
	before := r.free()
	launch := r.kernel(func(k *sim.Kernel) { sim.Store(k, 8, 1.5) })
	p, err := r.MemAlloc(10 * mib)
	require.NoError(t, err)
	q, err := r.MemAllocAsync(10*mib, 0)
	require.NoError(t, err)
	release := r.hold(0)
	require.NoError(t, launch(0))
	require.NoError(t, r.MemFreeAsync(p, 0))
	require.NoError(t, r.MemFreeAsync(q, 0))
	release()
	code(t, api.CodeIllegalAddress, "0x8", r.StreamSynchronize(0))
	r.reset()
	require.Equal(t, before, r.free())
}

func TestWrongTypesOfArguments(t *testing.T) {
	r := newRig(t, sim.Config{})
	sim.RegisterKernel("test_add", func(k *sim.Kernel) {
		var tooLarge [64]byte
		k.Arg(0, &tooLarge)
	})
	t.Cleanup(func() { sim.RegisterKernel("test_add", nil) })
	params := arguments(t, uint64(0), uint64(0), uint64(0), uint32(0))
	require.NoError(t, r.Device.(api.Kernels).Launch(r.function("test_add"), threads(1), 0, params))
	code(t, api.CodeLaunchFailed, "argument 0, of 8 bytes, as a *[64]uint8", r.Synchronize())
	r.reset()
}

func TestKernelsUseEveryKindOfMemory(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	p := v.reserve(2)
	one, two := v.create(1, 0), v.create(1, 0)
	v.mapAt(p, 1, one)
	v.mapAt(p+piece, 1, two)
	require.NoError(t, v.MemRelease(one))
	require.NoError(t, v.MemRelease(two))
	managed, err := v.MemAllocManaged(64)
	require.NoError(t, err)
	pinned, _ := v.pinned(64)
	pooled, err := v.MemAllocAsync(64, 0)
	require.NoError(t, err)
	places := []sim.Ptr{v.alloc(64), pooled, managed, pinned, p + piece - 16}
	launch := v.kernel(func(k *sim.Kernel) {
		for i, p := range places {
			sim.Store(k, p, int64(i), -1)
			sim.Store(k, p+16, sim.Load[int64](k, p, 2)...)
			sim.Store[byte](k, p)
		}
	})
	require.NoError(t, launch(0))
	for i, p := range places {
		got := v.read(p, 32, 0)
		require.EqualValues(t, i, got[0])
		require.Equal(t, got[:16], got[16:])
	}
	require.NoError(t, v.MemFreeAsync(pooled, 0))
	require.NoError(t, v.MemFree(managed))
}
