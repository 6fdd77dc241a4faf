package driver_test

import (
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

// Measured: a destroyed stream's work is still work of the context.
func deviceSynchronizeCoversDestroyedStreams(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(s.Close())
	b.onlyAfter(release, b.dev.Synchronize)
	b.requireAll(p, kib, 1)
}

// Measured: the legacy default stream still waits for a blocking stream
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
