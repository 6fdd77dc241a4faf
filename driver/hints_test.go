package driver_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestAdviceIsRemembered(t *testing.T) {
	dev := drivertest.Device(t)
	drivertest.NeedAttribute(t, dev, driver.AttrConcurrentManagedAccess)
	p := managedMemory(t, dev, 2*mib)
	ask := func(a driver.RangeAttribute) int {
		t.Helper()
		v, err := dev.MemRangeAttribute(p, 2*mib, a)
		needFeature(t, dev, err)
		return v
	}
	advise := func(advice driver.Advice, to *driver.Device) {
		t.Helper()
		require.NoError(t, dev.MemAdvise(p, 2*mib, advice, to))
	}
	const host, nowhere = -1, -2
	require.Equal(t, nowhere, ask(driver.RangePreferredLocation))
	advise(driver.AdviseSetPreferredLocation, dev)
	require.Equal(t, dev.Ordinal(), ask(driver.RangePreferredLocation))
	advise(driver.AdviseSetPreferredLocation, nil)
	require.Equal(t, host, ask(driver.RangePreferredLocation))

	require.Zero(t, ask(driver.RangeReadMostly))
	advise(driver.AdviseSetReadMostly, dev)
	require.Equal(t, 1, ask(driver.RangeReadMostly))
	advise(driver.AdviseUnsetReadMostly, dev)
	require.Zero(t, ask(driver.RangeReadMostly))

	s := drivertest.Stream(t, dev)
	require.NoError(t, s.MemPrefetchAsync(p, 2*mib, dev))
	require.NoError(t, s.Synchronize())
	require.Equal(t, dev.Ordinal(), ask(driver.RangeLastPrefetchLocation))
}

func TestRegisteredHostMemoryIsPinned(t *testing.T) {
	dev := drivertest.Device(t)
	memory := make([]byte, 64*kib) // not moved by the collector, and kept alive below
	p := driver.Ptr(uintptr(unsafe.Pointer(&memory[0])))
	needFeature(t, dev, dev.MemHostRegister(memory))
	kind := func() driver.MemoryType {
		info, err := dev.PointerInfo(p)
		require.NoError(t, err)
		return info.Type
	}
	require.Equal(t, driver.MemoryHost, kind())
	require.Error(t, dev.MemHostRegister(memory), "it is registered already")

	s := drivertest.Stream(t, dev)
	require.NoError(t, s.MemsetD8Async(p, 7, 64*kib))
	require.NoError(t, s.Synchronize())
	require.Equal(t, repeated(7, 64*kib), memory, "the device writes to it directly")
	require.NoError(t, dev.MemHostUnregister(memory))
	require.Equal(t, driver.MemoryUnregistered, kind())
	require.Error(t, dev.MemHostUnregister(memory))
}
