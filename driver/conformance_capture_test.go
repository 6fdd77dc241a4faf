package driver_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var captureCases = []conformanceCase{
	one("capture/records-and-does-not-run", captureRecordsAndDoesNotRun),
	one("capture/status", captureStatus),
	one("capture/of-nothing", captureOfNothing),
	one("capture/end-without-begin", endWithoutBegin),
	one("capture/begin-twice", beginTwice),
	one("capture/the-default-stream", captureOfTheDefaultStream),
	one("capture/ids-are-unique", captureIDsAreUnique),
	one("capture/asking-for-the-stream-id", askingACapturedStreamForItsID),
	one("capture/global-event-query-elsewhere", harmful(driver.CaptureGlobal, anEventQuery)),
	one("capture/global-stream-query-elsewhere", harmful(driver.CaptureGlobal, aStreamQuery)),
	one("capture/global-stream-synchronize-elsewhere", harmful(driver.CaptureGlobal, aStreamSynchronize)),
	one("capture/global-mem-alloc-elsewhere", harmful(driver.CaptureGlobal, aMemAlloc)),
	one("capture/global-pool-allocation-elsewhere", harmful(driver.CaptureGlobal, aPoolAllocation)),
	one("capture/global-event-record-elsewhere", harmless(driver.CaptureGlobal, anEventRecord)),
	one("capture/global-mem-create-elsewhere", harmless(driver.CaptureGlobal, aMemCreate)),
	one("capture/global-relaxed-event-query-elsewhere", harmless(driver.CaptureGlobal, relaxed(anEventQuery))),
	one("capture/global-relaxed-mem-alloc-elsewhere", harmless(driver.CaptureGlobal, relaxed(aMemAlloc))),
	one("capture/global-relaxed-pool-allocation-elsewhere", harmless(driver.CaptureGlobal, relaxed(aPoolAllocation))),
	one("capture/thread-local-event-query-elsewhere", harmless(driver.CaptureThreadLocal, anEventQuery)),
	one("capture/thread-local-mem-alloc-elsewhere", harmless(driver.CaptureThreadLocal, aMemAlloc)),
	one("capture/relaxed-event-query-elsewhere", harmless(driver.CaptureRelaxed, anEventQuery)),
	one("capture/relaxed-mem-alloc-elsewhere", harmless(driver.CaptureRelaxed, aMemAlloc)),
	one("capture/thread-local-event-query-here", threadLocalForbidsItsOwnThread),
	one("capture/relaxed-event-query-here", relaxedForbidsNothing),
	one("capture/synchronize-the-captured-stream", synchronizeTheCapturedStream),
	one("capture/query-the-captured-stream", queryTheCapturedStream),
	one("capture/query-a-captured-event", queryACapturedEvent),
	one("capture/synchronize-a-captured-event", synchronizeACapturedEvent),
	one("capture/a-captured-event-after-the-end", aCapturedEventAfterTheEnd),
	one("capture/thread-local-end-elsewhere", threadLocalEndElsewhere),
	one("capture/relaxed-end-elsewhere", relaxedEndElsewhere),
	one("capture/a-waiting-stream-joins", aWaitingStreamJoins),
	one("capture/an-unjoined-stream", anUnjoinedStream),
	one("capture/end-on-a-joined-stream", endOnAJoinedStream),
	one("capture/waiting-for-an-earlier-event", waitingForAnEarlierEvent),
	one("capture/two-captures-do-not-merge", twoCapturesDoNotMerge),
	one("capture/the-default-stream-meanwhile-blocking", theDefaultStreamDuringACaptureOfABlockingStream),
	one("capture/the-default-stream-meanwhile-non-blocking", theDefaultStreamDuringACaptureOfANonBlockingStream),
}

// Documented.
func captureRecordsAndDoesNotRun(b *bench) {
	s, p := b.stream(), b.memory(kib, 1)
	b.begin(s, driver.CaptureRelaxed)
	b.ok(s.MemsetD8Async(p, 2, kib))
	exec := b.end(s)
	b.done(s)
	b.requireAll(p, kib, 1)
	b.ok(exec.Launch(s))
	b.done(s)
	b.requireAll(p, kib, 2)
}

// Documented.
func captureStatus(b *bench) {
	s, other := b.stream(), b.stream()
	offers[api.Graphs](b, "stream capture")
	b.status(s, driver.CaptureNone)
	b.begin(s, driver.CaptureRelaxed)
	b.status(s, driver.CaptureActive)
	b.status(other, driver.CaptureNone)
	b.discard(s)
	b.status(s, driver.CaptureNone)
}

