package mr_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func TestCudaAsyncInitialSizeIsReserved(t *testing.T) {
	r := newAsync(t, drivertest.Device(t), mr.CudaAsyncOptions{InitialSize: 100 * mib})
	usage := r.Usage()
	require.GreaterOrEqual(t, usage.Reserved, 100*mib)
	require.Zero(t, usage.Allocated)
	require.Zero(t, usage.Allocations)
	require.NoError(t, r.Close())
}

func TestCudaAsyncInitialSizeServesEveryStream(t *testing.T) {
	dev := drivertest.Device(t)
	r := newAsync(t, dev, mr.CudaAsyncOptions{InitialSize: 64 * mib})
	reserved := r.Usage().ReservedPeak
	for range 3 {
		s := drivertest.Stream(t, dev)
		p := allocate(t, r, 32*mib, s)
		give(t, r, p, 32*mib, s)
		require.NoError(t, s.Synchronize())
	}
	require.Equal(t, reserved, r.Usage().ReservedPeak, "nothing more was taken from the device")
	require.NoError(t, r.Close())
}

func TestCudaAsyncReleaseThreshold(t *testing.T) {
	dev := drivertest.Device(t)
	for _, c := range []struct {
		option int
		want   uint64
	}{{0, math.MaxUint64}, {mr.ReleaseAll, 0}, {5 * mib, 5 * mib}} {
		r := newAsync(t, dev, mr.CudaAsyncOptions{ReleaseThreshold: c.option})
		got, err := r.ReleaseThreshold()
		require.NoError(t, err)
		require.Equal(t, c.want, got)
		require.NoError(t, r.Close())
	}
}

// keptAfterSync is what a pool has reserved after memory was freed and the
// stream synchronised.
func keptAfterSync(t *testing.T, dev *driver.Device, threshold int) int {
	t.Helper()
	r := newAsync(t, dev, mr.CudaAsyncOptions{ReleaseThreshold: threshold})
	s := drivertest.Stream(t, dev)
	p := allocate(t, r, 64*mib, s)
	give(t, r, p, 64*mib, s)
	require.NoError(t, s.Synchronize())
	defer func() { require.NoError(t, r.Close()) }()
	return r.Usage().Reserved
}

func TestCudaAsyncKeepsMemoryUnlessTold(t *testing.T) {
	dev := drivertest.Device(t)
	require.GreaterOrEqual(t, keptAfterSync(t, dev, 0), 64*mib)
	require.Zero(t, keptAfterSync(t, dev, mr.ReleaseAll))
}

func TestCudaAsyncTrim(t *testing.T) {
	dev := drivertest.Device(t)
	r := newAsync(t, dev, mr.CudaAsyncOptions{InitialSize: 256 * mib})
	s := drivertest.Stream(t, dev)
	p := allocate(t, r, mib, s)
	before := r.Usage().Reserved
	gone, err := r.Trim(before)
	require.NoError(t, err)
	require.Zero(t, gone, "nothing is above the limit")
	give(t, r, p, mib, s)
	require.NoError(t, s.Synchronize())
	gone, err = r.Trim(0)
	require.NoError(t, err)
	require.Equal(t, before, gone)
	require.Zero(t, r.Usage().Reserved)
	require.Equal(t, before, r.Usage().ReservedPeak)
	_, err = r.Trim(-1)
	require.ErrorIs(t, err, mr.ErrInvalidSize)
	require.NoError(t, r.Close())
	_, err = r.Trim(0)
	require.ErrorIs(t, err, mr.ErrClosed)
}

func TestCudaAsyncUsage(t *testing.T) {
	dev := drivertest.Device(t)
	r := newAsync(t, dev, mr.CudaAsyncOptions{})
	s := drivertest.Stream(t, dev)
	p := allocate(t, r, 1000, s)
	q := allocate(t, r, mib, s)
	usage := r.Usage()
	require.Equal(t, 2, usage.Allocations)
	require.Equal(t, mib+1000, usage.Allocated)
	require.GreaterOrEqual(t, usage.Reserved, usage.Allocated)
	give(t, r, p, 1000, s)
	require.Equal(t, 1, r.Usage().Allocations)
	give(t, r, q, mib, s)
	require.NoError(t, r.Close())
	require.Equal(t, mr.Usage{}, r.Usage(), "a closed resource holds nothing")
}

func TestCudaAsyncCloseSaysWhatIsLive(t *testing.T) {
	dev := drivertest.Device(t)
	r := newAsync(t, dev, mr.CudaAsyncOptions{})
	s := drivertest.Stream(t, dev)
	p := allocate(t, r, 1000, s)
	q := allocate(t, r, 24, s)
	require.ErrorContains(t, r.Close(), "2 allocations of 1024 bytes are live")
	require.NoError(t, r.Retire())
	_, err := r.Allocate(8, 0, s)
	require.ErrorContains(t, err, "retired")
	require.ErrorIs(t, r.Close(), mr.ErrOutstanding, "retired is not closed")
	give(t, r, p, 1000, s)
	give(t, r, q, 24, s)
	require.ErrorIs(t, r.Close(), mr.ErrClosed)
}

func TestCudaAsyncRetireClosesAtOnceWhenEmpty(t *testing.T) {
	r := newAsync(t, drivertest.Device(t), mr.CudaAsyncOptions{})
	require.NoError(t, r.Retire())
	require.ErrorIs(t, r.Close(), mr.ErrClosed)
}

func TestCudaAsyncPoolsAreApart(t *testing.T) {
	dev := drivertest.Device(t)
	a, b := newAsync(t, dev, mr.CudaAsyncOptions{}), newAsync(t, dev, mr.CudaAsyncOptions{})
	s := drivertest.Stream(t, dev)
	require.False(t, mr.Equal(a, b))
	require.NotEqual(t, a.Handle(), b.Handle())
	p := allocate(t, a, 1000, s)
	require.ErrorIs(t, b.Deallocate(p, 1000, 0, s), mr.ErrForeignPointer)
	give(t, a, p, 1000, s)
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
}

func TestNewCudaAsyncRefusesBadOptions(t *testing.T) {
	dev := drivertest.Device(t)
	for _, opts := range []mr.CudaAsyncOptions{{InitialSize: -1}, {ReleaseThreshold: -2}} {
		r, err := mr.NewCudaAsync(dev, opts)
		require.ErrorIs(t, err, mr.ErrInvalidSize)
		require.Nil(t, r)
	}
}

// The helper that opens the device notices a pool that is left behind.
func TestNewCudaAsyncLeavesNothingWhenItFails(t *testing.T) {
	dev := drivertest.Device(t)
	drivertest.NeedAttribute(t, dev, driver.AttrMemoryPoolsSupported)
	_, err := mr.NewCudaAsync(dev, mr.CudaAsyncOptions{InitialSize: 1 << 50})
	require.ErrorIs(t, err, driver.ErrOutOfMemory)
}

func TestCudaAsyncNeedsMemoryPools(t *testing.T) {
	drivertest.NeedSim(t)
	dev := simDevice(t, map[sim.Attribute]int{driver.AttrMemoryPoolsSupported: 0})
	_, err := mr.NewCudaAsync(dev, mr.CudaAsyncOptions{})
	require.ErrorIs(t, err, driver.ErrNotSupported)
	require.ErrorContains(t, err, dev.String())
}

func simDevice(t *testing.T, attributes map[sim.Attribute]int) *driver.Device {
	t.Helper()
	dev, err := drivertest.OpenSim(t, sim.Config{Attributes: attributes}).DefaultDevice()
	require.NoError(t, err)
	return dev
}
