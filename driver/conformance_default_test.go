package driver_test

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var defaultStreamCases = []conformanceCase{
	one("default-stream/handles-0-and-1-are-one-stream", handlesZeroAndOneAreOneStream),
	one("default-stream/has-an-id-of-its-own", theDefaultStreamHasAnIDOfItsOwn),
	alone("default-stream/cannot-be-destroyed", theDefaultStreamCannotBeDestroyed),
	one("default-stream/then-blocking-waits", waits(legacyStream, blockingStream)),
	one("default-stream/then-per-thread-waits", waits(legacyStream, perThreadStream)),
	one("default-stream/then-non-blocking-runs", runs(legacyStream, nonBlockingStream)),
	one("default-stream/after-blocking-waits", waits(blockingStream, legacyStream)),
	one("default-stream/after-per-thread-waits", waits(perThreadStream, legacyStream)),
	one("default-stream/after-non-blocking-runs", runs(nonBlockingStream, legacyStream)),
	one("default-stream/blocking-streams-do-not-wait-for-each-other", runs(blockingStream, blockingStream)),
	one("default-stream/blocking-does-not-wait-for-per-thread", runs(perThreadStream, blockingStream)),
	one("default-stream/non-blocking-does-not-wait-for-blocking", runs(blockingStream, nonBlockingStream)),
	one("default-stream/separates-blocking-streams", theDefaultStreamSeparatesBlockingStreams),
	one("default-stream/synchronize-covers-blocking-streams", defaultSynchronizeCoversBlockingStreams),
	one("default-stream/synchronize-leaves-non-blocking-streams", defaultSynchronizeLeavesNonBlockingStreams),
	one("default-stream/an-event-covers-blocking-streams", aDefaultStreamEventCoversBlockingStreams),
	one("default-stream/a-memset-without-a-stream-is-on-it", aMemsetWithoutAStreamIsOnTheDefaultStream),
	one("default-stream/a-copy-without-a-stream-leaves-non-blocking-streams", aCopyWithoutAStreamLeavesNonBlockingStreams),
}

// streamKinds make a stream of a kind for a case.
func legacyStream(b *bench) *driver.Stream      { return b.dev.DefaultStream() }
func blockingStream(b *bench) *driver.Stream    { return b.blocking() }
func nonBlockingStream(b *bench) *driver.Stream { return b.stream() }

// perThreadStream is the per-thread default stream of the case's thread, to which
// the case is tied from here on.
func perThreadStream(b *bench) *driver.Stream {
	runtime.LockOSThread()
	b.Cleanup(runtime.UnlockOSThread)
	s, err := b.dev.WrapStream(uintptr(api.StreamPerThread))
	b.ok(err)
	return s
}

// waits is the case that work on the second stream waits for earlier work on the
// first. Documented: "Stream synchronization behavior".
func waits(first, second func(*bench) *driver.Stream) func(*bench) {
	return func(b *bench) {
		busy, next, p, e := first(b), second(b), b.memory(kib, 0), b.event()
		release := b.hold(busy)
		b.ok(next.MemsetD8Async(p, 1, kib))
		b.ok(e.Record(next))
		b.pending(e)
		b.busy(next)
		release()
		b.ok(e.Synchronize())
		b.requireAll(p, kib, 1)
	}
}

// runs is the case that work on the second stream does not wait. Documented.
func runs(first, second func(*bench) *driver.Stream) func(*bench) {
	return func(b *bench) {
		busy, next, p, e := first(b), second(b), b.memory(kib, 0), b.event()
		b.hold(busy)
		b.ok(next.MemsetD8Async(p, 1, kib))
		b.ok(e.Record(next))
		b.becomes("the second stream's work is complete", e.Query)
		b.busy(busy)
	}
}

// Measured: both handles have one ID.
func handlesZeroAndOneAreOneStream(b *bench) {
	zero, err := b.raw.StreamID(api.StreamDefault)
	b.ok(err)
	legacy, err := b.raw.StreamID(api.StreamLegacy)
	b.ok(err)
	if zero != legacy {
		b.Fatalf("handle 0 has ID %d, handle 1 has ID %d", zero, legacy)
	}
}

