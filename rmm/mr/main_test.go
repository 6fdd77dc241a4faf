package mr_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	kib = 1 << 10
	mib = 1 << 20
)

func newCuda(t testing.TB, dev *driver.Device) *mr.Cuda {
	t.Helper()
	r, err := mr.NewCuda(dev)
	require.NoError(t, err)
	return r
}

// newAsync makes a CudaAsync; the test, or the suite that runs it, closes it.
func newAsync(t testing.TB, dev *driver.Device, opts mr.CudaAsyncOptions) *mr.CudaAsync {
	t.Helper()
	drivertest.NeedAttribute(t, dev, driver.AttrMemoryPoolsSupported)
	r, err := mr.NewCudaAsync(dev, opts)
	require.NoError(t, err)
	return r
}

func newManaged(t testing.TB, dev *driver.Device) *mr.Managed {
	t.Helper()
	drivertest.NeedAttribute(t, dev, driver.AttrManagedMemory)
	r, err := mr.NewManaged(dev)
	require.NoError(t, err)
	return r
}

func newPinnedHost(t testing.TB, dev *driver.Device) *mr.PinnedHost {
	t.Helper()
	r, err := mr.NewPinnedHost(dev)
	require.NoError(t, err)
	return r
}

func newStatistics(t testing.TB, upstream mr.Resource) *mr.Statistics {
	t.Helper()
	a, err := mr.NewStatistics(upstream)
	require.NoError(t, err)
	return a
}

func newLimiting(t testing.TB, upstream mr.Resource, limit int) *mr.Limiting {
	t.Helper()
	l, err := mr.NewLimiting(upstream, limit, mr.LimitingOptions{})
	require.NoError(t, err)
	return l
}

func allocate(t testing.TB, r mr.Resource, size int, s *driver.Stream) driver.Ptr {
	t.Helper()
	p, err := r.Allocate(size, 0, s)
	require.NoError(t, err)
	return p
}

func give(t testing.TB, r mr.Resource, p driver.Ptr, size int, s *driver.Stream) {
	t.Helper()
	require.NoError(t, r.Deallocate(p, size, 0, s))
}
