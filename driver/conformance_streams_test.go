package driver_test

import (
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var streamCases = []conformanceCase{
	one("streams/ids-are-unique", streamIDsAreUnique),
	one("streams/an-id-stays", aStreamIDStays),
	one("streams/a-handle-comes-back-with-a-new-id", aHandleComesBackWithANewID),
	one("streams/destroying-does-not-wait", destroyingAStreamDoesNotWait),
	one("streams/destroyed-work-completes", destroyedWorkCompletes),
	one("streams/device-synchronize-covers-destroyed-streams", deviceSynchronizeCoversDestroyedStreams),
	one("streams/default-stream-waits-for-destroyed-streams", theDefaultStreamWaitsForDestroyedStreams),
	one("streams/a-new-stream-is-not-the-destroyed-one", aNewStreamIsNotTheDestroyedOne),
	one("streams/priorities", streamPriorities),
	one("streams/priorities-are-clamped", streamPrioritiesAreClamped),
	one("streams/bad-flags", badStreamFlags),
	alone("streams/a-destroyed-handle", aDestroyedStreamHandle),
	one("host-functions/run-in-order", hostFunctionsRunInOrder),
	one("host-functions/see-earlier-copies", hostFunctionsSeeEarlierCopies),
	one("host-functions/come-before-later-copies", hostFunctionsComeBeforeLaterCopies),
	one("host-functions/delay-events", hostFunctionsDelayEvents),
	one("host-functions/are-ordered-by-events", hostFunctionsAreOrderedByEvents),
	one("host-functions/are-ordered-by-the-default-stream", hostFunctionsAreOrderedByTheDefaultStream),
	one("host-functions/of-a-destroyed-stream-run", hostFunctionsOfADestroyedStreamRun),
	one("host-functions/run-once-each", hostFunctionsRunOnceEach),
}

// rawStream is a non-blocking stream without package driver's care for its end.
func (b *bench) rawStream() (api.Stream, uint64) {
	s, err := b.raw.StreamCreate(api.StreamNonBlocking, 0)
	b.ok(err)
	id, err := b.raw.StreamID(s)
	b.ok(err)
	return s, id
}

// Documented: cuStreamGetId is unique for the life of the program.
func streamIDsAreUnique(b *bench) {
	ids, handles := map[uint64]bool{}, map[api.Stream]bool{}
	for range 64 {
		s, id := b.rawStream()
		b.Cleanup(func() { b.ok(b.raw.StreamDestroy(s)) })
		if ids[id] || handles[s] {
			b.Fatalf("stream %#x with ID %d is there already", s, id)
		}
		ids[id], handles[s] = true, true
	}
}

// Documented.
func aStreamIDStays(b *bench) {
	s := b.stream()
	first, err := b.raw.StreamID(handleOf(s))
	b.ok(err)
	b.hold(s)
	second, err := b.raw.StreamID(handleOf(s))
	b.ok(err)
	if first != second {
		b.Fatalf("the ID was %d and is %d", first, second)
	}
}

// Measured: the next stream gets the handle of the destroyed one.
func aHandleComesBackWithANewID(b *bench) {
	seen := map[uint64]bool{}
	var handle api.Stream
	for i := range 10 {
		s, id := b.rawStream()
		b.ok(b.raw.StreamDestroy(s))
		if seen[id] || (i > 0 && s != handle) {
			b.Fatalf("round %d: handle %#x after %#x, ID %d seen before: %t", i, s, handle, id, seen[id])
		}
		seen[id], handle = true, s
	}
}

// Documented: cuStreamDestroy returns at once.
func destroyingAStreamDoesNotWait(b *bench) {
	s, e := b.stream(), b.event()
	b.hold(s)
	b.ok(e.Record(s))
	b.promptly(s.Close)
	b.pending(e)
}

// Documented: the resources are released once the work has completed.
func destroyedWorkCompletes(b *bench) {
	s, e, p := b.stream(), b.event(), b.memory(kib, 0)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(e.Record(s))
	b.ok(s.Close())
	release()
	b.ok(e.Synchronize())
	b.requireAll(p, kib, 1)
}

// To be measured: a destroyed stream's work is still work of the context.
func deviceSynchronizeCoversDestroyedStreams(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(s.Close())
	b.onlyAfter(release, b.dev.Synchronize)
	b.requireAll(p, kib, 1)
}

// To be measured: the legacy default stream still waits for a blocking stream
// that was destroyed.
func theDefaultStreamWaitsForDestroyedStreams(b *bench) {
	s, e, p := b.blocking(), b.event(), b.memory(kib, 0)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(s.Close())
	b.ok(b.dev.DefaultStream().MemsetD8Async(p, 2, kib))
	b.ok(e.Record(b.dev.DefaultStream()))
	b.pending(e)
	release()
	b.ok(e.Synchronize())
	b.requireAll(p, kib, 2)
}

// Measured: a stream is an identity, its handle is not.
func aNewStreamIsNotTheDestroyedOne(b *bench) {
	s, e := b.stream(), b.event()
	b.hold(s)
	b.ok(e.Record(s))
	b.ok(s.Close())
	next := b.stream()
	b.idle(next)
	b.promptly(next.Synchronize)
	b.pending(e)
}

// Documented: lower is more urgent; 0 is the least urgent.
func streamPriorities(b *bench) {
	least, greatest, err := b.raw.StreamPriorities()
	b.ok(err)
	b.Logf("measured: priorities from %d to %d", least, greatest)
	if least != 0 || greatest > least {
		b.Fatalf("priorities from %d to %d", least, greatest)
	}
}

// Documented: cuStreamCreateWithPriority clamps.
func streamPrioritiesAreClamped(b *bench) {
	for _, priority := range []int{-100, 100} {
		s, err := b.raw.StreamCreate(api.StreamNonBlocking, priority)
		b.ok(err)
		b.ok(b.raw.StreamDestroy(s))
	}
}

// Documented.
func badStreamFlags(b *bench) {
	_, err := b.raw.StreamCreate(1<<10, 0)
	b.fails(err, api.CodeInvalidValue)
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

// To be measured: the manual calls it undefined.
func aDestroyedStreamHandle(b *bench) {
	s, _ := b.rawStream()
	b.ok(b.raw.StreamDestroy(s))
	b.fails(b.raw.StreamSynchronize(s), api.CodeInvalidHandle, api.CodeContextIsDestroyed)
}
