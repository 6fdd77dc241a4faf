package driver_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestClosedStreamRefusesWork(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	e := drivertest.Event(t, dev)
	pool, err := dev.DefaultPool()
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.True(t, s.Closed())

	for call, err := range map[string]error{
		"Close":              s.Close(),
		"Query":              second(s.Query()),
		"Synchronize":        s.Synchronize(),
		"WaitEvent":          s.WaitEvent(e),
		"LaunchHostFunc":     s.LaunchHostFunc(func() {}),
		"MemAllocAsync":      second(s.MemAllocAsync(kib)),
		"MemcpyHtoDAsync":    s.MemcpyHtoDAsync(256, []byte{1}),
		"empty copy":         s.MemcpyDtoHAsync(nil, 256),
		"MemsetD32Async":     s.MemsetD32Async(256, 0, 0),
		"Event.Record":       e.Record(s),
		"Pool.MemAllocAsync": second(pool.MemAllocAsync(kib, s)),
	} {
		require.ErrorIs(t, err, driver.ErrStreamClosed, call)
		require.ErrorContains(t, err, s.String(), call)
	}
}

func TestCloseDoesNotWaitForWork(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	require.NoError(t, dev.Synchronize())
	release := drivertest.Hold(t, s)
	require.NoError(t, s.MemsetD8Async(p, 3, kib))
	require.NoError(t, s.Close()) // hangs here if Close waits
	release()
	require.NoError(t, dev.Synchronize())
	require.Equal(t, repeated(3, kib), drivertest.Read(t, drivertest.Stream(t, dev), p, kib), "work enqueued before Close must still run")
}

// TestFreeOnClosedStreamIsOrderedAfterItsWork frees memory on a closed stream
// that is still going to write to it, and lets another stream take memory. If
// the free were not ordered, the late write would land in the taker's memory.
func TestFreeOnClosedStreamIsOrderedAfterItsWork(t *testing.T) {
	dev := drivertest.Device(t)
	writer, taker := drivertest.Stream(t, dev), drivertest.Stream(t, dev)
	pool := newPool(t, dev)
	p, err := pool.MemAllocAsync(mib, writer)
	require.NoError(t, err)
	require.NoError(t, writer.Synchronize())

	release := drivertest.Hold(t, writer)
	require.NoError(t, writer.MemsetD8Async(p, 0xbb, mib))
	require.NoError(t, writer.Close())
	require.NoError(t, writer.MemFreeAsync(p))
	q, err := pool.MemAllocAsync(mib, taker)
	require.NoError(t, err)
	require.NoError(t, taker.MemsetD8Async(q, 0x11, mib))
	release()
	require.NoError(t, dev.Synchronize())
	require.Equal(t, repeated(0x11, mib), drivertest.Read(t, taker, q, mib))
	require.NoError(t, taker.MemFreeAsync(q))
}

func TestFreeOnClosedIdleStream(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p, err := s.MemAllocAsync(kib)
	require.NoError(t, err)
	require.NoError(t, s.Synchronize())
	require.NoError(t, s.Close())
	require.NoError(t, s.MemFreeAsync(p))
	require.NoError(t, dev.Synchronize())
}

func TestFreeOnClosedStreamReportsABadPointer(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.MemFreeAsync(driver.Ptr(256)), driver.ErrInvalidValue)
}

// TestStreamsClosedWithWorkPendingLeaveNothing relies on the helper: at the end
// of the test no event or stream of the library's own may be left.
func TestStreamsClosedWithWorkPendingLeaveNothing(t *testing.T) {
	dev := drivertest.Device(t)
	held := drivertest.Stream(t, dev)
	e := drivertest.Event(t, dev)
	release := drivertest.Hold(t, held)
	require.NoError(t, e.Record(held))
	for range 20 {
		s, err := dev.NewStream(driver.StreamOptions{})
		require.NoError(t, err)
		require.NoError(t, s.WaitEvent(e))
		require.NoError(t, s.Close())
	}
	release()
	require.NoError(t, dev.Synchronize())
}

// TestCloseRacesWithUse closes a stream while others use it: calls succeed or
// say that the stream is closed, and what was allocated can be freed.
func TestCloseRacesWithUse(t *testing.T) {
	dev := drivertest.Device(t)
	e := drivertest.Event(t, dev)
	for range 50 {
		s, err := dev.NewStream(driver.StreamOptions{})
		require.NoError(t, err)
		var users sync.WaitGroup
		for range 4 {
			users.Go(func() {
				for {
					if err := useAndFree(s, e); errors.Is(err, driver.ErrStreamClosed) {
						return
					} else if err != nil {
						t.Errorf("use a stream that is being closed: %v", err)
						return
					}
				}
			})
		}
		require.NoError(t, s.Close())
		users.Wait()
	}
}

// useAndFree allocates, works and frees; the free must work however far the
// closing is.
func useAndFree(s *driver.Stream, e *driver.Event) error {
	p, err := s.MemAllocAsync(kib)
	if err != nil {
		return err
	}
	work := errors.Join(s.MemsetD8Async(p, 1, kib), e.Record(s), s.WaitEvent(e), second(s.Query()))
	if err := s.MemFreeAsync(p); err != nil {
		return errors.New("free: " + err.Error()) // not a stream that is closed, whatever it says
	}
	return work
}
