package driver_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// watched is Go memory of which the test hears when the collector takes it.
func watched(n int) (b []byte, collected chan struct{}) {
	b, collected = make([]byte, n), make(chan struct{})
	runtime.AddCleanup(&b[0], func(c chan struct{}) { close(c) }, collected)
	return b, collected
}

// copyWatched enqueues a copy from Go memory to which the caller keeps no
// reference. A copy of this size does not wait for the stream.
func copyWatched(t *testing.T, s *driver.Stream, p driver.Ptr) (collected chan struct{}) {
	t.Helper()
	b, collected := watched(4 * kib)
	done := make(chan error, 1)
	go func() { done <- s.MemcpyHtoDAsync(p, b) }()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(20 * time.Second):
		require.Fail(t, "a copy of 4 KiB from Go memory waits for the stream")
	}
	return collected
}

func requireKept(t *testing.T, collected chan struct{}) {
	t.Helper()
	for range 5 {
		runtime.GC()
		runtime.Gosched()
	}
	select {
	case <-collected:
		require.Fail(t, "the source of a copy was collected before the copy was done")
	default:
	}
}

func requireCollected(t *testing.T, collected chan struct{}) {
	t.Helper()
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-collected:
			return true
		default:
			return false
		}
	}, 20*time.Second, time.Millisecond, "the source of a finished copy is never given back")
}

func TestSourceIsKeptUntilTheStreamIsSynchronised(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, 4*kib)
	release := drivertest.Hold(t, s)
	collected := copyWatched(t, s, p)
	requireKept(t, collected)
	release()
	require.NoError(t, s.Synchronize())
	requireCollected(t, collected)
	runtime.KeepAlive(s)
}

func TestSourceIsGivenBackByQuery(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, 4*kib)
	release := drivertest.Hold(t, s)
	collected := copyWatched(t, s, p)
	requireBusy(t, s)
	requireKept(t, collected)
	release()
	require.Eventually(t, func() bool {
		done, err := s.Query()
		return done && err == nil
	}, 20*time.Second, time.Millisecond)
	requireCollected(t, collected)
	runtime.KeepAlive(s)
}

func TestSourceIsKeptThoughTheStreamIsClosed(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, 4*kib)
	release := drivertest.Hold(t, s)
	collected := copyWatched(t, s, p)
	require.NoError(t, s.Close())
	requireKept(t, collected)
	release()
	require.NoError(t, dev.Synchronize())
	requireCollected(t, collected)
}

func TestSourceIsKeptThoughTheWrapIsForgotten(t *testing.T) {
	dev, owner := twoOwners(t)
	theirs := foreignStream(t, owner)
	s, err := dev.WrapStream(theirs.Handle())
	require.NoError(t, err)
	p := deviceMemory(t, dev, 4*kib)
	release := drivertest.Hold(t, theirs)
	collected := copyWatched(t, s, p)
	require.NoError(t, s.Forget())
	requireKept(t, collected)
	release()
	require.NoError(t, dev.Synchronize())
	requireCollected(t, collected)
}

// TestStreamThatIsOnlyFedGivesSourcesBack never synchronises: the stream is asked
// now and then all the same.
func TestStreamThatIsOnlyFedGivesSourcesBack(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, 4*kib)
	collected := copyWatched(t, s, p)
	idle := drivertest.Event(t, dev)
	for range 200 {
		require.NoError(t, s.MemcpyHtoDAsync(p, make([]byte, 64)))
		require.NoError(t, idle.Record(s))
		require.NoError(t, idle.Synchronize())
	}
	requireCollected(t, collected)
	runtime.KeepAlive(s)
}
