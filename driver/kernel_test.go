package driver_test

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// The kernels that the CUDA backend is tested with.
var (
	//go:embed internal/cuda/testdata/vecadd.ptx
	vecaddPTX []byte
	//go:embed internal/cuda/testdata/spin.ptx
	spinPTX []byte
	//go:embed internal/cuda/testdata/pattern.ptx
	patternPTX []byte
)

// needFeature skips a test of what the simulator does not have (yet); every other
// failure is one, ErrNotSupported on a GPU too.
func needFeature(t testing.TB, dev *driver.Device, err error) {
	t.Helper()
	if errors.Is(err, driver.ErrNotSupported) && dev.Driver().Backend() != driver.CUDA {
		t.Skipf("needs a GPU: %v", err)
	}
	require.NoError(t, err)
}

// kernel loads PTX and finds a kernel in it, until the end of the test.
func kernel(t testing.TB, dev *driver.Device, ptx []byte, name string) *driver.Function {
	t.Helper()
	m, err := dev.LoadModule(ptx)
	needFeature(t, dev, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	f, err := m.Function(name)
	require.NoError(t, err)
	return f
}

// simulate lets f stand for a kernel on the simulator, until the end of the test.
func simulate(t testing.TB, name string, f func(*sim.Kernel)) {
	t.Helper()
	sim.RegisterKernel(name, f)
	t.Cleanup(func() { sim.RegisterKernel(name, nil) })
}

// simulatedVecadd does what vecadd.ptx does.
func simulatedVecadd(k *sim.Kernel) {
	var c, a, b driver.Ptr
	var n uint32
	k.Arg(0, &c)
	k.Arg(1, &a)
	k.Arg(2, &b)
	k.Arg(3, &n)
	sum := sim.Load[float32](k, a, min(int(n), k.Threads()))
	for i, y := range sim.Load[float32](k, b, len(sum)) {
		sum[i] += y
	}
	sim.Store(k, c, sum...)
}

func TestKernelAddsVectors(t *testing.T) {
	simulate(t, "vecadd", simulatedVecadd)
	dev := drivertest.Device(t)
	add := kernel(t, dev, vecaddPTX, "vecadd")
	s := drivertest.Stream(t, dev)
	const n, block = 100_001, 256 // the last block is not full
	a, b, want := make([]byte, 0, 4*n), make([]byte, 0, 4*n), make([]byte, 0, 4*n)
	for i := range n {
		x, y := float32(i), 0.5-float32(3*i)
		a = appendFloat(a, x)
		b = appendFloat(b, y)
		want = appendFloat(want, x+y)
	}
	pa, pb, sum := deviceMemory(t, dev, len(a)), deviceMemory(t, dev, len(b)), deviceMemory(t, dev, len(want))
	require.NoError(t, s.MemcpyHtoDAsync(pa, a))
	require.NoError(t, s.MemcpyHtoDAsync(pb, b))
	require.NoError(t, s.Launch(add, driver.LaunchConfig{Grid: driver.Dim{X: (n + block - 1) / block}, Block: driver.Dim{X: block}},
		sum, pa, pb, uint32(n)))
	require.Equal(t, want, drivertest.Read(t, s, sum, len(want)))
}

func appendFloat(b []byte, f float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
}

// simulatedFill and simulatedVerify do what pattern.ptx does.
func simulatedFill(k *sim.Kernel) {
	var p driver.Ptr
	var n uint64
	var seed uint32
	k.Arg(0, &p)
	k.Arg(1, &n)
	k.Arg(2, &seed)
	words := make([]uint32, n)
	for i := range words {
		words[i] = seed + uint32(i)*0x9e3779b1
	}
	sim.Store(k, p, words...)
}

func simulatedVerify(k *sim.Kernel) {
	var p, wrong driver.Ptr
	var n uint64
	var seed uint32
	k.Arg(0, &p)
	k.Arg(1, &n)
	k.Arg(2, &seed)
	k.Arg(3, &wrong)
	count := sim.Load[uint64](k, wrong, 1)
	for i, word := range sim.Load[uint32](k, p, int(n)) {
		if word != seed+uint32(i)*0x9e3779b1 {
			count[0]++
		}
	}
	sim.Store(k, wrong, count...)
}

// TestKernelTakesArgumentsOfAllSizes: an address that follows a 32-bit number is
// passed from where no address would lie in C.
func TestKernelTakesArgumentsOfAllSizes(t *testing.T) {
	simulate(t, "fill", simulatedFill)
	simulate(t, "verify", simulatedVerify)
	dev := drivertest.Device(t)
	fill, verify := kernel(t, dev, patternPTX, "fill"), kernel(t, dev, patternPTX, "verify")
	s := drivertest.Stream(t, dev)
	const n, block = 10_000, 128
	p, wrong := deviceMemory(t, dev, 4*n), deviceMemory(t, dev, 8)
	shape := driver.LaunchConfig{Grid: driver.Dim{X: (n + block - 1) / block}, Block: driver.Dim{X: block}}
	mismatches := func(seed uint32) uint64 {
		require.NoError(t, s.MemsetD8Async(wrong, 0, 8))
		require.NoError(t, s.Launch(verify, shape, p, uint64(n), seed, wrong))
		return binary.LittleEndian.Uint64(drivertest.Read(t, s, wrong, 8))
	}
	require.NoError(t, s.Launch(fill, shape, p, uint64(n), uint32(7)))
	require.Zero(t, mismatches(7))
	require.EqualValues(t, n, mismatches(8))
}

// TestKernelArgumentsAreChecked: their number and sizes are the kernel's.
func TestKernelArgumentsAreChecked(t *testing.T) {
	simulate(t, "vecadd", simulatedVecadd)
	dev := drivertest.Device(t)
	add := kernel(t, dev, vecaddPTX, "vecadd")
	if v := dev.Driver().Version(); v < 12040 {
		t.Skipf("needs a GPU: one with a driver for CUDA 12.4, which tells a kernel's parameters, not %v", v)
	}
	s, p := drivertest.Stream(t, dev), deviceMemory(t, dev, 3*kib)
	for reason, args := range map[string][]any{
		"too few":         {p, p, p},
		"too many":        {p, p, p, uint32(0), uint32(0)},
		"a pointer short": {p, uint32(1), p, uint32(0)},
		"n short":         {p, p, p, uint16(0)},
	} {
		err := s.Launch(add, driver.LaunchConfig{}, args...)
		require.ErrorIs(t, err, driver.ErrInvalidValue, reason)
		require.ErrorContains(t, err, "launch vecadd: ")
	}
	require.NoError(t, s.Launch(add, driver.LaunchConfig{}, p, p+kib, p+2*kib, uint32(256)))
	require.NoError(t, s.Synchronize(), "what was refused has done no harm")
}

func TestKernelThatIsNotThereIsNamed(t *testing.T) {
	simulate(t, "vecadd", simulatedVecadd)
	dev := drivertest.Device(t)
	m, err := dev.LoadModule(vecaddPTX)
	needFeature(t, dev, err)
	_, err = m.Function("no_such_kernel")
	require.ErrorContains(t, err, `find kernel "no_such_kernel"`)
	require.NoError(t, m.Close())
	_, err = dev.LoadModule([]byte("neither PTX nor a cubin"))
	require.Error(t, err)
}
