package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// TestHeldWorkIsNotVisible holds a stream back: nothing enqueued behind shows
// before the release.
func TestHeldWorkIsNotVisible(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	_, view := pinnedMemory(t, dev, kib)
	copy(view, repeated(1, kib))
	require.NoError(t, dev.Synchronize())

	release := drivertest.Hold(t, s)
	require.NoError(t, s.MemsetD8Async(p, 2, kib))
	require.NoError(t, s.MemcpyDtoHAsync(view, p))
	requireBusy(t, s)
	require.Equal(t, repeated(1, kib), view)
	release()
	require.NoError(t, s.Synchronize())
	require.Equal(t, repeated(2, kib), view)
	requireIdle(t, s)
}

// TestStreamsOverlap completes work on one stream while another is held.
func TestStreamsOverlap(t *testing.T) {
	dev := drivertest.Device(t)
	held, free := drivertest.Stream(t, dev), drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	_, view := pinnedMemory(t, dev, kib)
	require.NoError(t, dev.Synchronize())

	release := drivertest.Hold(t, held)
	require.NoError(t, free.MemsetD8Async(p, 5, kib))
	require.NoError(t, free.MemcpyDtoHAsync(view, p))
	require.NoError(t, free.Synchronize())
	require.Equal(t, repeated(5, kib), view)
	requireBusy(t, held)
	release()
}

// TestPinnedSourceIsReadLate changes the source of a copy that is held back: from
// pinned memory CUDA reads when the copy runs.
func TestPinnedSourceIsReadLate(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	_, view := pinnedMemory(t, dev, kib)
	copy(view, repeated(1, kib))
	require.NoError(t, dev.Synchronize())

	release := drivertest.Hold(t, s)
	require.NoError(t, s.MemcpyHtoDAsync(p, view))
	copy(view, repeated(2, kib))
	release()
	require.Equal(t, repeated(2, kib), drivertest.Read(t, s, p, kib))
}

// TestGoSourceIsReadAtOnce does the same from Go memory, which CUDA stages before
// the call returns.
func TestGoSourceIsReadAtOnce(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	src := repeated(1, kib)
	require.NoError(t, s.MemcpyHtoDAsync(p, src))
	copy(src, repeated(2, kib))
	require.Equal(t, repeated(1, kib), drivertest.Read(t, s, p, kib))
}

// TestDefaultStreamAndBlockingStreams: the default stream waits for blocking
// streams and they for it; non-blocking streams take no part.
func TestDefaultStreamAndBlockingStreams(t *testing.T) {
	drivertest.Unchecked(t) // that a stream overtakes the others is the point
	dev := drivertest.Device(t)
	blocking := drivertest.StreamWith(t, dev, driver.StreamOptions{Blocking: true})
	another := drivertest.StreamWith(t, dev, driver.StreamOptions{Blocking: true})
	apart := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	require.NoError(t, dev.Synchronize())

	release := drivertest.Hold(t, blocking)
	require.NoError(t, dev.DefaultStream().MemsetD8Async(p, 1, kib))
	require.NoError(t, another.MemsetD8Async(p+512, 2, 512))
	require.NoError(t, apart.MemsetD8Async(p, 3, 1))
	require.NoError(t, apart.Synchronize())
	requireBusy(t, dev.DefaultStream())
	requireBusy(t, another)
	release()
	require.NoError(t, another.Synchronize())
	want := append(repeated(1, 512), repeated(2, 512)...)
	require.Equal(t, want, drivertest.Read(t, another, p, kib))
}

// TestDeviceSynchronizeWaitsForAllStreams has every stream write its mark; one
// synchronisation must show them all.
func TestDeviceSynchronizeWaitsForAllStreams(t *testing.T) {
	dev := drivertest.Device(t)
	gate := drivertest.Stream(t, dev)
	e := drivertest.Event(t, dev)
	_, view := pinnedMemory(t, dev, 16)
	p := deviceMemory(t, dev, 16)
	require.NoError(t, dev.Synchronize())

	release := drivertest.Hold(t, gate)
	require.NoError(t, e.Record(gate))
	var streams []*driver.Stream
	for i := range 16 {
		s := drivertest.Stream(t, dev)
		require.NoError(t, s.WaitEvent(e))
		require.NoError(t, s.MemsetD8Async(p+driver.Ptr(i), byte(i+1), 1))
		require.NoError(t, s.MemcpyDtoHAsync(view[i:i+1], p+driver.Ptr(i)))
		streams = append(streams, s)
	}
	release()
	require.NoError(t, dev.Synchronize())
	for i, s := range streams {
		requireIdle(t, s)
		require.EqualValues(t, i+1, view[i])
	}
}
