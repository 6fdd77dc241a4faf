package driver_test

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// patternPTX has a kernel of the CUDA backend's tests that takes an address after a
// 32-bit number.
//
//go:embed internal/cuda/testdata/pattern.ptx
var patternPTX []byte

// needFeature skips a test of what the simulator does not have (yet); every other
// failure is one, ErrNotSupported on a GPU too.
func needFeature(t testing.TB, dev *driver.Device, err error) {
	t.Helper()
	if errors.Is(err, driver.ErrNotSupported) && dev.Driver().Backend() != driver.CUDA {
		t.Skipf("needs a GPU: %v", err)
	}
	require.NoError(t, err)
}

func TestKernelAddsVectors(t *testing.T) {
	dev := drivertest.Device(t)
	add, s := drivertest.Kernel(t, dev, drivertest.KernelVectorAdd), drivertest.Stream(t, dev)
	const n = 100_001 // the last block is not full
	a, b, sums := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range n {
		a[i], b[i] = float32(i), 0.5-float32(3*i)
		sums[i] = a[i] + b[i]
	}
	pa, pb, sum := deviceMemory(t, dev, 4*n), deviceMemory(t, dev, 4*n), deviceMemory(t, dev, 4*n)
	require.NoError(t, s.MemcpyHtoDAsync(pa, floatBytes(a...)))
	require.NoError(t, s.MemcpyHtoDAsync(pb, floatBytes(b...)))
	require.NoError(t, s.Launch(add, drivertest.Threads(n), sum, pa, pb, uint32(n)))
	require.Equal(t, floatBytes(sums...), drivertest.Read(t, s, sum, 4*n))
}

// verifyKernel is (const unsigned *words, unsigned long long count, unsigned seed,
// unsigned long long *wrong): it counts the words that are not what
// drivertest.KernelFill writes.
func verifyKernel(t *testing.T, dev *driver.Device) *driver.Function {
	t.Helper()
	sim.RegisterKernel("verify", simulatedVerify)
	t.Cleanup(func() { sim.RegisterKernel("verify", nil) })
	m, err := dev.LoadModule(patternPTX)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	f, err := m.Function("verify")
	require.NoError(t, err)
	return f
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
		if word != seed+uint32(i)*drivertest.FillStep {
			count[0]++
		}
	}
	sim.Store(k, wrong, count...)
}

// TestKernelTakesArgumentsOfAllSizes: an address that follows a 32-bit number is
// passed from where no address would lie in C.
func TestKernelTakesArgumentsOfAllSizes(t *testing.T) {
	dev := drivertest.Device(t)
	fill, verify := drivertest.Kernel(t, dev, drivertest.KernelFill), verifyKernel(t, dev)
	s := drivertest.Stream(t, dev)
	const n = 10_000
	p, wrong := deviceMemory(t, dev, 4*n), deviceMemory(t, dev, 8)
	mismatches := func(seed uint32) uint64 {
		require.NoError(t, s.MemsetD8Async(wrong, 0, 8))
		require.NoError(t, s.Launch(verify, drivertest.Threads(n), p, uint64(n), seed, wrong))
		return binary.LittleEndian.Uint64(drivertest.Read(t, s, wrong, 8))
	}
	require.NoError(t, s.Launch(fill, drivertest.Threads(n), p, uint64(n), uint32(7)))
	require.Zero(t, mismatches(7))
	require.EqualValues(t, n, mismatches(8))
}

// TestKernelArgumentsAreChecked: their number and sizes are the kernel's.
func TestKernelArgumentsAreChecked(t *testing.T) {
	dev := drivertest.Device(t)
	add := drivertest.Kernel(t, dev, drivertest.KernelVectorAdd)
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
		require.ErrorContains(t, err, "launch "+drivertest.KernelVectorAdd+": ")
	}
	require.NoError(t, s.Launch(add, driver.LaunchConfig{}, p, p+kib, p+2*kib, uint32(256)))
	require.NoError(t, s.Synchronize(), "what was refused has done no harm")
}

func TestKernelThatIsNotThereIsNamed(t *testing.T) {
	dev := drivertest.Device(t)
	drivertest.Kernel(t, dev, drivertest.KernelFill) // or there are none at all
	m, err := dev.LoadModule([]byte(drivertest.PTX))
	require.NoError(t, err)
	_, err = m.Function("no_such_kernel")
	require.ErrorContains(t, err, `find kernel "no_such_kernel"`)
	require.NoError(t, m.Close())
	_, err = dev.LoadModule([]byte("neither PTX nor a cubin"))
	require.Error(t, err)
}
