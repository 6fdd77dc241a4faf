package driver_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func TestPeerAccessIsSwitchedOnAndOff(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	dev, peer := devices[0], devices[1]
	can, err := dev.CanAccessPeer(peer)
	needFeature(t, dev, err)
	if !can {
		t.Skipf("needs a GPU: two that reach each other, %v and %v do not", dev, peer)
	}
	const alreadyOn, alreadyOff = 704, 705
	require.NoError(t, dev.EnablePeerAccess(peer))
	require.Equal(t, alreadyOn, codeOf(t, dev.EnablePeerAccess(peer)))
	require.NoError(t, dev.DisablePeerAccess(peer))
	require.Equal(t, alreadyOff, codeOf(t, dev.DisablePeerAccess(peer)))
	can, err = dev.CanAccessPeer(dev)
	require.NoError(t, err)
	require.False(t, can, "a device is no peer of itself")
}

func codeOf(t *testing.T, err error) int {
	t.Helper()
	var failed *driver.Error
	require.ErrorAs(t, err, &failed)
	return failed.Code
}

func TestPoolIsOpenedToAnotherDevice(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	pool := newPool(t, devices[0])
	access := func(who *driver.Device) driver.Access {
		a, err := pool.Access(who)
		needFeature(t, who, err)
		return a
	}
	require.Equal(t, driver.AccessReadWrite, access(devices[0]))
	require.Equal(t, driver.AccessNone, access(devices[1]))
	can, err := devices[1].CanAccessPeer(devices[0])
	require.NoError(t, err)
	if !can {
		t.Skipf("needs a GPU: two that reach each other, %v and %v do not", devices[1], devices[0])
	}
	require.NoError(t, pool.SetAccess(devices[1], driver.AccessReadWrite))
	require.Equal(t, driver.AccessReadWrite, access(devices[1]))
	require.NoError(t, pool.SetAccess(devices[1], driver.AccessNone))
	require.Equal(t, driver.AccessNone, access(devices[1]))
	require.Error(t, pool.SetAccess(devices[0], driver.AccessNone), "a device keeps its own pool")
}

func TestIpcHandleOfMemory(t *testing.T) {
	dev := drivertest.Device(t)
	p := deviceMemory(t, dev, mib)
	h, err := dev.IpcMemHandle(p)
	needFeature(t, dev, err)
	again, err := dev.IpcMemHandle(p + kib)
	require.NoError(t, err)
	require.Equal(t, h, again, "the handle is of the whole allocation")
	_, err = dev.IpcOpenMem(h)
	require.ErrorIs(t, err, driver.ErrInvalidContext, "the exporting process has the memory already")
}

// sameProcess is a device whose process plays both sides of sharing.
func sameProcess(t *testing.T) *driver.Device {
	t.Helper()
	drivertest.NeedSim(t)
	dev, err := drivertest.OpenSim(t, sim.Config{SameProcessIPC: true}).DefaultDevice()
	require.NoError(t, err)
	return dev
}

func TestSharedMemoryIsOneMemory(t *testing.T) {
	dev := sameProcess(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, mib)
	h, err := dev.IpcMemHandle(p)
	require.NoError(t, err)
	q, err := dev.IpcOpenMem(h)
	require.NoError(t, err)
	drivertest.Fill(t, s, p, kib, 3)
	drivertest.Check(t, s, q, kib, 3)
	require.NoError(t, dev.IpcCloseMem(q))
	require.Error(t, dev.IpcCloseMem(q))
}

func TestSharedEventIsWaitedFor(t *testing.T) {
	dev := sameProcess(t)
	s := drivertest.Stream(t, dev)
	ours := drivertest.EventWith(t, dev, driver.EventOptions{Interprocess: true})
	h, err := ours.IpcHandle()
	require.NoError(t, err)
	theirs, err := dev.IpcOpenEvent(h)
	require.NoError(t, err)
	release := drivertest.Hold(t, s)
	require.NoError(t, ours.Record(s))
	done, err := theirs.Query()
	require.NoError(t, err)
	require.False(t, done)
	release()
	require.NoError(t, theirs.Wait(t.Context()))
	require.NoError(t, theirs.Close())
}

func TestSharedPoolSharesItsAllocations(t *testing.T) {
	dev := sameProcess(t)
	s := drivertest.Stream(t, dev)
	pool, err := dev.NewPool(driver.PoolOptions{Handles: driver.HandlePosixFD})
	require.NoError(t, err)
	exported, err := pool.Export(driver.HandlePosixFD)
	require.NoError(t, err)
	imported, err := dev.ImportPool(exported)
	require.NoError(t, err)
	require.NoError(t, os.NewFile(uintptr(exported.FD), "exported pool").Close())

	p, err := pool.MemAllocAsync(kib, s)
	require.NoError(t, err)
	name, err := pool.ExportPointer(p)
	require.NoError(t, err)
	q, err := imported.ImportPointer(name)
	require.NoError(t, err)
	drivertest.Fill(t, s, p, kib, 4)
	drivertest.Check(t, s, q, kib, 4)
	require.NoError(t, s.MemFreeAsync(q)) // the importer first
	require.NoError(t, s.MemFreeAsync(p))
	require.NoError(t, s.Synchronize())
	require.NoError(t, imported.Close())
	require.NoError(t, pool.Close())
}

func TestIpcHandleOfPoolMemoryIsRefused(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p, err := s.MemAllocAsync(kib)
	require.NoError(t, err)
	_, err = dev.IpcMemHandle(p)
	require.NoError(t, s.MemFreeAsync(p))
	require.Error(t, err)
}

func TestIpcHandleOfAnEvent(t *testing.T) {
	dev := drivertest.Device(t)
	shared := drivertest.EventWith(t, dev, driver.EventOptions{Interprocess: true})
	h, err := shared.IpcHandle()
	needFeature(t, dev, err)
	require.NotZero(t, h)
	_, err = drivertest.Event(t, dev).IpcHandle()
	require.Error(t, err, "it was not made with Interprocess")
	_, err = dev.NewEvent(driver.EventOptions{Interprocess: true, Timing: true})
	require.ErrorIs(t, err, driver.ErrInvalidValue)
}

// TestPoolWithoutHandlesIsNotExported: what may be exported is decided when the
// pool is made.
func TestPoolWithoutHandlesIsNotExported(t *testing.T) {
	dev := drivertest.Device(t)
	_, err := newPool(t, dev).Export(driver.HandlePosixFD)
	require.Error(t, err)
}
