//go:build linux && !rmm_nocuda

package cuda

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// takesParameters makes every kernel have parameters of these sizes.
func takesParameters(fake *fakeDriver, sizes ...uint64) {
	write(fake, "cuModuleGetFunction", 0, uint64(function))
	fake.answers["cuFuncGetParamInfo"] = func(a fakeArgs) int32 {
		if a[1] >= uintptr(len(sizes)) {
			return api.CodeInvalidValue
		}
		return poke(a[3], sizes[a[1]])
	}
}

// params lays out words as arguments of 8 bytes each.
func params(words ...byte) api.Params {
	p := api.Params{Buf: make([]byte, 8*len(words))}
	for i, w := range words {
		p.Buf[8*i] = w
		p.Offsets = append(p.Offsets, 8*i)
	}
	return p
}

var one = api.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}

func TestTheDriverFindsEveryArgument(t *testing.T) {
	fake, d := openFake(t)
	var seen [3]uint64
	fake.answers["cuLaunchKernel"] = func(a fakeArgs) int32 {
		for i, address := range at[[3]uintptr](a[9]) {
			seen[i] = at[uint64](address)
		}
		return api.Success
	}
	require.NoError(t, d.Launch(function, one, stream, params(7, 8, 9)))
	require.Equal(t, [3]uint64{7, 8, 9}, seen)
}

func TestLaunchRunsInTheDevicesContext(t *testing.T) {
	fake, d := openFake(t)
	onForeignThread(t, fake, func() { require.NoError(t, d.Launch(function, one, api.StreamDefault, params())) })
	c := fake.takeCall(t, "cuLaunchKernel")
	require.Equal(t, contextOf(0), c.current)
	require.EqualValues(t, api.StreamLegacy, c.args[8])
	require.Zero(t, c.args[9], "no arguments, no list")
}

func TestLaunchesDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	w := openNothing(t)
	w.b.kernels = newKernelParameters()
	w.b.kernels.remember(module, function, []int{8, 8, 8})
	p := params(1, 2, 3)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if err := w.Launch(function, one, stream, p); err != nil {
			t.Error(err)
		}
	}))
}

func TestArgumentsThatAKernelDoesNotTake(t *testing.T) {
	fake, d := openFake(t)
	takesParameters(fake, 8, 4)
	f, err := d.ModuleFunction(module, "add")
	require.NoError(t, err)
	require.NoError(t, d.Launch(f, one, stream, params(1, 2)))

	for text, p := range map[string]api.Params{
		"1 arguments are given and the kernel takes 2":              params(1),
		"3 arguments are given and the kernel takes 2":              params(1, 2, 3),
		"argument 0 has 4 bytes and the kernel's parameter 8":       {Buf: make([]byte, 8), Offsets: []int{0, 4}},
		"argument 1 has 2 bytes and the kernel's parameter 4":       {Buf: make([]byte, 10), Offsets: []int{0, 8}},
		"argument 1 begins at byte 8 of 8":                          {Buf: make([]byte, 8), Offsets: []int{0, 8}},
		"argument 0 begins at byte -1 of 8":                         {Buf: make([]byte, 8), Offsets: []int{-1}},
		"argument 1 has 1 bytes and the kernel's parameter 4: pass": {Buf: make([]byte, 16), Offsets: []int{0, 15}},
	} {
		fake.take()
		err := d.Launch(f, one, stream, p)
		require.ErrorIs(t, err, api.ErrInvalidValue)
		require.ErrorContains(t, err, text)
		require.NotContains(t, names(fake.take()), "cuLaunchKernel")
	}
}

func TestSharedMemoryThatIsImpossible(t *testing.T) {
	_, d := openFake(t)
	for _, size := range []int{-1, 1 << 32} {
		err := d.Launch(function, api.LaunchConfig{SharedMemory: size}, stream, api.Params{})
		require.ErrorIs(t, err, api.ErrInvalidValue)
		require.ErrorContains(t, err, "bytes of dynamic shared memory")
	}
}

func TestArgumentsOutOfOrder(t *testing.T) {
	p := api.Params{Buf: make([]byte, 24), Offsets: []int{16, 0}}
	require.Equal(t, 8, argumentRoom(p, 0), "to the end")
	require.Equal(t, 24, argumentRoom(p, 1))
}

func TestConcurrentLaunchesWhileModulesComeAndGo(t *testing.T) {
	fake, d := openFake(t)
	takesParameters(fake, 8)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			mine := module + api.Module(i)
			for range 50 {
				f, err := d.ModuleFunction(mine, "add")
				if err == nil {
					err = d.Launch(f, one, stream, params(byte(i)))
				}
				if err == nil {
					err = d.ModuleUnload(mine)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Empty(t, d.b.kernels.byModule)
	require.Empty(t, d.b.kernels.sizes)
}
