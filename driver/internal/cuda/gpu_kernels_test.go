//go:build linux && !rmm_nocuda

package cuda

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

func TestVectorsAreAddedOnTheGPU(t *testing.T) {
	w := openGPU(t)
	add := kernel(t, w.device, "vecadd.ptx", "vecadd")
	const n = 1000 // not a multiple of the block
	a, b, want := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range n {
		a[i], b[i] = float32(i), float32(2*i)+0.5
		want[i] = a[i] + b[i]
	}
	p := w.alloc(t, 3*4096)
	w.put(t, p, floats(a))
	w.put(t, p+4096, floats(b))
	require.NoError(t, w.Launch(add, blocks(n), w.s, arguments(t, p+8192, p, p+4096, uint32(n))))
	require.Equal(t, want, floatsIn(t, w.get(t, p+8192, 4*n)))
}

func TestPatternsAreFilledAndVerifiedOnTheGPU(t *testing.T) {
	w := openGPU(t)
	fill := kernel(t, w.device, "pattern.ptx", "fill")
	verify := kernel(t, w.device, "pattern.ptx", "verify")
	const n = 100_000
	p, wrong := w.alloc(t, 4*n), w.alloc(t, 8)
	mismatches := func(seed uint32) uint64 {
		w.put(t, wrong, make([]byte, 8))
		require.NoError(t, w.Launch(verify, blocks(n), w.s, arguments(t, p, uint64(n), seed, wrong)))
		return binary.LittleEndian.Uint64(w.get(t, wrong, 8))
	}
	require.NoError(t, w.Launch(fill, blocks(n), w.s, arguments(t, p, uint64(n), uint32(7))))
	require.Zero(t, mismatches(7))
	w.put(t, p+400, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	require.EqualValues(t, 2, mismatches(7))
	require.EqualValues(t, n, mismatches(8))

	const second = 0x9e3779b1
	require.Equal(t, binary.LittleEndian.AppendUint32(nil, 7+second), w.get(t, p+4, 4), "the pattern that the text promises")
}

func TestASpinningKernelKeepsItsStreamBusyOnTheGPU(t *testing.T) {
	w := openGPU(t)
	spin := kernel(t, w.device, "spin.ptx", "spin")
	begin, err := w.EventCreate(0)
	require.NoError(t, err)
	end, err := w.EventCreate(0)
	require.NoError(t, err)
	require.NoError(t, w.EventRecord(begin, w.s))
	require.NoError(t, w.Launch(spin, blocks(1), w.s, arguments(t, uint64(20_000_000))))
	require.NoError(t, w.EventRecord(end, w.s))
	require.NoError(t, w.EventSynchronize(end))
	ms, err := w.EventElapsed(begin, end)
	require.NoError(t, err)
	require.Greater(t, ms, float32(5), "20 000 000 ticks at no more than 4 GHz")
	require.NoError(t, w.EventDestroy(begin))
	require.NoError(t, w.EventDestroy(end))
}

func TestKernelsRunOnTheDefaultStreamOnTheGPU(t *testing.T) {
	w := openGPU(t)
	fill := kernel(t, w.device, "pattern.ptx", "fill")
	p := w.alloc(t, 4)
	require.NoError(t, w.Launch(fill, blocks(1), api.StreamDefault, arguments(t, p, uint64(1), uint32(42))))
	require.NoError(t, w.StreamSynchronize(api.StreamDefault))
	require.Equal(t, []byte{42, 0, 0, 0}, w.get(t, p, 4))
}

func TestBadPTXIsExplainedOnTheGPU(t *testing.T) {
	w := openGPU(t)
	_, err := w.ModuleLoad([]byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { nonsense; }\n"))
	var failure *api.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "CUDA_ERROR_INVALID_PTX", failure.Name)
	require.Contains(t, failure.Detail, "line 4")
	require.Contains(t, failure.Detail, "nonsense")
}

func TestKernelsThatAreNotThereOnTheGPU(t *testing.T) {
	w := openGPU(t)
	m, err := w.ModuleLoad([]byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"))
	require.NoError(t, err)
	_, err = w.ModuleFunction(m, "other")
	var failure *api.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, api.CodeNotFound, failure.Code)
	require.Contains(t, failure.Detail, "no such kernel")

	k, err := w.ModuleFunction(m, "k")
	require.NoError(t, err)
	require.NoError(t, w.Launch(k, blocks(1), w.s, api.Params{}))
	require.NoError(t, w.StreamSynchronize(w.s))
	require.NoError(t, w.ModuleUnload(m))
}

func TestWrongArgumentsAreRefusedOnTheGPU(t *testing.T) {
	w := openGPU(t)
	if w.b.DriverVersion() < 12040 {
		t.Skipf("this machine has a driver for CUDA %s, which does not tell a kernel's parameters", versionText(w.b.DriverVersion()))
	}
	add := kernel(t, w.device, "vecadd.ptx", "vecadd")
	sizes, known := w.b.kernels.parameters(add)
	require.True(t, known)
	require.Equal(t, []int{8, 8, 8, 4}, sizes)
	err := w.Launch(add, blocks(1), w.s, arguments(t, uint64(0)))
	require.ErrorContains(t, err, "1 arguments are given and the kernel takes 4")
	require.NoError(t, w.StreamSynchronize(w.s), "nothing has happened")
}

func TestImpossibleShapesAreErrorsOnTheGPU(t *testing.T) {
	w := openGPU(t)
	spin := kernel(t, w.device, "spin.ptx", "spin")
	for _, shape := range []api.LaunchConfig{
		{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{4096, 1, 1}},
		{Grid: [3]uint32{0, 1, 1}, Block: [3]uint32{1, 1, 1}},
		{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, SharedMemory: 1 << 30},
	} {
		require.ErrorIs(t, w.Launch(spin, shape, w.s, arguments(t, uint64(1))), api.ErrInvalidValue)
	}
}

func TestLaunchesDoNotAllocateOnTheGPU(t *testing.T) {
	w := openGPU(t)
	if raceEnabled {
		t.Skip("this machine has the race detector on, which allocates")
	}
	spin, p := kernel(t, w.device, "spin.ptx", "spin"), arguments(t, uint64(1))
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if err := w.Launch(spin, blocks(1), w.s, p); err != nil {
			t.Error(err)
		}
	}))
	require.NoError(t, w.StreamSynchronize(w.s))
}
