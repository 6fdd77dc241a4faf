package replay

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/eventlog"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

var modes = []Mode{Sequential, Parallel}

// forModes runs a test in each mode.
func forModes(t *testing.T, f func(t *testing.T, mode Mode)) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) { f(t, mode) })
	}
}

func trace(t testing.TB) *Log {
	t.Helper()
	log, err := Compile(eventlog.File("../cmd/rmm/testdata/trace.csv.gz"))
	require.NoError(t, err)
	return log
}

func TestReplayOfARealTrace(t *testing.T) {
	log := trace(t)
	for name, build := range map[string]func(*driver.Device) (mr.Resource, error){
		"cuda":       func(d *driver.Device) (mr.Resource, error) { return mr.NewCuda(d) },
		"cuda-async": func(d *driver.Device) (mr.Resource, error) { return mr.NewCudaAsync(d, mr.CudaAsyncOptions{}) },
	} {
		t.Run(name, func(t *testing.T) {
			forModes(t, func(t *testing.T, mode Mode) {
				resource, err := build(drivertest.Device(t))
				require.NoError(t, err)
				got, err := Run(t.Context(), log, resource, Options{Mode: mode, Repeat: 2})
				require.NoError(t, err)
				require.NoError(t, got.FirstFailure)
				requireTimes(t, got)
				require.Positive(t, got.PeakReservedBytes)
				require.Equal(t, Result{
					Mode: mode, Threads: 9, Streams: 8, Events: 4788, PeakLiveBytes: 588751104,
				}, withoutMeasurements(got))
				if c, ok := resource.(io.Closer); ok {
					require.NoError(t, c.Close(), "nothing is outstanding")
				}
			})
		})
	}
}

// requireTimes checks that the times make sense beside each other.
func requireTimes(t *testing.T, r Result) {
	t.Helper()
	require.Positive(t, r.ColdNsPerOpMean)
	require.Positive(t, r.NsPerOpMean)
	require.LessOrEqual(t, r.NsPerOpMedian, r.NsPerOpP99)
	require.LessOrEqual(t, r.NsPerOpP99, r.NsPerOpMax)
	require.LessOrEqual(t, r.NsPerOpMean, float64(r.NsPerOpMax))
}

// withoutMeasurements is what a result says about the log.
func withoutMeasurements(r Result) Result {
	r.ColdNsPerOpMean, r.NsPerOpMean, r.NsPerOpMedian, r.NsPerOpP99, r.NsPerOpMax = 0, 0, 0, 0, 0
	r.PeakReservedBytes = 0
	return r
}

// odd is a log with everything that is not replayed, and something left live.
func odd() []eventlog.Event {
	return []eventlog.Event{
		allocRow(1, 0x1000, 100, 0),
		allocRow(2, 0x2000, 200, 5),
		{Action: eventlog.AllocateFailure, Thread: 2, Size: 1 << 40},
		freeRow(2, 0x9000, 0),
		allocRow(1, 0, 0, 0),
		freeRow(1, 0, 0),
		freeRow(2, 0x1000, 5), // on another stream and thread
	}
}

func TestReplayOfAnOddLog(t *testing.T) {
	forModes(t, func(t *testing.T, mode Mode) {
		resource := newAddress(drivertest.Device(t), odd())
		got, err := Run(t.Context(), compile(t, odd()...), resource, Options{Mode: mode, Repeat: 3})
		require.NoError(t, err)
		require.Equal(t, Result{
			Mode: mode, Threads: 2, Streams: 2, Events: 7, PeakLiveBytes: 512,
			UnmatchedFrees: 1, LiveAtEnd: 1, LiveBytesAtEnd: 200, LoggedFailures: 1,
		}, withoutMeasurements(got))
		require.Empty(t, resource.live, "what the log left live is freed")
		require.Len(t, resource.calls, 3*4)
	})
}

func TestSequentialKeepsTheOrderOfTheLog(t *testing.T) {
	events := odd()
	resource := newAddress(drivertest.Device(t), events)
	_, err := Run(t.Context(), compile(t, events...), resource, Options{Repeat: 2})
	require.NoError(t, err)
	pass := []string{"allocate 100", "allocate 200", "free 100", "free 200"}
	require.Equal(t, slices.Concat(pass, pass), resource.calls)
}

func TestEmptyLog(t *testing.T) {
	forModes(t, func(t *testing.T, mode Mode) {
		got, err := Run(t.Context(), compile(t), newAddress(drivertest.Device(t), nil), Options{Mode: mode})
		require.NoError(t, err)
		require.Equal(t, Result{Mode: mode}, got)
	})
}

