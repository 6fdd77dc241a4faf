package driver_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// space reserves addresses for two pieces of the granularity, until the end of
// the test.
func space(t testing.TB, dev *driver.Device, handles driver.HandleType) (p driver.Ptr, piece int) {
	t.Helper()
	piece, err := dev.MemGranularity(handles)
	needFeature(t, dev, err)
	p, err = dev.MemAddressReserve(2*piece, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.MemAddressFree(p, 2*piece)) })
	return p, piece
}

// mapAt maps memory at p for its device, until unmap is called.
func mapAt(t testing.TB, h *driver.MemHandle, p driver.Ptr) (unmap func()) {
	t.Helper()
	require.NoError(t, h.Map(p))
	require.NoError(t, h.Device().MemSetAccess(p, h.Size(), h.Device(), driver.AccessReadWrite))
	return func() {
		t.Helper()
		require.NoError(t, h.Device().Synchronize())
		require.NoError(t, h.Device().MemUnmap(p, h.Size()))
	}
}

func TestPhysicalMemoryMovesToAnotherAddress(t *testing.T) {
	dev := drivertest.Device(t)
	p, piece := space(t, dev, driver.HandleNone)
	s := drivertest.Stream(t, dev)
	h, err := dev.MemCreate(piece, driver.HandleNone)
	require.NoError(t, err)
	require.Equal(t, piece, h.Size())

	unmap := mapAt(t, h, p)
	drivertest.Fill(t, s, p, piece, 1)
	unmap()
	elsewhere := p + driver.Ptr(piece)
	unmap = mapAt(t, h, elsewhere)
	drivertest.Check(t, s, elsewhere, piece, 1)

	require.NoError(t, h.Release())
	drivertest.Check(t, s, elsewhere, piece, 1) // mapped memory outlives its handle
	unmap()
	require.ErrorIs(t, h.Map(p), driver.ErrClosed)
	require.ErrorIs(t, h.Release(), driver.ErrClosed)
}

func TestPhysicalMemoryIsSharedThroughAFile(t *testing.T) {
	dev := drivertest.Device(t)
	p, piece := space(t, dev, driver.HandlePosixFD)
	s := drivertest.Stream(t, dev)
	h, err := dev.MemCreate(piece, driver.HandlePosixFD)
	needFeature(t, dev, err)
	exported, err := h.Export(driver.HandlePosixFD)
	require.NoError(t, err)
	again, err := dev.MemImport(exported, piece)
	require.NoError(t, err)
	require.NoError(t, os.NewFile(uintptr(exported.FD), "exported memory").Close())

	unmap, unmapAgain := mapAt(t, h, p), mapAt(t, again, p+driver.Ptr(piece))
	drivertest.Fill(t, s, p, piece, 2)
	drivertest.Check(t, s, p+driver.Ptr(piece), piece, 2)
	unmap()
	unmapAgain()
	require.NoError(t, h.Release())
	require.NoError(t, again.Release())
}

func TestMemoryOfAnOddSizeIsRefused(t *testing.T) {
	dev := drivertest.Device(t)
	_, piece := space(t, dev, driver.HandleNone)
	_, err := dev.MemCreate(piece+1, driver.HandleNone)
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	var failed *driver.Error
	require.ErrorAs(t, err, &failed)
}
