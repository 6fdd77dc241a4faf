package driver_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// beginCapture begins a relaxed capture of s, where the backend has captures.
func beginCapture(t *testing.T, s *driver.Stream) {
	t.Helper()
	needFeature(t, s.Device(), s.BeginCapture(driver.CaptureRelaxed))
}

// endCapture makes what was captured on s launchable, until the end of the test.
func endCapture(t *testing.T, s *driver.Stream) *driver.GraphExec {
	t.Helper()
	g, err := s.EndCapture()
	require.NoError(t, err)
	exec, err := g.Instantiate()
	require.NoError(t, err)
	require.NoError(t, g.Close())
	t.Cleanup(func() {
		if err := exec.Close(); !errorIsClosed(err) {
			require.NoError(t, err)
		}
	})
	return exec
}

func TestGraphRunsWhatWasCaptured(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	require.NoError(t, s.MemsetD8Async(p, 1, kib))
	beginCapture(t, s)
	require.NoError(t, s.MemsetD8Async(p, 2, kib))
	exec := endCapture(t, s)
	require.Equal(t, repeated(1, kib), drivertest.Read(t, s, p, kib), "captured work does not run")
	for range 2 {
		require.NoError(t, s.MemsetD8Async(p, 3, kib))
		require.NoError(t, exec.Launch(s))
		require.Equal(t, repeated(2, kib), drivertest.Read(t, s, p, kib))
	}
}

// TestCaptureSurvivesWaitAndClose: both refuse the stream and leave the capture
// alone.
func TestCaptureSurvivesWaitAndClose(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	beginCapture(t, s)
	require.ErrorIs(t, s.Wait(t.Context()), driver.ErrCapture)
	require.ErrorIs(t, s.Close(), driver.ErrCapture)
	status, id, err := s.CaptureStatus()
	require.NoError(t, err)
	require.Equal(t, driver.CaptureActive, status)
	require.NotZero(t, id)
	endCapture(t, s)
	require.NoError(t, s.Wait(t.Context()))
}

// TestManyCopiesLeaveACaptureAlone: beside a global-mode capture other streams
// are fed, waited for and closed, all without a query that would harm it.
func TestManyCopiesLeaveACaptureAlone(t *testing.T) {
	dev := drivertest.Device(t)
	fed, p := drivertest.Stream(t, dev), deviceMemory(t, dev, kib)
	captured := drivertest.Stream(t, dev)
	result := make(chan error, 1)
	runtime.LockOSThread() // a global-mode capture belongs to a thread
	defer runtime.UnlockOSThread()
	needFeature(t, dev, captured.BeginCapture(driver.CaptureGlobal))
	go func() {
		for range 200 {
			if err := fed.MemcpyHtoDAsync(p, make([]byte, 64)); err != nil {
				result <- err
				return
			}
		}
		if err := fed.Wait(t.Context()); err != nil {
			result <- err
			return
		}
		result <- fed.Close()
	}()
	require.NoError(t, <-result)
	endCapture(t, captured)
}

// TestSourceIsKeptForTheGraph: the graph reads it at every launch, also at one that
// is under way when the graph is closed.
func TestSourceIsKeptForTheGraph(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, 4*kib)
	beginCapture(t, s)
	collected := copyWatched(t, s, p)
	exec := endCapture(t, s)
	require.NoError(t, exec.Launch(s))
	require.NoError(t, s.Synchronize())
	requireKept(t, collected)
	require.NoError(t, exec.Launch(s))
	require.Equal(t, repeated(0, 4*kib), drivertest.Read(t, s, p, 4*kib))
	require.NoError(t, exec.Launch(s))
	require.NoError(t, exec.Close())
	requireKept(t, collected) // nobody has asked whether the launch is done
	require.NoError(t, s.Synchronize())
	requireCollected(t, collected)
	runtime.KeepAlive(exec)
}