// drawLog makes a log as a correct program would leave it. Each size occurs
// once.
func drawLog(t *rapid.T) (events []eventlog.Event) {
	var live []eventlog.Event
	for row := range rapid.IntRange(0, 80).Draw(t, "rows") {
		thread := rapid.Uint64Range(1, 4).Draw(t, "thread")
		stream := rapid.Uint64Range(0, 3).Draw(t, "stream")
		if len(live) > 0 && rapid.Bool().Draw(t, "free") {
			i := rapid.IntRange(0, len(live)-1).Draw(t, "which")
			events = append(events, freeRow(thread, live[i].Ptr, stream))
			live = slices.Delete(live, i, i+1)
			continue
		}
		e := allocRow(thread, rapid.Uint64Range(1, 12).Draw(t, "place")<<10, row+rapid.IntRange(0, 3).Draw(t, "KiB")<<10+1, stream)
		if !slices.ContainsFunc(live, func(l eventlog.Event) bool { return overlap(l, e) }) {
			events, live = append(events, e), append(live, e)
		}
	}
	return events
}

func overlap(a, b eventlog.Event) bool {
	return a.Ptr < b.Ptr+uint64(b.Size) && b.Ptr < a.Ptr+uint64(a.Size)
}

// TestEveryOrderIsOneThatTheLogAllows replays random logs on memory that lies
// where the log says, so that a free before its allocation, or a reuse before
// the free, is an error.
func TestEveryOrderIsOneThatTheLogAllows(t *testing.T) {
	dev := drivertest.Device(t)
	rapid.Check(t, func(rt *rapid.T) {
		events := drawLog(rt)
		log := compile(t, events...)
		for _, mode := range modes {
			resource := newAddress(dev, events)
			got, err := Run(t.Context(), log, resource, Options{Mode: mode, Repeat: 2})
			require.NoError(rt, err)
			require.NoError(rt, got.FirstFailure)
			require.Equal(rt, log.Summary().LiveAtEnd, got.LiveAtEnd)
			require.Equal(rt, log.Summary().LiveBytesAtEnd, got.LiveBytesAtEnd)
			require.Empty(rt, resource.live)
			require.Len(rt, resource.calls, 2*(log.Operations()+got.LiveAtEnd))
		}
	})
}

func TestOutOfMemoryIsCounted(t *testing.T) {
	forModes(t, func(t *testing.T, mode Mode) {
		resource := &limit{dev: drivertest.Device(t), size: 150}
		got, err := Run(t.Context(), compile(t, odd()...), resource, Options{Mode: mode, Repeat: 2})
		require.NoError(t, err)
		require.Zero(t, got.Failed)
		require.Equal(t, 2, got.OutOfMemory, "once in each pass")
		require.ErrorIs(t, got.FirstFailure, driver.ErrOutOfMemory)
		require.Zero(t, got.LiveAtEnd, "the allocation that the log leaves live has failed")
		require.Zero(t, resource.used)
	})
}

func TestFreeOfAFailedAllocationIsLeftOut(t *testing.T) {
	resource := &limit{dev: drivertest.Device(t), size: 50}
	log := compile(t, allocRow(1, 0x1000, 100, 0), freeRow(1, 0x1000, 0))
	got, err := Run(t.Context(), log, resource, Options{})
	require.NoError(t, err)
	require.Equal(t, 1, got.OutOfMemory)
	require.Zero(t, resource.used)
	require.Zero(t, got.NsPerOpMax, "the time of a failed call is not counted")
}

func TestWhatAPassLeftLiveIsNotFreedByTheNext(t *testing.T) {
	forModes(t, func(t *testing.T, mode Mode) {
		resource := &limit{dev: drivertest.Device(t), size: 1 << 20, last: 2 << 20}
		got, err := Run(t.Context(), compile(t, odd()...), resource, Options{Mode: mode, Repeat: 2})
		require.NoError(t, err)
		require.Equal(t, 2, got.OutOfMemory, "both allocations of the second pass")
		require.Zero(t, got.LiveAtEnd)
		require.Zero(t, resource.used)
	})
}

func TestOtherFailuresAreCounted(t *testing.T) {
	forModes(t, func(t *testing.T, mode Mode) {
		broken := errors.New("broken")
		resource := &limit{dev: drivertest.Device(t), size: 1 << 20, failFree: broken}
		got, err := Run(t.Context(), compile(t, odd()...), resource, Options{Mode: mode})
		require.NoError(t, err)
		require.Equal(t, 2, got.Failed, "the log's free, and that of what it leaves live")
		require.Zero(t, got.OutOfMemory)
		require.ErrorIs(t, got.FirstFailure, broken)
	})
}

// cancelling cancels a context at a certain call.
type cancelling struct {
	*limit
	cancel context.CancelCauseFunc
	after  driver.Ptr
}

var errEnough = errors.New("enough")

