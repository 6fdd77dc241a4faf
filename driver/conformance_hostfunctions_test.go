package driver_test

import (
	"sync/atomic"
)

var hostFunctionCases = []conformanceCase{
	one("host-functions/run-in-order", hostFunctionsRunInOrder),
	one("host-functions/see-earlier-copies", hostFunctionsSeeEarlierCopies),
	one("host-functions/come-before-later-copies", hostFunctionsComeBeforeLaterCopies),
	one("host-functions/delay-events", hostFunctionsDelayEvents),
	one("host-functions/are-ordered-by-events", hostFunctionsAreOrderedByEvents),
	one("host-functions/are-ordered-by-the-default-stream", hostFunctionsAreOrderedByTheDefaultStream),
	one("host-functions/of-a-destroyed-stream-run", hostFunctionsOfADestroyedStreamRun),
	one("host-functions/run-once-each", hostFunctionsRunOnceEach),
}

// Documented: cuLaunchHostFunc is an operation of the stream.
func hostFunctionsRunInOrder(b *bench) {
	s, ran := b.stream(), &order{}
	release := b.hold(s)
	b.ok(s.LaunchHostFunc(ran.step("first")))
	b.ok(s.LaunchHostFunc(ran.step("second")))
	b.ok(s.LaunchHostFunc(ran.step("third")))
	ran.require(b)
	release()
	b.done(s)
	ran.require(b, "first", "second", "third")
}

// Documented.
func hostFunctionsSeeEarlierCopies(b *bench) {
	s, p := b.stream(), b.memory(kib, 1)
	_, view := b.pinned(kib)
	var seen atomic.Uint32
	b.ok(s.MemcpyDtoHAsync(view, p))
	b.ok(s.LaunchHostFunc(func() { seen.Store(uint32(view[kib-1])) }))
	b.done(s)
	if seen.Load() != 1 {
		b.Fatalf("the host function saw %d, want 1", seen.Load())
	}
}

// Documented: later work waits for the function to return.
func hostFunctionsComeBeforeLaterCopies(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	_, view := b.pinned(kib)
	b.ok(s.LaunchHostFunc(func() { copy(view, repeated(1, kib)) }))
	b.ok(s.MemcpyHtoDAsync(p, view))
	b.done(s)
	b.requireAll(p, kib, 1)
}

// Documented.
func hostFunctionsDelayEvents(b *bench) {
	s, before, after := b.stream(), b.event(), b.event()
	b.ok(before.Record(s))
	release := b.hold(s)
	b.ok(after.Record(s))
	b.ok(before.Synchronize())
	b.pending(after)
	release()
	b.ok(after.Synchronize())
}

// Documented.
func hostFunctionsAreOrderedByEvents(b *bench) {
	first, second, e, ran := b.stream(), b.stream(), b.event(), &order{}
	release := b.hold(first)
	b.ok(first.LaunchHostFunc(ran.step("first")))
	b.ok(e.Record(first))
	b.ok(second.WaitEvent(e))
	b.ok(second.LaunchHostFunc(ran.step("second")))
	release()
	b.done(second)
	ran.require(b, "first", "second")
}

// Documented.
func hostFunctionsAreOrderedByTheDefaultStream(b *bench) {
	first, last, ran := b.blocking(), b.blocking(), &order{}
	release := b.hold(first)
	b.ok(first.LaunchHostFunc(ran.step("first")))
	b.ok(b.dev.DefaultStream().LaunchHostFunc(ran.step("default")))
	b.ok(last.LaunchHostFunc(ran.step("last")))
	release()
	b.done(last)
	ran.require(b, "first", "default", "last")
}

// Documented: destroying a stream does not cancel its work.
func hostFunctionsOfADestroyedStreamRun(b *bench) {
	s, e, ran := b.stream(), b.event(), &order{}
	release := b.hold(s)
	b.ok(s.LaunchHostFunc(ran.step("ran")))
	b.ok(e.Record(s))
	b.ok(s.Close())
	release()
	b.ok(e.Synchronize())
	ran.require(b, "ran")
}

// Documented.
func hostFunctionsRunOnceEach(b *bench) {
	s := b.stream()
	var ran atomic.Int64
	for range 200 {
		b.ok(s.LaunchHostFunc(func() { ran.Add(1) }))
	}
	b.done(s)
	if ran.Load() != 200 {
		b.Fatalf("%d of 200 ran", ran.Load())
	}
}
