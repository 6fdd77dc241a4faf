package driver_test

import (
	"errors"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// TestManyWaiters has 10 000 goroutines wait for events of 64 streams, while
// somebody captures in global mode. All are woken, they take next to no threads,
// and the capture does not notice.
func TestManyWaiters(t *testing.T) {
	const waiters, streams, moreThreads = 10_000, 64, 16
	runtime.LockOSThread() // a global-mode capture belongs to a thread
	defer runtime.UnlockOSThread()
	dev := drivertest.Device(t)
	events, release := heldEvents(t, dev, streams)
	endCapture := captureGlobally(t, dev)

	before := threads(t)
	woken := make(chan error, waiters)
	for i := range waiters {
		go func() { woken <- events[i%streams].Wait(t.Context()) }()
	}
	require.Eventually(t, func() bool { return driver.Waiting(dev) == waiters }, time.Minute, time.Millisecond)
	require.Empty(t, woken, "a wait ended before the work")
	release()
	for range waiters {
		require.NoError(t, <-woken)
	}
	require.LessOrEqual(t, threads(t), before+moreThreads)
	endCapture()
}

// heldEvents are the events behind the work of n streams, none of which begins
// before release is called.
func heldEvents(t *testing.T, dev *driver.Device, n int) (events []*driver.Event, release func()) {
	t.Helper()
	gate, open := drivertest.Stream(t, dev), drivertest.Event(t, dev)
	streams := make([]*driver.Stream, n)
	for i := range streams {
		streams[i] = drivertest.Stream(t, dev)
		events = append(events, drivertest.Event(t, dev))
	}
	release = drivertest.Hold(t, gate)
	require.NoError(t, open.Record(gate))
	for i, s := range streams {
		require.NoError(t, s.WaitEvent(open))
		require.NoError(t, events[i].Record(s))
	}
	return events, release
}

// captureGlobally begins a capture that any unsafe call of the process would
// invalidate. end shows that none has. Where the backend has no captures it does
// nothing. The caller holds its thread.
func captureGlobally(t *testing.T, dev *driver.Device) (end func()) {
	t.Helper()
	s := drivertest.Stream(t, dev)
	err := s.BeginCapture(driver.CaptureGlobal)
	if errors.Is(err, driver.ErrNotSupported) && dev.Driver().Backend() == driver.Sim {
		return func() {}
	}
	require.NoError(t, err)
	return func() {
		g, err := s.EndCapture()
		require.NoError(t, err, "somebody has harmed the capture")
		require.NoError(t, g.Close())
	}
}

// threads is the number of threads of the process; where only Go's own can be
// counted, of those.
func threads(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return pprof.Lookup("threadcreate").Count()
	}
	found := regexp.MustCompile(`(?m)^Threads:\s*(\d+)$`).FindSubmatch(status)
	require.NotNil(t, found)
	n, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return n
}

// TestWaitsAmongManyStreams waits for streams instead of events: each wait
// records an event of its own.
func TestWaitsAmongManyStreams(t *testing.T) {
	const waiters = 1000
	dev := drivertest.Device(t)
	held := drivertest.Stream(t, dev)
	release := drivertest.Hold(t, held)
	before := threads(t)
	woken := make(chan error, waiters)
	for range waiters {
		go func() { woken <- held.Wait(t.Context()) }()
	}
	require.Eventually(t, func() bool { return driver.Waiting(dev) == waiters }, time.Minute, time.Millisecond)
	release()
	for range waiters {
		require.NoError(t, <-woken)
	}
	require.LessOrEqual(t, threads(t), before+2*runtime.GOMAXPROCS(0)+16)
}
