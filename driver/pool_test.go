package driver_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func attribute(t *testing.T, pool *driver.Pool, a driver.PoolAttribute) int {
	t.Helper()
	v, err := pool.Attribute(a)
	require.NoError(t, err)
	return int(v)
}

// cycle allocates and frees size bytes and waits for both.
func cycle(t *testing.T, pool *driver.Pool, s *driver.Stream, size int) {
	t.Helper()
	p, err := pool.MemAllocAsync(size, s)
	require.NoError(t, err)
	require.NoError(t, s.MemFreeAsync(p))
	require.NoError(t, s.Synchronize())
}

func TestPoolCountsWhatIsUsed(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	pool := newPool(t, dev)
	require.Same(t, dev, pool.Device())
	require.NotZero(t, pool.Handle())
	require.Zero(t, attribute(t, pool, driver.PoolUsedCurrent))

	p, err := pool.MemAllocAsync(3*mib, s)
	require.NoError(t, err)
	require.NoError(t, s.Synchronize())
	used := attribute(t, pool, driver.PoolUsedCurrent)
	require.GreaterOrEqual(t, used, 3*mib)
	require.GreaterOrEqual(t, attribute(t, pool, driver.PoolReservedCurrent), used)
	require.NoError(t, s.MemFreeAsync(p))
	require.NoError(t, s.Synchronize())
	require.Zero(t, attribute(t, pool, driver.PoolUsedCurrent))
	require.Equal(t, used, attribute(t, pool, driver.PoolUsedHigh))
}

func TestPoolSwitchesAreOnAtFirst(t *testing.T) {
	pool := newPool(t, drivertest.Device(t))
	for _, a := range []driver.PoolAttribute{
		driver.PoolReuseFollowEventDependencies, driver.PoolReuseAllowOpportunistic, driver.PoolReuseAllowInternalDependencies,
	} {
		require.Equal(t, 1, attribute(t, pool, a))
		require.NoError(t, pool.SetAttribute(a, 0))
		require.Equal(t, 0, attribute(t, pool, a))
	}
}

func TestPoolReleaseThreshold(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	pool := newPool(t, dev)
	require.Zero(t, attribute(t, pool, driver.PoolReleaseThreshold))
	cycle(t, pool, s, 64*mib)
	require.NoError(t, dev.Synchronize())
	require.Zero(t, attribute(t, pool, driver.PoolReservedCurrent), "with threshold 0 all goes back")

	require.NoError(t, pool.SetAttribute(driver.PoolReleaseThreshold, math.MaxUint64))
	v, err := pool.Attribute(driver.PoolReleaseThreshold)
	require.NoError(t, err)
	require.EqualValues(t, uint64(math.MaxUint64), v)
	cycle(t, pool, s, 64*mib)
	require.NoError(t, dev.Synchronize())
	require.GreaterOrEqual(t, attribute(t, pool, driver.PoolReservedCurrent), 64*mib)
}

func TestPoolTrim(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	pool := newPool(t, dev)
	require.NoError(t, pool.SetAttribute(driver.PoolReleaseThreshold, math.MaxUint64))
	live, err := pool.MemAllocAsync(mib, s)
	require.NoError(t, err)
	cycle(t, pool, s, 256*mib)

	before := attribute(t, pool, driver.PoolReservedCurrent)
	require.NoError(t, pool.Trim(before))
	require.Equal(t, before, attribute(t, pool, driver.PoolReservedCurrent), "nothing is above the limit")
	require.NoError(t, pool.Trim(0))
	after := attribute(t, pool, driver.PoolReservedCurrent)
	require.Less(t, after, before)
	require.GreaterOrEqual(t, after, mib, "live memory stays")
	require.NoError(t, s.MemFreeAsync(live))
	require.NoError(t, s.Synchronize())
	require.NoError(t, pool.Trim(0))
	require.Zero(t, attribute(t, pool, driver.PoolReservedCurrent))
	require.ErrorIs(t, pool.Trim(-1), driver.ErrInvalidValue)
}

func TestPoolHighWaterMarksStartAnew(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	pool := newPool(t, dev)
	cycle(t, pool, s, 64*mib)
	for _, mark := range []driver.PoolAttribute{driver.PoolUsedHigh, driver.PoolReservedHigh} {
		require.GreaterOrEqual(t, attribute(t, pool, mark), 64*mib)
		require.NoError(t, pool.SetAttribute(mark, 0))
		require.Less(t, attribute(t, pool, mark), 64*mib)
		require.ErrorIs(t, pool.SetAttribute(mark, 1), driver.ErrInvalidValue, "only 0 is allowed")
	}
}