// Documented: the graph is empty.
func captureOfNothing(b *bench) {
	s := b.stream()
	b.begin(s, driver.CaptureRelaxed)
	exec := b.end(s)
	b.ok(exec.Launch(s))
	b.done(s)
}

// Measured: CUDA_ERROR_ILLEGAL_STATE.
func endWithoutBegin(b *bench) {
	offers[api.Graphs](b, "stream capture")
	_, err := b.stream().EndCapture()
	b.fails(err, api.CodeIllegalState)
}

// Measured: it is refused and does not harm.
func beginTwice(b *bench) {
	s := b.stream()
	b.begin(s, driver.CaptureRelaxed)
	b.fails(s.BeginCapture(driver.CaptureRelaxed), api.CodeIllegalState)
	b.status(s, driver.CaptureActive)
	b.discard(s)
}

// Measured: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED.
func captureOfTheDefaultStream(b *bench) {
	offers[api.Graphs](b, "stream capture")
	b.fails(b.dev.DefaultStream().BeginCapture(driver.CaptureRelaxed), api.CodeCaptureUnsupported)
}

// Documented: a capture's ID is unique in the process.
func captureIDsAreUnique(b *bench) {
	s, seen := b.stream(), map[uint64]bool{}
	for range 5 {
		b.begin(s, driver.CaptureRelaxed)
		id := b.status(s, driver.CaptureActive)
		if id == 0 || seen[id] {
			b.Fatalf("the ID is %d, seen before: %t", id, seen[id])
		}
		seen[id] = true
		b.discard(s)
	}
}

// Measured: cuStreamGetId would invalidate the capture, so that backends answer
// themselves.
func askingACapturedStreamForItsID(b *bench) {
	s := b.stream()
	b.begin(s, driver.CaptureGlobal)
	_, err := b.raw.StreamID(handleOf(s))
	b.fails(err, api.CodeCaptureUnsupported)
	b.status(s, driver.CaptureActive)
	b.discard(s)
}

// Measured.
func threadLocalForbidsItsOwnThread(b *bench) {
	s, e := b.stream(), b.event()
	b.begin(s, driver.CaptureThreadLocal)
	_, err := e.Query()
	b.fails(err, api.CodeCaptureUnsupported)
	b.endFails(s, api.CodeCaptureInvalidated)
}

// Measured.
func relaxedForbidsNothing(b *bench) {
	s, e := b.stream(), b.event()
	b.begin(s, driver.CaptureRelaxed)
	b.complete(e)
	p, err := b.dev.MemAlloc(kib)
	b.ok(err)
	b.discard(s)
	b.ok(b.dev.MemFree(p))
}

// Documented: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, also in relaxed mode.
func synchronizeTheCapturedStream(b *bench) {
	s := b.stream()
	b.begin(s, driver.CaptureRelaxed)
	b.fails(s.Synchronize(), api.CodeCaptureUnsupported)
	b.status(s, driver.CaptureInvalidated)
	b.endFails(s, api.CodeCaptureInvalidated)
}

func queryTheCapturedStream(b *bench) {
	s := b.stream()
	b.begin(s, driver.CaptureRelaxed)
	_, err := s.Query()
	b.fails(err, api.CodeCaptureUnsupported)
	b.status(s, driver.CaptureInvalidated)
	b.endFails(s, api.CodeCaptureInvalidated)
}

// Documented: CUDA_ERROR_CAPTURED_EVENT. Measured: it invalidates the
// capture.
func queryACapturedEvent(b *bench) {
	s, e := b.stream(), b.event()
	b.begin(s, driver.CaptureRelaxed)
	b.ok(e.Record(s))
	_, err := e.Query()
	b.fails(err, api.CodeCapturedEvent)
	b.status(s, driver.CaptureInvalidated)
	b.endFails(s, api.CodeCaptureInvalidated)
}

func synchronizeACapturedEvent(b *bench) {
	s, e := b.stream(), b.event()
	b.begin(s, driver.CaptureRelaxed)
	b.ok(e.Record(s))
	b.fails(e.Synchronize(), api.CodeCapturedEvent)
	b.status(s, driver.CaptureInvalidated)
	b.endFails(s, api.CodeCaptureInvalidated)
}

// Measured: the event stands for nothing until it is recorded anew.
func aCapturedEventAfterTheEnd(b *bench) {
	s, other, e := b.stream(), b.stream(), b.event()
	b.begin(s, driver.CaptureRelaxed)
	b.ok(e.Record(s))
	b.discard(s)
	_, err := e.Query()
	b.fails(err, api.CodeInvalidValue)
	b.Logf("measured: to synchronise: %s, to wait: %s", describe(e.Synchronize()), describe(other.WaitEvent(e)))
	b.ok(e.Record(s))
	b.done(s)
	b.complete(e)
}

