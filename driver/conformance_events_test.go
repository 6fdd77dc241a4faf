package driver_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var eventCases = []conformanceCase{
	one("events/unrecorded-is-complete", unrecordedIsComplete),
	one("events/a-wait-on-unrecorded-does-nothing", aWaitOnUnrecordedDoesNothing),
	one("events/stands-for-the-work-before-it", anEventStandsForTheWorkBeforeIt),
	one("events/synchronize-waits", eventSynchronizeWaits),
	one("events/recording-again-makes-it-pending", recordingAgainMakesItPending),
	one("events/recording-again-on-an-idle-stream-completes-it", recordingOnAnIdleStreamCompletesIt),
	one("events/a-wait-keeps-the-record-of-its-time", aWaitKeepsTheRecordOfItsTime),
	one("events/one-event-holds-many-streams", oneEventHoldsManyStreams),
	one("events/destroying-does-not-wait", destroyingAnEventDoesNotWait),
	one("events/waits-survive-destruction", waitsSurviveDestruction),
	one("events/an-event-outlives-its-stream", anEventOutlivesItsStream),
	one("events/a-new-event-is-not-the-destroyed-one", aNewEventIsNotTheDestroyedOne),
	one("events/bad-flags", badEventFlags),
	one("events/interprocess-excludes-timing", interprocessExcludesTiming),
	one("elapsed/grows-along-a-stream", elapsedGrowsAlongAStream),
	one("elapsed/is-zero-from-an-event-to-itself", elapsedToItselfIsZero),
	one("elapsed/works-across-streams", elapsedWorksAcrossStreams),
	one("elapsed/needs-timing", elapsedNeedsTiming),
	one("elapsed/of-unrecorded", elapsedOfUnrecorded),
	one("elapsed/of-pending-is-not-ready", elapsedOfPending),
	two("events/record-on-another-devices-stream", recordOnAnotherDevicesStream),
	two("events/streams-wait-for-other-devices", streamsWaitForOtherDevices),
	two("elapsed/across-devices", elapsedAcrossDevices),
}

// Documented: cuEventQuery and cuEventSynchronize succeed before the first record.
func unrecordedIsComplete(b *bench) {
	e := b.event()
	b.complete(e)
	b.ok(e.Synchronize())
}

// Documented: cuStreamWaitEvent on such an event is a functional no-op.
func aWaitOnUnrecordedDoesNothing(b *bench) {
	s, other, e := b.stream(), b.stream(), b.event()
	b.ok(s.WaitEvent(e))
	b.idle(s)
	b.hold(other)
	b.ok(e.Record(other))
	b.promptly(s.Synchronize)
}

// Documented: later work of the stream is not part of what an event captures.
func anEventStandsForTheWorkBeforeIt(b *bench) {
	s, before, after := b.stream(), b.event(), b.event()
	release := b.hold(s)
	b.ok(before.Record(s))
	b.hold(s)
	b.ok(after.Record(s))
	b.pending(before)
	release()
	b.ok(before.Synchronize())
	b.pending(after)
}

// Documented.
func eventSynchronizeWaits(b *bench) {
	s, e := b.stream(), b.event()
	release := b.hold(s)
	b.ok(e.Record(s))
	b.onlyAfter(release, e.Synchronize)
	b.complete(e)
}

// Documented: cuEventRecord overwrites what the event captured.
func recordingAgainMakesItPending(b *bench) {
	s, e := b.stream(), b.event()
	b.ok(e.Record(s))
	b.ok(e.Synchronize())
	b.hold(s)
	b.complete(e)
	b.ok(e.Record(s))
	b.pending(e)
}

// Documented: a later record on another stream overwrites the first, also while
// that is pending.
func recordingOnAnIdleStreamCompletesIt(b *bench) {
	held, free, e := b.stream(), b.stream(), b.event()
	b.hold(held)
	b.ok(e.Record(held))
	b.pending(e)
	b.ok(e.Record(free))
	b.becomes("the event is complete", e.Query)
	b.busy(held)
}

// Documented: a wait is for the record at the time of cuStreamWaitEvent; later
// records do not change it.
func aWaitKeepsTheRecordOfItsTime(b *bench) {
	s, waiter, e := b.stream(), b.stream(), b.event()
	release := b.hold(s)
	b.ok(e.Record(s))
	b.ok(waiter.WaitEvent(e))
	b.hold(s)
	b.ok(e.Record(s))
	b.busy(waiter)
	release()
	b.becomes("the waiting stream is idle", waiter.Query)
	b.pending(e)
}

// Documented: any number of streams may wait for an event.
func oneEventHoldsManyStreams(b *bench) {
	s, e := b.stream(), b.event()
	var waiters []*driver.Stream
	for range 16 {
		waiters = append(waiters, b.stream())
	}
	release := b.hold(s)
	b.ok(e.Record(s))
	for _, waiter := range waiters {
		b.ok(waiter.WaitEvent(e))
	}
	for _, waiter := range waiters {
		b.busy(waiter)
	}
	release()
	b.done(waiters...)
}

// Documented: cuEventDestroy may be called before the event is complete.
func destroyingAnEventDoesNotWait(b *bench) {
	s, e := b.stream(), b.event()
	b.hold(s)
	b.ok(e.Record(s))
	b.promptly(e.Close)
	b.busy(s)
}

// Documented: the resources are released once the event has completed.
func waitsSurviveDestruction(b *bench) {
	s, waiter, e, p := b.stream(), b.stream(), b.event(), b.memory(kib, 0)
	q := b.memory(kib, 0)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(e.Record(s))
	b.ok(waiter.WaitEvent(e))
	b.ok(e.Close())
	b.ok(waiter.MemcpyDtoDAsync(q, p, kib))
	b.busy(waiter)
	release()
	b.done(waiter)
	b.requireAll(q, kib, 1)
}

