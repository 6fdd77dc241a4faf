package driver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func TestDeviceFacts(t *testing.T) {
	dev := drivertest.Device(t)
	require.Zero(t, dev.Ordinal())
	require.NotEmpty(t, dev.Name())
	require.Regexp(t, `^GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`, dev.UUID())
	require.Equal(t, fmt.Sprintf("device 0 (%s)", dev.Name()), dev.String())

	major, minor, err := dev.ComputeCapability()
	require.NoError(t, err)
	require.GreaterOrEqual(t, major, 7)
	require.GreaterOrEqual(t, minor, 0)

	free, total, err := dev.MemInfo()
	require.NoError(t, err)
	require.Positive(t, free)
	require.LessOrEqual(t, free, total)
	require.InEpsilon(t, dev.TotalMemory(), total, 0.1)
}

func TestDevicesHaveTheirOwnUUID(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	require.NotEqual(t, devices[0].UUID(), devices[1].UUID())
	require.Equal(t, 1, devices[1].Ordinal())
}

func TestAttributesAreStable(t *testing.T) {
	dev := drivertest.Device(t)
	first, err := dev.Attribute(driver.AttrMultiprocessorCount)
	require.NoError(t, err)
	require.Positive(t, first)
	again, err := dev.Attribute(driver.AttrMultiprocessorCount)
	require.NoError(t, err)
	require.Equal(t, first, again)
}

func TestHasUnknownAttribute(t *testing.T) {
	dev := drivertest.Device(t)
	const unknown = driver.Attribute(1 << 20)
	_, err := dev.Attribute(unknown)
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	ok, err := dev.Has(unknown)
	require.NoError(t, err, "a driver that does not know a capability lacks it")
	require.False(t, ok)
}

func TestHasFollowsTheDevice(t *testing.T) {
	drivertest.NeedSim(t)
	drv := drivertest.OpenSim(t, sim.Config{Attributes: map[sim.Attribute]int{driver.AttrManagedMemory: 0}})
	dev, err := drv.DefaultDevice()
	require.NoError(t, err)
	managed, err := dev.Has(driver.AttrManagedMemory)
	require.NoError(t, err)
	require.False(t, managed)
	pools, err := dev.Has(driver.AttrMemoryPoolsSupported)
	require.NoError(t, err)
	require.True(t, pools)

	_, err = dev.MemAllocManaged(kib)
	require.ErrorIs(t, err, driver.ErrNotSupported)
}

func TestMemInfoFollowsAllocations(t *testing.T) {
	dev := drivertest.Device(t)
	before, _, err := dev.MemInfo()
	require.NoError(t, err)
	deviceMemory(t, dev, 256*mib)
	after, _, err := dev.MemInfo()
	require.NoError(t, err)
	require.LessOrEqual(t, after, before-256*mib)
}

func TestNilDevice(t *testing.T) {
	var dev *driver.Device
	require.Equal(t, "no device", dev.String())
	for call, err := range map[string]error{
		"Attribute":   second(dev.Attribute(driver.AttrManagedMemory)),
		"Has":         second(dev.Has(driver.AttrManagedMemory)),
		"NewStream":   second(dev.NewStream(driver.StreamOptions{})),
		"NewEvent":    second(dev.NewEvent(driver.EventOptions{})),
		"NewPool":     second(dev.NewPool(driver.PoolOptions{})),
		"DefaultPool": second(dev.DefaultPool()),
		"WrapStream0": second(dev.WrapStream(0)),
		"WrapStream9": second(dev.WrapStream(9)),
		"MemAlloc":    second(dev.MemAlloc(1)),
		"MemFree":     dev.MemFree(256),
		"HostView":    second(dev.HostView(256, 1)),
		"MemcpyHtoD":  dev.MemcpyHtoD(256, []byte{1}),
		"MemsetD8":    dev.MemsetD8(256, 1, 1),
		"Synchronize": dev.Synchronize(),
	} {
		require.ErrorIs(t, err, driver.ErrInvalidValue, call)
		require.ErrorContains(t, err, "the device is nil", call)
	}
}