// Measured: CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, and the capture has ended.
func threadLocalEndElsewhere(b *bench) {
	s := b.stream()
	b.begin(s, driver.CaptureThreadLocal)
	b.fails(elsewhere(func() error {
		_, err := s.EndCapture()
		return err
	}), api.CodeCaptureWrongThread)
	b.status(s, driver.CaptureNone)
}

// Measured.
func relaxedEndElsewhere(b *bench) {
	s := b.stream()
	b.begin(s, driver.CaptureRelaxed)
	b.ok(elsewhere(func() error {
		g, err := s.EndCapture()
		if err == nil {
			err = g.Close()
		}
		return err
	}))
}

// Measured: a stream that waits for a captured event joins the capture.
func aWaitingStreamJoins(b *bench) {
	s, other, fork, join := b.stream(), b.stream(), b.event(), b.event()
	b.begin(s, driver.CaptureRelaxed)
	b.ok(fork.Record(s))
	b.ok(other.WaitEvent(fork))
	if id, joined := b.status(s, driver.CaptureActive), b.status(other, driver.CaptureActive); id != joined {
		b.Fatalf("capture %d was joined as %d", id, joined)
	}
	b.ok(join.Record(other))
	b.ok(s.WaitEvent(join))
	b.discard(s)
	b.status(other, driver.CaptureNone)
}

// Documented: CUDA_ERROR_STREAM_CAPTURE_UNJOINED.
func anUnjoinedStream(b *bench) {
	s, other, fork, p := b.stream(), b.stream(), b.event(), b.memory(kib, 0)
	b.begin(s, driver.CaptureRelaxed)
	b.ok(fork.Record(s))
	b.ok(other.WaitEvent(fork))
	b.ok(other.MemsetD8Async(p, 1, kib))
	b.endFails(s, api.CodeCaptureUnjoined)
	b.status(other, driver.CaptureNone)
}

// Documented: CUDA_ERROR_STREAM_CAPTURE_UNMATCHED. Measured: it invalidates
// the capture.
func endOnAJoinedStream(b *bench) {
	s, other, fork := b.stream(), b.stream(), b.event()
	b.begin(s, driver.CaptureRelaxed)
	b.ok(fork.Record(s))
	b.ok(other.WaitEvent(fork))
	_, err := other.EndCapture()
	b.fails(err, api.CodeCaptureUnmatched)
	b.status(s, driver.CaptureInvalidated)
	b.endFails(s, api.CodeCaptureInvalidated)
}

// Documented: CUDA_ERROR_STREAM_CAPTURE_ISOLATION. Measured: it invalidates
// the capture.
func waitingForAnEarlierEvent(b *bench) {
	s, other, e := b.stream(), b.stream(), b.event()
	release := b.hold(other)
	b.ok(e.Record(other))
	b.begin(s, driver.CaptureRelaxed)
	b.fails(s.WaitEvent(e), api.CodeCaptureIsolation)
	b.status(s, driver.CaptureInvalidated)
	b.endFails(s, api.CodeCaptureInvalidated)
	release()
	b.done(other)
}

// Documented: CUDA_ERROR_STREAM_CAPTURE_MERGE. Measured: it
// invalidates both captures.
func twoCapturesDoNotMerge(b *bench) {
	s, other, e := b.stream(), b.stream(), b.event()
	b.begin(s, driver.CaptureRelaxed)
	b.begin(other, driver.CaptureRelaxed)
	b.ok(e.Record(s))
	b.fails(other.WaitEvent(e), api.CodeCaptureMerge)
	for _, captured := range []*driver.Stream{s, other} {
		b.status(captured, driver.CaptureInvalidated)
		b.endFails(captured, api.CodeCaptureInvalidated)
	}
}

// Documented: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, because the default stream
// would wait for the captured one. It invalidates the capture.
func theDefaultStreamDuringACaptureOfABlockingStream(b *bench) {
	s, p := b.blocking(), b.memory(kib, 0)
	b.begin(s, driver.CaptureThreadLocal)
	b.fails(b.dev.DefaultStream().MemsetD8Async(p, 1, kib), api.CodeCaptureImplicit)
	b.status(s, driver.CaptureInvalidated)
	b.endFails(s, api.CodeCaptureInvalidated)
}

// Documented: a non-blocking stream has nothing to do with the default stream.
func theDefaultStreamDuringACaptureOfANonBlockingStream(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	b.begin(s, driver.CaptureRelaxed)
	b.ok(b.dev.DefaultStream().MemsetD8Async(p, 1, kib))
	b.status(s, driver.CaptureActive)
	b.discard(s)
	b.done(b.dev.DefaultStream())
	b.requireAll(p, kib, 1)
}
