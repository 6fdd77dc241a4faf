package mr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func TestDirectResourcesGiveTheirKindOfMemory(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	for _, c := range []struct {
		r    mr.Resource
		kind driver.MemoryType
	}{{newCuda(t, dev), driver.MemoryDevice}, {newManaged(t, dev), driver.MemoryManaged}, {newPinnedHost(t, dev), driver.MemoryHost}} {
		p := allocate(t, c.r, 1000, s)
		info, err := dev.PointerInfo(p)
		require.NoError(t, err)
		require.Equal(t, c.kind, info.Type)
		give(t, c.r, p, 1000, s)
	}
}

func TestHostAccess(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	_, ok := mr.As[mr.HostAccessible](newCuda(t, dev))
	require.False(t, ok)
	for _, r := range []mr.Resource{newPinnedHost(t, dev), newManaged(t, dev)} {
		access, ok := mr.As[mr.HostAccessible](newStatistics(t, r))
		require.True(t, ok)
		if !access.HostAccessible() {
			continue // managed memory of a device without concurrent access
		}
		p := allocate(t, r, 1000, s)
		require.NoError(t, s.MemsetD8Async(p, 7, 1000))
		require.NoError(t, s.Synchronize())
		view, err := dev.HostView(p, 1000)
		require.NoError(t, err)
		require.EqualValues(t, 7, view[999])
		give(t, r, p, 1000, s)
	}
}

func TestDirectUsage(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	r := newCuda(t, dev)
	p := allocate(t, r, 1000, s)
	q, err := r.Allocate(1000, 4096, s)
	require.NoError(t, err)
	full := mr.Usage{Reserved: 2000 + 4096 - 256, ReservedPeak: 2000 + 4096 - 256, Allocated: 2000, Allocations: 2}
	require.Equal(t, full, r.Usage())
	require.NoError(t, r.Deallocate(q, 1000, 4096, s))
	require.Equal(t, mr.Usage{Reserved: 1000, ReservedPeak: full.ReservedPeak, Allocated: 1000, Allocations: 1}, r.Usage())
	give(t, r, p, 1000, s)
	require.Equal(t, mr.Usage{ReservedPeak: full.ReservedPeak}, r.Usage())
}

func TestManagedNeedsADeviceThatHasIt(t *testing.T) {
	drivertest.NeedSim(t)
	dev := simDevice(t, map[sim.Attribute]int{driver.AttrManagedMemory: 0})
	r, err := mr.NewManaged(dev)
	require.Nil(t, r)
	require.ErrorIs(t, err, driver.ErrNotSupported)
	require.ErrorContains(t, err, "vGPU")
	require.ErrorContains(t, err, dev.String())
}

func TestManagedWithoutConcurrentAccessIsNotForTheHost(t *testing.T) {
	drivertest.NeedSim(t)
	dev := simDevice(t, map[sim.Attribute]int{driver.AttrConcurrentManagedAccess: 0})
	require.False(t, newManaged(t, dev).HostAccessible())
}

func TestConstructorsNeedADevice(t *testing.T) {
	_, cuda := mr.NewCuda(nil)
	_, async := mr.NewCudaAsync(nil, mr.CudaAsyncOptions{})
	_, managed := mr.NewManaged(nil)
	_, pinned := mr.NewPinnedHost(nil)
	for _, err := range []error{cuda, async, managed, pinned} {
		require.ErrorIs(t, err, driver.ErrInvalidValue)
		require.ErrorContains(t, err, "the device is nil")
	}
}

func TestAResourceWithoutItsConstructorRefuses(t *testing.T) {
	s := drivertest.Stream(t, drivertest.Device(t))
	_, err := new(mr.Cuda).Allocate(8, 0, s)
	require.ErrorIs(t, err, driver.ErrWrongDevice)
	_, err = mr.AllocateSync(new(mr.Cuda), 8, 0)
	require.ErrorIs(t, err, driver.ErrWrongDevice)
}

func TestResourceOfAClosedDriver(t *testing.T) {
	dev := drivertest.Device(t)
	r := newCuda(t, dev)
	s := dev.DefaultStream()
	require.NoError(t, dev.Driver().Close())
	_, err := r.Allocate(8, 0, s)
	require.Error(t, err)
	require.NotErrorIs(t, err, driver.ErrOutOfMemory)
}