// Measured.
func theDefaultStreamHasAnIDOfItsOwn(b *bench) {
	legacy, err := b.raw.StreamID(api.StreamLegacy)
	b.ok(err)
	for _, s := range []*driver.Stream{b.stream(), b.blocking(), perThreadStream(b)} {
		id, err := b.raw.StreamID(handleOf(s))
		b.ok(err)
		if id == legacy {
			b.Fatalf("%v has the default stream's ID %d", s, id)
		}
	}
}

// Measured: the manual does not name the error.
func theDefaultStreamCannotBeDestroyed(b *bench) {
	b.fails(b.raw.StreamDestroy(api.StreamLegacy), api.CodeInvalidHandle)
	b.ok(b.dev.DefaultStream().Synchronize())
}

// Documented: the legacy default stream is a barrier between blocking streams.
func theDefaultStreamSeparatesBlockingStreams(b *bench) {
	first, last, p, e := b.blocking(), b.blocking(), b.memory(kib, 0), b.event()
	release := b.hold(first)
	b.ok(first.MemsetD8Async(p, 1, kib))
	b.ok(b.dev.DefaultStream().MemsetD8Async(p, 2, kib))
	b.ok(last.MemsetD8Async(p, 3, kib))
	b.ok(e.Record(last))
	b.pending(e)
	release()
	b.ok(e.Synchronize())
	b.requireAll(p, kib, 3)
}

// Documented: it waits for the streams with which it synchronises. The default
// stream gets a wait of its own first, so that it has something to do.
func defaultSynchronizeCoversBlockingStreams(b *bench) {
	s, p := b.blocking(), b.memory(kib, 0)
	release := b.hold(s)
	b.ok(b.dev.DefaultStream().MemsetD8Async(p, 1, kib))
	b.busy(b.dev.DefaultStream())
	b.onlyAfter(release, b.dev.DefaultStream().Synchronize)
	b.idle(s)
}

// Documented.
func defaultSynchronizeLeavesNonBlockingStreams(b *bench) {
	s := b.stream()
	b.hold(s)
	b.promptly(b.dev.DefaultStream().Synchronize)
	b.idle(b.dev.DefaultStream())
	b.busy(s)
}

// Documented: an event on the legacy default stream stands for all work of the
// blocking streams before it.
func aDefaultStreamEventCoversBlockingStreams(b *bench) {
	s, e := b.blocking(), b.event()
	release := b.hold(s)
	b.ok(e.Record(b.dev.DefaultStream()))
	b.pending(e)
	release()
	b.ok(e.Synchronize())
	b.idle(s)
}

// Documented: calls without a stream use the legacy default stream, and a memset
// of device memory does not wait for the device.
func aMemsetWithoutAStreamIsOnTheDefaultStream(b *bench) {
	s, p, e := b.blocking(), b.memory(kib, 0), b.event()
	release := b.hold(s)
	b.promptly(func() error { return b.dev.MemsetD8(p, 1, kib) })
	b.ok(e.Record(b.dev.DefaultStream()))
	b.pending(e)
	release()
	b.ok(e.Synchronize())
	b.requireAll(p, kib, 1)
}

// Documented: non-blocking streams do not synchronise with it. Measured for
// a copy from pageable memory.
func aCopyWithoutAStreamLeavesNonBlockingStreams(b *bench) {
	s, p, src, dst := b.stream(), b.memory(kib, 0), repeated(1, kib), make([]byte, kib)
	b.hold(s)
	b.promptly(func() error { return b.dev.MemcpyHtoD(p, src) })
	b.promptly(func() error { return b.dev.MemcpyDtoH(dst, p) })
	b.busy(s)
	if dst[0] != 1 {
		b.Fatalf("the copy brought %d, want 1", dst[0])
	}
}