func (c *cancelling) Allocate(size, align int, s *driver.Stream) (driver.Ptr, error) {
	p, err := c.limit.Allocate(size, align, s)
	if p == c.after {
		c.cancel(errEnough)
	}
	return p, err
}

func TestCancel(t *testing.T) {
	log := trace(t)
	forModes(t, func(t *testing.T, mode Mode) {
		ctx, cancel := context.WithCancelCause(t.Context())
		resource := &cancelling{&limit{dev: drivertest.Device(t), size: 1 << 40}, cancel, 1000 << 20}
		_, err := Run(ctx, log, resource, Options{Mode: mode, Repeat: 1000})
		require.ErrorIs(t, err, errEnough)
		require.ErrorContains(t, err, "replay ended in pass ")
		require.Zero(t, resource.used, "everything is freed")
	})
}

func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	resource := newAddress(drivertest.Device(t), odd())
	_, err := Run(ctx, compile(t, odd()...), resource, Options{})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, resource.calls)
}

func TestProgress(t *testing.T) {
	forModes(t, func(t *testing.T, mode Mode) {
		log := trace(t)
		var told []int
		_, err := Run(t.Context(), log, &limit{dev: drivertest.Device(t), size: 1 << 40}, Options{Mode: mode, Repeat: 3, Progress: func(done, total int) {
			require.Equal(t, 3*log.Operations(), total)
			told = append(told, done)
		}})
		require.NoError(t, err)
		require.True(t, slices.IsSorted(told))
		for pass := range 3 {
			require.Contains(t, told, (pass+1)*log.Operations(), "the end of each pass is told")
		}
	})
}

func TestRunRefuses(t *testing.T) {
	dev := drivertest.Device(t)
	log, resource := compile(t), &limit{dev: dev}
	for want, run := range map[string]func() (Result, error){
		"the log is nil":           func() (Result, error) { return Run(t.Context(), nil, resource, Options{}) },
		"no resource":              func() (Result, error) { return Run(t.Context(), log, (*limit)(nil), Options{}) },
		"has no device":            func() (Result, error) { return Run(t.Context(), log, &limit{}, Options{}) },
		"unknown mode Mode(7)":     func() (Result, error) { return Run(t.Context(), log, resource, Options{Mode: 7}) },
		"must not be negative":     func() (Result, error) { return Run(t.Context(), log, resource, Options{Repeat: -1}) },
		"the log has 1025 threads": func() (Result, error) { return Run(t.Context(), manyThreads(t), resource, Options{Mode: Parallel}) },
	} {
		_, err := run()
		require.ErrorIs(t, err, driver.ErrInvalidValue, want)
		require.ErrorContains(t, err, want)
	}
	got, err := Run(t.Context(), manyThreads(t), resource, Options{})
	require.NoError(t, err, "sequential takes any number")
	require.Equal(t, MaxParallel+1, got.Threads)
}

func manyThreads(t testing.TB) *Log {
	events := make([]eventlog.Event, MaxParallel+1)
	for i := range events {
		events[i] = allocRow(uint64(i), uint64(i+1)<<20, 0, 0)
	}
	return compile(t, events...)
}

func TestRunOnAClosedDriver(t *testing.T) {
	drv := drivertest.Open(t)
	dev, err := drv.DefaultDevice()
	require.NoError(t, err)
	require.NoError(t, drv.Close())
	_, err = Run(t.Context(), compile(t, odd()...), &limit{dev: dev}, Options{})
	require.ErrorIs(t, err, driver.ErrClosed)
	require.ErrorContains(t, err, "make stream 1 of 2 for the replay")
}

func TestAPassAllocatesNoMemory(t *testing.T) {
	drivertest.Unchecked(t)
	resource := &limit{dev: drivertest.Device(t), size: 1 << 40}
	r, err := newRunner(trace(t), resource, Options{})
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(5, r.lanes[0].run))
	require.NoError(t, r.close())
}

func TestModes(t *testing.T) {
	for _, mode := range modes {
		got, err := ParseMode(strings.ToUpper(mode.String()))
		require.NoError(t, err)
		require.Equal(t, mode, got)
	}
	_, err := ParseMode("serial")
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	require.ErrorContains(t, err, "use one of sequential, parallel")
}

func TestResultAsJSON(t *testing.T) {
	text, err := json.Marshal(Result{Mode: Parallel, FirstFailure: errEnough})
	require.NoError(t, err)
	require.JSONEq(t, `{"mode":"parallel","threads":0,"streams":0,"events":0,"cold_ns_per_op_mean":0,
		"ns_per_op_mean":0,"ns_per_op_median":0,"ns_per_op_p99":0,"ns_per_op_max":0,
		"peak_live_bytes":0,"peak_reserved_bytes":0,"failed":0,"out_of_memory":0,
		"unmatched_frees":0,"live_at_end":0,"live_bytes_at_end":0}`, string(text))
}
