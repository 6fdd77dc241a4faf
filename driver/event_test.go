package driver_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestEventFollowsItsStream(t *testing.T) {
	dev := drivertest.Device(t)
	s, e := drivertest.Stream(t, dev), drivertest.Event(t, dev)
	require.Same(t, dev, e.Device())
	require.NotZero(t, e.Handle())

	release := drivertest.Hold(t, s)
	require.NoError(t, e.Record(s))
	done, err := e.Query()
	require.NoError(t, err)
	require.False(t, done)
	release()
	require.NoError(t, e.Synchronize())
	done, err = e.Query()
	require.NoError(t, err)
	require.True(t, done)
}

func TestUnrecordedEventIsComplete(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	e := drivertest.EventWith(t, dev, driver.EventOptions{BlockingSync: true})
	done, err := e.Query()
	require.NoError(t, err)
	require.True(t, done)
	require.NoError(t, e.Synchronize())
	require.NoError(t, s.WaitEvent(e))
	requireIdle(t, s)
}

func TestWaitEventOrdersStreams(t *testing.T) {
	dev := drivertest.Device(t)
	writer, reader := drivertest.Stream(t, dev), drivertest.Stream(t, dev)
	e := drivertest.Event(t, dev)
	p, q := deviceMemory(t, dev, mib), deviceMemory(t, dev, mib)

	release := drivertest.Hold(t, writer)
	require.NoError(t, writer.MemsetD8Async(p, 8, mib))
	require.NoError(t, e.Record(writer))
	require.NoError(t, reader.WaitEvent(e))
	require.NoError(t, reader.MemcpyDtoDAsync(q, p, mib))
	requireBusy(t, reader)
	release()
	require.Equal(t, repeated(8, mib), drivertest.Read(t, reader, q, mib))
}

// TestRecordAgain moves an event to another stream: queries follow, waits that
// were enqueued before do not.
func TestRecordAgain(t *testing.T) {
	dev := drivertest.Device(t)
	held, idle, waiting := drivertest.Stream(t, dev), drivertest.Stream(t, dev), drivertest.Stream(t, dev)
	e := drivertest.Event(t, dev)

	release := drivertest.Hold(t, held)
	require.NoError(t, e.Record(held))
	require.NoError(t, waiting.WaitEvent(e))
	require.NoError(t, e.Record(idle))
	require.NoError(t, e.Synchronize()) // hangs if it still stands for the held stream
	requireBusy(t, waiting)
	release()
	require.NoError(t, waiting.Synchronize())
}

func TestEventClosedWhileWaitedFor(t *testing.T) {
	dev := drivertest.Device(t)
	held, waiting := drivertest.Stream(t, dev), drivertest.Stream(t, dev)
	e := drivertest.Event(t, dev)
	release := drivertest.Hold(t, held)
	require.NoError(t, e.Record(held))
	require.NoError(t, waiting.WaitEvent(e))
	require.NoError(t, e.Close())
	requireBusy(t, waiting)
	release()
	require.NoError(t, waiting.Synchronize())
}

func TestElapsed(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	timing := driver.EventOptions{Timing: true}
	start, end := drivertest.EventWith(t, dev, timing), drivertest.EventWith(t, dev, timing)
	p := deviceMemory(t, dev, 16*mib)

	require.NoError(t, start.Record(s))
	require.NoError(t, s.MemsetD8Async(p, 1, 16*mib))
	require.NoError(t, end.Record(s))
	require.NoError(t, end.Synchronize())
	took, err := end.Elapsed(start)
	require.NoError(t, err)
	require.Positive(t, took)
}

func TestElapsedNeedsCompletedTimingEvents(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	timing := driver.EventOptions{Timing: true}
	start, end := drivertest.EventWith(t, dev, timing), drivertest.EventWith(t, dev, timing)
	_, err := end.Elapsed(start)
	require.ErrorIs(t, err, driver.ErrInvalidHandle, "never recorded")
	_, err = end.Elapsed(drivertest.Event(t, dev))
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	require.ErrorContains(t, err, "Timing: true")

	require.NoError(t, start.Record(s))
	release := drivertest.Hold(t, s)
	require.NoError(t, end.Record(s))
	_, err = end.Elapsed(start)
	require.ErrorIs(t, err, driver.ErrNotReady)
	release()
}

func TestEventOfAnotherDevice(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	e := drivertest.Event(t, devices[0])
	home, away := drivertest.Stream(t, devices[0]), drivertest.Stream(t, devices[1])
	err := e.Record(away)
	require.ErrorIs(t, err, driver.ErrWrongDevice)
	require.ErrorContains(t, err, devices[0].String())
	require.ErrorContains(t, err, devices[1].String())

	release := drivertest.Hold(t, home)
	require.NoError(t, e.Record(home))
	require.NoError(t, away.WaitEvent(e), "waiting across devices works")
	requireBusy(t, away)
	release()
	require.NoError(t, away.Synchronize())
}

func TestEventOfAnotherDriver(t *testing.T) {
	dev, other := drivertest.Device(t), drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	timing := driver.EventOptions{Timing: true}
	e := drivertest.EventWith(t, other, timing)
	require.ErrorIs(t, s.WaitEvent(e), driver.ErrWrongDevice)
	require.ErrorIs(t, e.Record(s), driver.ErrWrongDevice)
	_, err := e.Elapsed(drivertest.EventWith(t, dev, timing))
	require.ErrorIs(t, err, driver.ErrWrongDevice)
}

func TestClosedEvent(t *testing.T) {
	dev := drivertest.Device(t)
	s, e := drivertest.Stream(t, dev), drivertest.Event(t, dev)
	require.NoError(t, e.Close())
	for call, err := range map[string]error{
		"Close":       e.Close(),
		"Record":      e.Record(s),
		"Query":       second(e.Query()),
		"Synchronize": e.Synchronize(),
		"Elapsed":     second(e.Elapsed(e)),
		"WaitEvent":   s.WaitEvent(e),
	} {
		require.ErrorIs(t, err, driver.ErrClosed, call)
	}
}

func TestNilEvent(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	var e *driver.Event
	for call, err := range map[string]error{
		"Close":       e.Close(),
		"Record":      e.Record(s),
		"Query":       second(e.Query()),
		"Synchronize": e.Synchronize(),
		"Elapsed":     second(drivertest.EventWith(t, dev, driver.EventOptions{Timing: true}).Elapsed(e)),
		"WaitEvent":   s.WaitEvent(e),
	} {
		require.ErrorIs(t, err, driver.ErrInvalidValue, call)
		require.ErrorContains(t, err, "the event is nil", call)
	}
}

func TestEventCloseRacesWithUse(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	for range 100 {
		e, err := dev.NewEvent(driver.EventOptions{})
		require.NoError(t, err)
		var users sync.WaitGroup
		for range 4 {
			users.Go(func() {
				var err error
				for err == nil {
					if err = e.Record(s); err == nil {
						err = s.WaitEvent(e)
					}
				}
				if !errorIsClosed(err) {
					t.Errorf("use an event that is being closed: %v", err)
				}
			})
		}
		require.NoError(t, e.Close())
		users.Wait()
	}
}