// Documented: a destroyed stream's work completes, and with it its events.
func anEventOutlivesItsStream(b *bench) {
	s, e := b.stream(), b.event()
	release := b.hold(s)
	b.ok(e.Record(s))
	b.ok(s.Close())
	b.pending(e)
	release()
	b.ok(e.Synchronize())
	b.complete(e)
}

// Measured: a new event has recorded nothing. An H200 does not give it the handle of
// one that is pending, but no program may rely on that; the simulator does.
func aNewEventIsNotTheDestroyedOne(b *bench) {
	s, e := b.stream(), b.event()
	b.hold(s)
	b.ok(e.Record(s))
	b.ok(e.Close())
	next := b.event()
	b.complete(next)
	b.busy(s)
}

// Documented.
func badEventFlags(b *bench) {
	_, err := b.raw.EventCreate(1 << 10)
	b.fails(err, api.CodeInvalidValue)
}

// Documented: CU_EVENT_INTERPROCESS needs CU_EVENT_DISABLE_TIMING.
func interprocessExcludesTiming(b *bench) {
	_, err := b.raw.EventCreate(api.EventInterprocess)
	b.fails(err, api.CodeInvalidValue)
}

// Documented.
func elapsedGrowsAlongAStream(b *bench) {
	s, p := b.stream(), b.memory(mib, 0)
	events := []*driver.Event{b.timed(), b.timed(), b.timed()}
	for _, e := range events {
		b.ok(s.MemsetD8Async(p, 1, mib))
		b.ok(e.Record(s))
	}
	b.done(s)
	near, err := events[1].Elapsed(events[0])
	b.ok(err)
	far, err := events[2].Elapsed(events[0])
	b.ok(err)
	if near < 0 || far < near {
		b.Fatalf("%v to the second event and %v to the third", near, far)
	}
}

// Documented: end may be start.
func elapsedToItselfIsZero(b *bench) {
	s, e := b.stream(), b.timed()
	b.ok(e.Record(s))
	b.done(s)
	if d, err := e.Elapsed(e); err != nil || d != 0 {
		b.Fatalf("got %v (%s), want 0", d, describe(err))
	}
}

// Documented: the events may be of different streams.
func elapsedWorksAcrossStreams(b *bench) {
	first, second, start, end := b.stream(), b.stream(), b.timed(), b.timed()
	b.ok(start.Record(first))
	b.ok(second.WaitEvent(start))
	b.ok(end.Record(second))
	b.done(first, second)
	if d, err := end.Elapsed(start); err != nil || d < 0 {
		b.Fatalf("got %v (%s)", d, describe(err))
	}
}

// Documented: CUDA_ERROR_INVALID_HANDLE.
func elapsedNeedsTiming(b *bench) {
	s, with, without := b.stream(), b.timed(), b.event()
	b.ok(with.Record(s))
	b.ok(without.Record(s))
	b.done(s)
	_, err := b.raw.EventElapsed(eventHandle(with), eventHandle(without))
	b.fails(err, api.CodeInvalidHandle)
	_, err = b.raw.EventElapsed(eventHandle(without), eventHandle(with))
	b.fails(err, api.CodeInvalidHandle)
}

// Documented: CUDA_ERROR_INVALID_HANDLE.
func elapsedOfUnrecorded(b *bench) {
	s, recorded, unrecorded := b.stream(), b.timed(), b.timed()
	b.ok(recorded.Record(s))
	b.done(s)
	_, err := b.raw.EventElapsed(eventHandle(recorded), eventHandle(unrecorded))
	b.fails(err, api.CodeInvalidHandle)
}

// Documented: CUDA_ERROR_NOT_READY.
func elapsedOfPending(b *bench) {
	s, start, end := b.stream(), b.timed(), b.timed()
	b.ok(start.Record(s))
	b.hold(s)
	b.ok(end.Record(s))
	_, err := end.Elapsed(start)
	b.fails(err, api.CodeNotReady)
}

// Measured.
func recordOnAnotherDevicesStream(b *bench) {
	s, err := b.peer.NewStream(driver.StreamOptions{})
	b.ok(err)
	defer s.Close()
	b.fails(b.raw.EventRecord(eventHandle(b.event()), handleOf(s)), api.CodeInvalidHandle)
}

// Measured.
func streamsWaitForOtherDevices(b *bench) {
	s, e := b.stream(), b.event()
	other, err := b.peer.NewStream(driver.StreamOptions{})
	b.ok(err)
	b.Cleanup(func() { b.done(other); b.ok(other.Close()) })
	release := b.hold(s)
	b.ok(e.Record(s))
	b.ok(other.WaitEvent(e))
	b.busy(other)
	release()
	b.done(other)
}

// Documented: both events must be of one context.
func elapsedAcrossDevices(b *bench) {
	s, start := b.stream(), b.timed()
	other, err := b.peer.NewStream(driver.StreamOptions{})
	b.ok(err)
	b.Cleanup(func() { b.ok(other.Close()) })
	end, err := b.peer.NewEvent(driver.EventOptions{Timing: true})
	b.ok(err)
	b.Cleanup(func() { b.ok(end.Close()) })
	b.ok(start.Record(s))
	b.ok(end.Record(other))
	b.done(s, other)
	_, err = b.raw.EventElapsed(eventHandle(start), eventHandle(end))
	b.fails(err, api.CodeInvalidHandle)
}
