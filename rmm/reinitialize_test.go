package rmm_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
	"github.com/rmm-go/rmm-go/rmm"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func TestReinitializeInstallsEachAllocator(t *testing.T) {
	for name, want := range map[string]mr.Resource{
		"": &mr.Cuda{}, "cuda": &mr.Cuda{}, "cuda-async": &mr.CudaAsync{}, "async": &mr.CudaAsync{},
		"managed": &mr.Managed{}, "pinned-host": &mr.PinnedHost{},
	} {
		dev := drivertest.Device(t)
		before := mr.PerDevice(dev)
		h, err := rmm.Reinitialize(rmm.Options{Allocator: name, Driver: dev.Driver()})
		require.NoError(t, err, name)
		installed := mr.PerDevice(dev)
		require.IsType(t, want, installed, name)
		require.Same(t, installed, h.Resource(dev))
		s := drivertest.Stream(t, dev)
		p, err := installed.Allocate(1000, 0, s)
		require.NoError(t, err)
		require.NoError(t, installed.Deallocate(p, 1000, 0, s))
		require.NoError(t, s.Synchronize())
		require.NoError(t, h.Close())
		require.Same(t, before, mr.PerDevice(dev), name)
		require.ErrorIs(t, h.Close(), driver.ErrClosed)
	}
}

func TestReinitializeNests(t *testing.T) {
	dev := drivertest.Device(t)
	outer, err := rmm.Reinitialize(rmm.Options{Allocator: "cuda-async", Driver: dev.Driver()})
	require.NoError(t, err)
	inner, err := rmm.Reinitialize(rmm.Options{Allocator: "managed", Driver: dev.Driver()})
	require.NoError(t, err)
	require.NoError(t, inner.Close())
	require.Same(t, outer.Resource(dev), mr.PerDevice(dev))
	require.NoError(t, outer.Close())
}

func TestCloseKeepsANewerResource(t *testing.T) {
	dev := drivertest.Device(t)
	h, err := rmm.Reinitialize(rmm.Options{Allocator: "cuda-async", Driver: dev.Driver()})
	require.NoError(t, err)
	newer, err := mr.NewManaged(dev)
	require.NoError(t, err)
	_, err = mr.SetPerDevice(dev, newer)
	require.NoError(t, err)
	require.NoError(t, h.Close())
	require.Same(t, newer, mr.PerDevice(dev))
	_, err = mr.ResetPerDevice(dev)
	require.NoError(t, err)
}

func TestHandlesCloseInAnyOrder(t *testing.T) {
	dev := drivertest.Device(t)
	before := mr.PerDevice(dev)
	var handles []*rmm.Handle
	for range 4 {
		h, err := rmm.Reinitialize(rmm.Options{Allocator: "cuda-async", Driver: dev.Driver()})
		require.NoError(t, err)
		handles = append(handles, h)
	}
	require.NoError(t, handles[1].Close())
	require.NoError(t, handles[2].Close())
	require.Same(t, handles[3].Resource(dev), mr.PerDevice(dev))
	require.NoError(t, handles[3].Close())
	require.Same(t, handles[0].Resource(dev), mr.PerDevice(dev), "retired resources are skipped")
	require.NoError(t, handles[0].Close())
	require.Same(t, before, mr.PerDevice(dev))
}

func TestLiveAllocationsOutliveTheHandle(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	h, err := rmm.Reinitialize(rmm.Options{Allocator: "cuda-async", Driver: dev.Driver()})
	require.NoError(t, err)
	r := h.Resource(dev)
	p, err := r.Allocate(4096, 0, s)
	require.NoError(t, err)
	require.NoError(t, h.Close())
	_, err = r.Allocate(1, 0, s)
	require.ErrorIs(t, err, mr.ErrClosed)
	require.NoError(t, s.MemsetD8Async(p, 7, 4096))
	require.NoError(t, r.Deallocate(p, 4096, 0, s)) // the last one closes the resource
	require.ErrorIs(t, r.(*mr.CudaAsync).Close(), mr.ErrClosed)
}

