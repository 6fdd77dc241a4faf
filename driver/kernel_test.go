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
)

// The kernels that the CUDA backend is tested with.
var (
	//go:embed internal/cuda/testdata/vecadd.ptx
	vecaddPTX []byte
	//go:embed internal/cuda/testdata/spin.ptx
	spinPTX []byte
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

func TestKernelAddsVectors(t *testing.T) {
	dev := drivertest.Device(t)
	drivertest.NeedGPU(t)
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
