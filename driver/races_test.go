package driver

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFreeWhileTheStreamIsBeingClosed frees memory when Close has begun and the
// closing event is not there yet: the free must wait for the event, not fail.
func TestFreeWhileTheStreamIsBeingClosed(t *testing.T) {
	for _, moment := range []string{"LaunchHostFunc", "EventCreate", "EventRecord", "StreamDestroy"} {
		fake, dev := newFake()
		fake.setPending(true)
		s := ownStream(t, dev)
		require.NoError(t, s.MemcpyHtoDAsync(256, make([]byte, 8))) // Close hands it to a host function
		freed := make(chan error, 1)
		fake.act(moment, func() {
			require.True(t, s.Closed())
			go func() { freed <- s.MemFreeAsync(256) }()
			for range 1000 { // time enough for a free that does not wait to go wrong
				runtime.Gosched()
			}
		})
		require.NoError(t, s.Close())
		require.NoError(t, <-freed, moment)
		require.Equal(t, 1, fake.count("StreamWaitEvent"), "%s: the free was not ordered after the stream's work", moment)
	}
}

// TestSourceIsHeldThroughAnothersSynchronisation lets another goroutine
// synchronise the stream while a copy is being enqueued: that proves nothing
// about the copy, so its source stays held.
func TestSourceIsHeldThroughAnothersSynchronisation(t *testing.T) {
	fake, dev := newFake()
	s := ownStream(t, dev)
	fake.act("MemcpyHtoDAsync", func() { require.NoError(t, s.Synchronize()) })
	require.NoError(t, s.MemcpyHtoDAsync(256, make([]byte, 8)))
	require.Len(t, s.host.refs, 1)
	require.NoError(t, s.Synchronize())
	require.Empty(t, s.host.refs)
}

// TestStreamThatIsOnlyFedIsAsked: without any synchronisation the references to
// finished copies do not pile up.
func TestStreamThatIsOnlyFedIsAsked(t *testing.T) {
	fake, dev := newFake()
	s := ownStream(t, dev)
	for range 3 * holdCount {
		fake.act("MemcpyHtoDAsync", func() { fake.setPending(true) })
		require.NoError(t, s.MemcpyHtoDAsync(256, make([]byte, 8)))
		fake.setPending(false)
	}
	require.LessOrEqual(t, len(s.host.refs), holdCount)
}

// TestDriverClosedWhileAStreamIsMade closes the driver in the middle of
// NewStream: the stream counts from the beginning of the call.
func TestDriverClosedWhileAStreamIsMade(t *testing.T) {
	fake, dev := newFake()
	fake.act("StreamCreate", func() { require.ErrorIs(t, dev.drv.Close(), ErrOutstanding) })
	s := ownStream(t, dev)
	require.NoError(t, s.Close())
	require.NoError(t, dev.drv.Close())
}

// TestClosingEventsAreDestroyed closes streams that never finish their work:
// closing the driver destroys their events.
func TestClosingEventsAreDestroyed(t *testing.T) {
	fake, dev := newFake()
	fake.setPending(true)
	for range 10 {
		require.NoError(t, ownStream(t, dev).Close())
	}
	require.Zero(t, fake.count("EventDestroy"))
	require.NoError(t, dev.drv.Close())
	require.Equal(t, fake.count("EventCreate"), fake.count("EventDestroy"))
}

// TestClosingEventsDoNotPileUp: a stream that finishes later gives its event
// back when the next stream is closed.
func TestClosingEventsDoNotPileUp(t *testing.T) {
	fake, dev := newFake()
	fake.setPending(true)
	for range 10 {
		require.NoError(t, ownStream(t, dev).Close())
	}
	fake.setPending(false)
	require.NoError(t, ownStream(t, dev).Close())
	require.Equal(t, fake.count("EventCreate"), fake.count("EventDestroy"))
}

// TestWrappersAllocateNothing measures this package alone, over a backend that
// does nothing.
func TestWrappersAllocateNothing(t *testing.T) {
	fake, dev := newFake()
	s := ownStream(t, dev)
	fake.silent = true
	e, err := dev.NewEvent(EventOptions{})
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = e.Record(s)
		_ = s.WaitEvent(e)
		_, _ = e.Query()
		_ = s.Synchronize()
		_ = s.MemFreeAsync(256)
	}))
}