func TestReinitializeFailsAsAWhole(t *testing.T) {
	drivertest.NeedSim(t)
	drv := drivertest.OpenSim(t, sim.Config{Devices: 2, Attributes: map[sim.Attribute]int{driver.AttrManagedMemory: 0}})
	for name, opts := range map[string]rmm.Options{
		"no managed memory": {Allocator: "managed", Devices: []int{0, 1}},
		"unknown device":    {Allocator: "cuda-async", Devices: []int{0, 2}},
		"device twice":      {Allocator: "cuda-async", Devices: []int{1, 1}},
		"unknown allocator": {Allocator: "nonsense"},
		"size":              {Allocator: "cuda-async", InitialSize: -1},
		"meaningless size":  {Allocator: "cuda", InitialSize: 1 << 20},
		"too much":          {Allocator: "cuda-async", InitialSize: 1 << 50, Devices: []int{0, 1}},
	} {
		opts.Driver = drv
		_, err := rmm.Reinitialize(opts)
		require.Error(t, err, name)
		for i := range 2 {
			dev, err := drv.Device(i)
			require.NoError(t, err)
			require.IsType(t, &mr.Cuda{}, mr.PerDevice(dev), name)
		}
	}
}

func TestReinitializeErrors(t *testing.T) {
	dev := drivertest.Device(t)
	_, err := rmm.Reinitialize(rmm.Options{Allocator: "nonsense", Driver: dev.Driver()})
	require.ErrorIs(t, err, rmm.ErrUnknownAllocator)
	require.ErrorContains(t, err, "cuda, cuda-async, managed, pinned-host")
	_, err = rmm.Reinitialize(rmm.Options{Driver: dev.Driver(), Devices: []int{-1}})
	require.ErrorIs(t, err, driver.ErrInvalidDevice)
	_, err = rmm.Reinitialize(rmm.Options{Allocator: "managed", InitialSize: 5, Driver: dev.Driver()})
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	require.ErrorContains(t, err, "takes no InitialSize")
}

func TestReinitializeOnEveryDevice(t *testing.T) {
	drivertest.NeedSim(t)
	drv := drivertest.OpenSim(t, sim.Config{Devices: 3})
	h, err := rmm.Reinitialize(rmm.Options{Allocator: "cuda-async", InitialSize: 1 << 20, Devices: []int{2, 0}, Driver: drv})
	require.NoError(t, err)
	for i, want := range []mr.Resource{&mr.CudaAsync{}, &mr.Cuda{}, &mr.CudaAsync{}} {
		dev, err := drv.Device(i)
		require.NoError(t, err)
		require.IsType(t, want, mr.PerDevice(dev))
		if i == 1 {
			require.Nil(t, h.Resource(dev))
		}
	}
	require.NoError(t, h.Close())
}

func TestReinitializeFromManyGoroutines(t *testing.T) {
	dev := drivertest.Device(t)
	before := mr.PerDevice(dev)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				h, err := rmm.Reinitialize(rmm.Options{Allocator: "cuda-async", Driver: dev.Driver()})
				if err == nil {
					err = h.Close()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	require.Same(t, before, mr.PerDevice(dev))
}

func TestAllocatorNames(t *testing.T) {
	require.Equal(t, []string{"cuda", "cuda-async", "managed", "pinned-host"}, rmm.AllocatorNames())
	for _, name := range append(rmm.AllocatorNames(), "async") {
		require.NoError(t, rmm.CheckAllocatorName(name))
	}
	require.ErrorIs(t, rmm.CheckAllocatorName(""), rmm.ErrUnknownAllocator)
	require.True(t, rmm.TakesInitialSize("async"))
	require.False(t, rmm.TakesInitialSize("cuda"))
	require.False(t, rmm.TakesInitialSize("nonsense"))
}
