package mr_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func TestPerDeviceIsACudaAtFirst(t *testing.T) {
	dev := drivertest.Device(t)
	r := mr.PerDevice(dev)
	require.IsType(t, &mr.Cuda{}, r)
	require.Same(t, dev, r.Device())
	require.Same(t, r, mr.PerDevice(dev), "always the same one, so that it knows its allocations")
}

func TestSetPerDeviceReturnsThePrevious(t *testing.T) {
	dev := drivertest.Device(t)
	initial := mr.PerDevice(dev)
	first, second := newCuda(t, dev), newStatistics(t, newCuda(t, dev))
	for _, step := range []struct{ set, previous mr.Resource }{
		{first, initial}, {second, first}, {first, second}, {nil, first}, {first, initial},
	} {
		previous, err := mr.SetPerDevice(dev, step.set)
		require.NoError(t, err)
		require.Same(t, step.previous, previous)
	}
	previous, err := mr.ResetPerDevice(dev)
	require.NoError(t, err)
	require.Same(t, first, previous)
	require.Same(t, initial, mr.PerDevice(dev))
}

func TestReplacePerDeviceLeavesOthersAlone(t *testing.T) {
	dev := drivertest.Device(t)
	mine, theirs := newCuda(t, dev), newCuda(t, dev)
	initial, err := mr.SetPerDevice(dev, mine)
	require.NoError(t, err)
	for _, step := range []struct {
		old, next mr.Resource
		replaced  bool
		now       mr.Resource
	}{
		{theirs, initial, false, mine},
		{nil, initial, false, mine},
		{mine, theirs, true, theirs},
		{mine, initial, false, theirs},
		{theirs, nil, true, initial},
	} {
		replaced, err := mr.ReplacePerDevice(dev, step.old, step.next)
		require.NoError(t, err)
		require.Equal(t, step.replaced, replaced)
		require.Same(t, step.now, mr.PerDevice(dev))
	}
}

func TestPerDeviceOfEachDevice(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	r := newCuda(t, devices[0])
	_, err := mr.SetPerDevice(devices[0], r)
	require.NoError(t, err)
	require.Same(t, r, mr.PerDevice(devices[0]))
	require.Same(t, devices[1], mr.PerDevice(devices[1]).Device())

	_, set := mr.SetPerDevice(devices[1], r)
	_, replaced := mr.ReplacePerDevice(devices[1], mr.PerDevice(devices[1]), r)
	for _, err := range []error{set, replaced} {
		require.ErrorIs(t, err, driver.ErrWrongDevice)
		require.ErrorContains(t, err, devices[0].String())
		require.ErrorContains(t, err, devices[1].String())
	}
}

func TestPerDeviceRefusesNil(t *testing.T) {
	dev := drivertest.Device(t)
	require.Nil(t, mr.PerDevice(nil))
	_, err := mr.SetPerDevice(nil, nil)
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	_, err = mr.ResetPerDevice(nil)
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	_, err = mr.ReplacePerDevice(nil, nil, nil)
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	_, err = mr.SetPerDevice(dev, (*mr.CudaAsync)(nil))
	require.ErrorIs(t, err, mr.ErrNilResource)
	require.ErrorContains(t, err, "*mr.CudaAsync")
}

func TestChangingPerDeviceWithLiveAllocations(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	before := mr.PerDevice(dev)
	p := allocate(t, before, 1000, s)
	_, err := mr.SetPerDevice(dev, newCuda(t, dev))
	require.NoError(t, err)
	require.ErrorIs(t, mr.PerDevice(dev).Deallocate(p, 1000, 0, s), mr.ErrForeignPointer)
	give(t, before, p, 1000, s)
	_, err = mr.ResetPerDevice(dev)
	require.NoError(t, err)
}

func TestPerDeviceFromManyGoroutines(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	resources := []mr.Resource{newCuda(t, dev), newStatistics(t, newCuda(t, dev)), nil}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				if _, err := mr.SetPerDevice(dev, resources[(i+j)%len(resources)]); err != nil {
					t.Errorf("set: %v", err)
				}
				r := mr.PerDevice(dev)
				p, err := r.Allocate(256, 0, s)
				if err == nil {
					err = r.Deallocate(p, 256, 0, s)
				}
				if err != nil {
					t.Errorf("use: %v", err)
				}
			}
		})
	}
	all.Wait()
}

func TestRegistryForgetsClosedDrivers(t *testing.T) {
	for range 20 {
		dev := drivertest.Device(t)
		_, err := mr.SetPerDevice(dev, newCuda(t, dev))
		require.NoError(t, err)
		require.NoError(t, dev.Driver().Close())
	}
	mr.PerDevice(drivertest.Device(t))
	require.Equal(t, 1, mr.PerDeviceEntries())
}

func TestCurrentIsTheDefaultDevice(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	drv := devices[0].Driver()
	outer := driver.SetDefault(drv)
	defer driver.SetDefault(outer)

	r := newCuda(t, devices[0])
	initial, err := mr.SetCurrent(r)
	require.NoError(t, err)
	current, err := mr.Current()
	require.NoError(t, err)
	require.Same(t, r, current)
	require.Same(t, r, mr.PerDevice(devices[0]))

	require.NoError(t, drv.SetDefaultDevice(devices[1]))
	current, err = mr.Current()
	require.NoError(t, err)
	require.Same(t, devices[1], current.Device())
	_, err = mr.SetCurrent(r)
	require.ErrorIs(t, err, driver.ErrWrongDevice)

	require.NoError(t, drv.SetDefaultDevice(devices[0]))
	previous, err := mr.ResetCurrent()
	require.NoError(t, err)
	require.Same(t, r, previous)
	require.Same(t, initial, mr.PerDevice(devices[0]))
}

func TestCurrentWithoutADriver(t *testing.T) {
	outer := driver.SetDefault(nil)
	defer driver.SetDefault(outer)
	t.Setenv("RMM_BACKEND", "no such backend")
	_, got := mr.Current()
	_, set := mr.SetCurrent(nil)
	_, reset := mr.ResetCurrent()
	for _, err := range []error{got, set, reset} {
		require.ErrorIs(t, err, driver.ErrInvalidValue)
		require.ErrorContains(t, err, "RMM_BACKEND")
	}
}
