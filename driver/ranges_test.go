package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBadRangesReachNoBackend: sizes, alignments and kinds of access.
func TestBadRangesReachNoBackend(t *testing.T) {
	fake, dev := fakeWithEverything()
	pool, err := dev.NewPool(PoolOptions{})
	require.NoError(t, err)
	before := len(fake.calls)
	for call, errs := range map[string][]error{
		"Device.MemAddressReserve": {
			second(dev.MemAddressReserve(0, 0)), second(dev.MemAddressReserve(-1, 0)),
			second(dev.MemAddressReserve(1, -1)), second(dev.MemAddressReserve(1, 3)),
		},
		"Device.MemAddressFree":    {dev.MemAddressFree(256, 0), dev.MemAddressFree(256, -1)},
		"Device.MemUnmap":          {dev.MemUnmap(256, 0)},
		"Device.MemSetAccess":      {dev.MemSetAccess(256, 0, dev, AccessRead), dev.MemSetAccess(256, 1, dev, 2), dev.MemSetAccess(256, 1, dev, -1)},
		"Device.MemCreate":         {second(dev.MemCreate(0, HandleNone))},
		"Device.MemImport":         {second(dev.MemImport(Shareable{}, -1))},
		"Pool.SetAccess":           {pool.SetAccess(dev, 2)},
		"Device.MemAdvise":         {dev.MemAdvise(256, -1, AdviseSetReadMostly, nil), dev.MemAdvise(256, 0, AdviseSetReadMostly, nil)},
		"Device.MemRangeAttribute": {second(dev.MemRangeAttribute(256, 0, RangeReadMostly))},
		"Device.MemHostRegister":   {dev.MemHostRegister(nil)},
		"Device.MemHostUnregister": {dev.MemHostUnregister([]byte{})},
		"Device.LoadModule":        {second(dev.LoadModule(nil))},
		"Device.NewEvent":          {second(dev.NewEvent(EventOptions{Interprocess: true, Timing: true}))},
	} {
		for i, err := range errs {
			require.ErrorIs(t, err, ErrInvalidValue, "%s, %d", call, i)
			require.ErrorContains(t, err, call+": ")
		}
	}
	for _, name := range fake.calls[before:] {
		require.Equal(t, "Attribute", name)
	}
}

// TestDevicesOfAnotherDriverAreRefused: their numbers mean nothing here.
func TestDevicesOfAnotherDriverAreRefused(t *testing.T) {
	_, dev := fakeWithEverything()
	_, other := fakeWithEverything()
	pool, err := dev.NewPool(PoolOptions{})
	require.NoError(t, err)
	for call, err := range map[string]error{
		"Device.MemSetAccess":      dev.MemSetAccess(256, 1, other, AccessRead),
		"Device.MemAdvise":         dev.MemAdvise(256, 1, AdviseSetAccessedBy, other),
		"Device.CanAccessPeer":     second(dev.CanAccessPeer(other)),
		"Device.EnablePeerAccess":  dev.EnablePeerAccess(other),
		"Device.DisablePeerAccess": dev.DisablePeerAccess(other),
		"Pool.SetAccess":           pool.SetAccess(other, AccessReadWrite),
		"Pool.Access":              second(pool.Access(other)),
	} {
		require.ErrorIs(t, err, ErrWrongDevice, call)
		require.ErrorContains(t, err, call+": ")
		require.ErrorContains(t, err, "of another")
	}
}

// TestHostViewNeedsToKnowTheSize: of an allocation whose end nobody knows no part
// can be called safe.
func TestHostViewNeedsToKnowTheSize(t *testing.T) {
	_, dev := newFake()
	known := PointerInfo{Type: MemoryHost, Base: 256, Size: 64}
	require.NoError(t, dev.hostAccessible(known, 256+60, 4))
	require.ErrorIs(t, dev.hostAccessible(known, 256+60, 5), ErrInvalidValue)
	require.ErrorIs(t, dev.hostAccessible(known, 256, -1), ErrInvalidValue)

	err := dev.hostAccessible(PointerInfo{Type: MemoryHost}, 256, 1)
	require.ErrorIs(t, err, ErrNotSupported)
	require.ErrorContains(t, err, "the backend fake does not say how large the allocation at 0x100 is: copy the memory instead")
}
