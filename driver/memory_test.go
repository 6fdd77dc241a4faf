package driver_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestMemAlloc(t *testing.T) {
	dev := drivertest.Device(t)
	for _, size := range []int{1, 255, 256, 257, mib, 2*mib + 1, 100 * mib} {
		p := deviceMemory(t, dev, size)
		require.NotZero(t, p)
		require.Zero(t, p%256, "%d bytes at %v", size, p)
	}
}

func TestAllocationsDoNotOverlap(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	const n = 3000
	var blocks []driver.Ptr
	for i := range 50 {
		p := deviceMemory(t, dev, n)
		drivertest.Fill(t, s, p, n, uint64(i))
		blocks = append(blocks, p)
	}
	for i, p := range blocks {
		drivertest.Check(t, s, p, n, uint64(i))
	}
}

func TestSizesMustBePositive(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	pool := newPool(t, dev)
	for _, size := range []int{0, -1, math.MinInt} {
		for call, err := range map[string]error{
			"Device.MemAlloc":        second(dev.MemAlloc(size)),
			"Device.MemAllocManaged": second(dev.MemAllocManaged(size)),
			"Device.MemHostAlloc":    second(dev.MemHostAlloc(size)),
			"Stream.MemAllocAsync":   second(s.MemAllocAsync(size)),
			"Pool.MemAllocAsync":     second(pool.MemAllocAsync(size, s)),
		} {
			require.ErrorIs(t, err, driver.ErrInvalidValue, call)
			require.ErrorContains(t, err, call)
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	tooMuch := 2 * dev.TotalMemory()
	for call, err := range map[string]error{
		"MemAlloc":      second(dev.MemAlloc(tooMuch)),
		"MemAllocAsync": second(s.MemAllocAsync(tooMuch)),
	} {
		require.ErrorIs(t, err, driver.ErrOutOfMemory, call)
		require.NotErrorIs(t, err, driver.ErrFault, call)
	}
	p, err := s.MemAllocAsync(kib)
	require.NoError(t, err, "running out of memory spoils nothing")
	require.NoError(t, s.MemFreeAsync(p))
}

func TestFreeOfWhatWasNeverAllocated(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	const nowhere = driver.Ptr(0x1000)
	require.ErrorIs(t, dev.MemFree(nowhere), driver.ErrInvalidValue)
	require.ErrorIs(t, dev.MemHostFree(nowhere), driver.ErrInvalidValue)
	require.ErrorIs(t, s.MemFreeAsync(nowhere), driver.ErrInvalidValue)
}

func TestFreeTwice(t *testing.T) {
	dev := drivertest.Device(t)
	p, err := dev.MemAlloc(mib)
	require.NoError(t, err)
	require.NoError(t, dev.MemFree(p))
	require.ErrorIs(t, dev.MemFree(p), driver.ErrInvalidValue)
}

func TestStreamOrderedMemory(t *testing.T) {
	dev := drivertest.Device(t)
	drivertest.NeedAttribute(t, dev, driver.AttrMemoryPoolsSupported)
	s := drivertest.Stream(t, dev)
	for i := range 20 {
		n := 1 << i
		p, err := s.MemAllocAsync(n)
		require.NoError(t, err)
		require.Zero(t, p%256)
		drivertest.Fill(t, s, p, n, uint64(i))
		drivertest.Check(t, s, p, n, uint64(i))
		require.NoError(t, s.MemFreeAsync(p))
	}
}

func TestPlainAndStreamOrderedFreesMix(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p, err := s.MemAllocAsync(kib)
	require.NoError(t, err)
	require.NoError(t, s.Synchronize())
	require.NoError(t, dev.MemFree(p), "a plain free may take stream-ordered memory")
	p, err = dev.MemAlloc(kib)
	require.NoError(t, err)
	require.NoError(t, s.MemFreeAsync(p), "and the other way round")
	require.NoError(t, s.Synchronize())
}

func TestManagedMemoryIsSharedWithTheHost(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := managedMemory(t, dev, 64*kib)
	drivertest.NeedAttribute(t, dev, driver.AttrConcurrentManagedAccess)
	view, err := dev.HostView(p, 64*kib)
	require.NoError(t, err)

	copy(view, drivertest.Pattern(64*kib, 1))
	drivertest.Check(t, s, p, 64*kib, 1)
	drivertest.Fill(t, s, p, 64*kib, 2)
	require.NoError(t, s.Synchronize())
	require.Equal(t, drivertest.Pattern(64*kib, 2), view)
}

func TestPinnedMemoryIsSharedWithTheDevice(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p, view := pinnedMemory(t, dev, 64*kib)
	require.Len(t, view, 64*kib)
	copy(view, drivertest.Pattern(64*kib, 1))
	q := deviceMemory(t, dev, 64*kib)
	require.NoError(t, s.MemcpyDtoDAsync(q, p, 64*kib))
	drivertest.Check(t, s, q, 64*kib, 1)
}

func TestPrefetch(t *testing.T) {
	dev := drivertest.Device(t)
	drivertest.NeedAttribute(t, dev, driver.AttrConcurrentManagedAccess)
	s := drivertest.Stream(t, dev)
	p := managedMemory(t, dev, mib)
	drivertest.Fill(t, s, p, mib, 1)
	require.NoError(t, s.MemPrefetchAsync(p, mib, dev))
	drivertest.Check(t, s, p, mib, 1)
	require.NoError(t, s.MemPrefetchAsync(p, mib, nil))
	drivertest.Check(t, s, p, mib, 1)
	require.NoError(t, s.MemPrefetchAsync(p, 0, dev))
}

func TestPrefetchRefuses(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	require.ErrorIs(t, s.MemPrefetchAsync(p, -1, dev), driver.ErrInvalidValue)
	require.ErrorIs(t, s.MemPrefetchAsync(p, kib, dev), driver.ErrInvalidValue, "only managed memory moves")
}

func TestPrefetchToADeviceOfAnotherDriver(t *testing.T) {
	dev, other := drivertest.Device(t), drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := managedMemory(t, dev, kib)
	require.ErrorIs(t, s.MemPrefetchAsync(p, kib, other), driver.ErrWrongDevice)
}