func TestPoolMaxSize(t *testing.T) {
	dev := drivertest.Device(t)
	drivertest.NeedAttribute(t, dev, driver.AttrMemoryPoolsSupported)
	s := drivertest.Stream(t, dev)
	pool, err := dev.NewPool(driver.PoolOptions{MaxSize: 64 * mib})
	require.NoError(t, err)
	defer pool.Close()
	cycle(t, pool, s, 16*mib)
	_, err = pool.MemAllocAsync(1024*mib, s)
	require.ErrorIs(t, err, driver.ErrOutOfMemory)
	_, err = dev.NewPool(driver.PoolOptions{MaxSize: -1})
	require.ErrorIs(t, err, driver.ErrInvalidValue)
}

func TestPoolClosedWithLiveAllocations(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	pool := newPool(t, dev)
	p, err := pool.MemAllocAsync(mib, s)
	require.NoError(t, err)
	drivertest.Fill(t, s, p, mib, 1)
	require.NoError(t, pool.Close())
	drivertest.Check(t, s, p, mib, 1)
	require.NoError(t, s.MemFreeAsync(p))
}

func TestClosedPool(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	pool := newPool(t, dev)
	require.NoError(t, pool.Close())
	for call, err := range map[string]error{
		"Close":         pool.Close(),
		"MemAllocAsync": second(pool.MemAllocAsync(kib, s)),
		"Attribute":     second(pool.Attribute(driver.PoolUsedCurrent)),
		"SetAttribute":  pool.SetAttribute(driver.PoolReleaseThreshold, 0),
		"Trim":          pool.Trim(0),
	} {
		require.ErrorIs(t, err, driver.ErrClosed, call)
	}
}

func TestNilPool(t *testing.T) {
	s := drivertest.Stream(t, drivertest.Device(t))
	var pool *driver.Pool
	for call, err := range map[string]error{
		"Close":         pool.Close(),
		"MemAllocAsync": second(pool.MemAllocAsync(kib, s)),
		"Attribute":     second(pool.Attribute(driver.PoolUsedCurrent)),
		"SetAttribute":  pool.SetAttribute(driver.PoolReleaseThreshold, 0),
		"Trim":          pool.Trim(0),
	} {
		require.ErrorIs(t, err, driver.ErrInvalidValue, call)
	}
}

func TestDefaultPool(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	pool, err := dev.DefaultPool()
	require.NoError(t, err)
	p, err := pool.MemAllocAsync(mib, s)
	require.NoError(t, err)
	q, err := s.MemAllocAsync(mib)
	require.NoError(t, err)
	require.GreaterOrEqual(t, attribute(t, pool, driver.PoolUsedCurrent), 2*mib, "a stream's plain allocations come from the default pool")
	require.NoError(t, s.MemFreeAsync(p))
	require.NoError(t, s.MemFreeAsync(q))
	require.ErrorIs(t, pool.Close(), driver.ErrInvalidValue)
}

func TestPoolAttributeUnknown(t *testing.T) {
	pool := newPool(t, drivertest.Device(t))
	require.ErrorIs(t, second(pool.Attribute(driver.PoolAttribute(99))), driver.ErrInvalidValue)
	require.ErrorIs(t, pool.SetAttribute(driver.PoolAttribute(99), 1), driver.ErrInvalidValue)
}

func TestPoolOfAnotherDevice(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	pool := newPool(t, devices[0])
	s := drivertest.Stream(t, devices[1])
	_, err := pool.MemAllocAsync(kib, s)
	require.ErrorIs(t, err, driver.ErrWrongDevice)
	require.ErrorContains(t, err, devices[0].String())
	require.ErrorContains(t, err, s.String())
}

func TestPoolsNeedADeviceThatHasThem(t *testing.T) {
	drivertest.NeedSim(t)
	drv := drivertest.OpenSim(t, sim.Config{Attributes: map[sim.Attribute]int{driver.AttrMemoryPoolsSupported: 0}})
	dev, err := drv.DefaultDevice()
	require.NoError(t, err)
	for _, err := range []error{second(dev.NewPool(driver.PoolOptions{})), second(dev.DefaultPool())} {
		require.ErrorIs(t, err, driver.ErrNotSupported)
		require.ErrorContains(t, err, dev.String())
	}
}

func TestPoolCloseRacesWithUse(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	for range 50 {
		pool, err := dev.NewPool(driver.PoolOptions{})
		require.NoError(t, err)
		var users sync.WaitGroup
		for range 4 {
			users.Go(func() {
				for {
					p, err := pool.MemAllocAsync(kib, s)
					if errorIsClosed(err) {
						return
					}
					if err == nil {
						err = s.MemFreeAsync(p)
					}
					if err != nil {
						t.Errorf("use a pool that is being closed: %v", err)
						return
					}
				}
			})
		}
		require.NoError(t, pool.Close())
		users.Wait()
	}
}
