package driver_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func TestPointerInfoOfDeviceMemory(t *testing.T) {
	for _, dev := range allDevices(t) {
		p := deviceMemory(t, dev, mib)
		for _, at := range []driver.Ptr{p, p + 1, p + mib - 1} {
			info, err := dev.PointerInfo(at)
			require.NoError(t, err)
			require.Equal(t, driver.MemoryDevice, info.Type)
			require.Equal(t, dev.Ordinal(), info.Device)
			require.Equal(t, p, info.Base)
			require.GreaterOrEqual(t, info.Size, mib)
		}
	}
}

// allDevices are two devices on the simulator, and what the machine has on CUDA.
func allDevices(t *testing.T) []*driver.Device {
	t.Helper()
	drv := drivertest.Open(t)
	if drv.Backend() == driver.Sim {
		drv = drivertest.OpenSim(t, sim.Config{Devices: 2})
	}
	var devices []*driver.Device
	for i := range drv.DeviceCount() {
		dev, err := drv.Device(i)
		require.NoError(t, err)
		devices = append(devices, dev)
	}
	return devices
}

func TestPointerInfoOfOtherMemory(t *testing.T) {
	dev := drivertest.Device(t)
	pinned, _ := pinnedMemory(t, dev, kib)
	managed := managedMemory(t, dev, kib)
	for p, want := range map[driver.Ptr]driver.MemoryType{
		pinned: driver.MemoryHost, managed: driver.MemoryManaged, 0x1000: driver.MemoryUnregistered,
	} {
		info, err := dev.PointerInfo(p)
		require.NoError(t, err)
		require.Equal(t, want, info.Type)
	}
	info, err := dev.PointerInfo(0x1000)
	require.NoError(t, err)
	require.Equal(t, -1, info.Device)
	require.Zero(t, info.Size)
}

func TestPointerInfoNamesThePool(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	pool := newPool(t, dev)
	p, err := pool.MemAllocAsync(mib, s)
	require.NoError(t, err)
	info, err := dev.PointerInfo(p)
	require.NoError(t, err)
	require.Equal(t, pool.Handle(), uintptr(info.Pool))
	require.NoError(t, s.MemFreeAsync(p))
}

func TestPtrString(t *testing.T) {
	require.Equal(t, "(nil)", driver.Ptr(0).String())
	require.Equal(t, "0x7f0000000100", driver.Ptr(0x7f0000000100).String())
}

func TestHostViewOfAPart(t *testing.T) {
	dev := drivertest.Device(t)
	p, view := pinnedMemory(t, dev, kib)
	part, err := dev.HostView(p+100, 24)
	require.NoError(t, err)
	part[0] = 42
	require.EqualValues(t, 42, view[100])
	require.Len(t, part, 24)
	require.Equal(t, 24, cap(part), "append must not run into the neighbour")

	empty, err := dev.HostView(p, 0)
	require.NoError(t, err)
	require.Empty(t, empty)
}

func TestHostViewRefusesWhatTheHostCannotTouch(t *testing.T) {
	dev := drivertest.Device(t)
	for p, want := range map[driver.Ptr]string{
		deviceMemory(t, dev, kib): "device memory",
		0x1000:                    "unregistered memory",
	} {
		_, err := dev.HostView(p, 1)
		require.ErrorIs(t, err, driver.ErrInvalidValue)
		require.ErrorContains(t, err, want)
	}
}

func TestHostViewStaysInside(t *testing.T) {
	dev := drivertest.Device(t)
	p, _ := pinnedMemory(t, dev, kib)
	info, err := dev.PointerInfo(p)
	require.NoError(t, err)
	for _, n := range []int{-1, info.Size + 1, math.MaxInt, math.MinInt} {
		_, err := dev.HostView(p, n)
		require.ErrorIs(t, err, driver.ErrInvalidValue, "%d bytes", n)
	}
	_, err = dev.HostView(p+1, info.Size)
	require.ErrorIs(t, err, driver.ErrInvalidValue)
}

func TestHostViewOfManagedMemoryNeedsConcurrentAccess(t *testing.T) {
	drivertest.NeedSim(t)
	drv := drivertest.OpenSim(t, sim.Config{Attributes: map[sim.Attribute]int{driver.AttrConcurrentManagedAccess: 0}})
	dev, err := drv.DefaultDevice()
	require.NoError(t, err)
	_, err = dev.HostView(managedMemory(t, dev, kib), kib)
	require.ErrorIs(t, err, driver.ErrNotSupported)
	require.ErrorContains(t, err, "copy the memory instead")
}
