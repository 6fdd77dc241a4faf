package driver_test

var orderingCases = []conformanceCase{
	one("ordering/a-stream-runs-in-order", aStreamRunsInOrder),
	one("ordering/held-work-is-pending", heldWorkIsPending),
	one("ordering/streams-are-independent", streamsAreIndependent),
	one("ordering/a-wait-orders-two-streams", aWaitOrdersTwoStreams),
	one("ordering/a-wait-does-not-hold-earlier-work", aWaitDoesNotHoldEarlierWork),
	one("ordering/waits-are-transitive", waitsAreTransitive),
	one("ordering/a-wait-on-the-own-stream-is-harmless", aWaitOnTheOwnStreamIsHarmless),
	one("ordering/device-synchronize-waits-for-every-stream", deviceSynchronizeWaitsForEveryStream),
	one("ordering/stream-synchronize-waits-for-its-stream", streamSynchronizeWaitsForItsStream),
	one("ordering/a-new-stream-is-idle", aNewStreamIsIdle),
	one("ordering/enqueueing-does-not-wait", enqueueingDoesNotWait),
	two("ordering/devices-are-independent", devicesAreIndependent),
	two("ordering/device-synchronize-covers-its-device-only", deviceSynchronizeCoversItsDeviceOnly),
}

// Documented: operations on one stream run in the order of their enqueueing.
func aStreamRunsInOrder(b *bench) {
	s, p, q := b.stream(), b.memory(kib, 0), b.memory(kib, 0)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(s.MemcpyDtoDAsync(q, p, kib))
	b.ok(s.MemsetD8Async(p, 2, kib))
	release()
	b.done(s)
	b.requireAll(p, kib, 2)
	b.requireAll(q, kib, 1)
}

// Documented: a query says whether all work is complete.
func heldWorkIsPending(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.busy(s)
	release()
	b.done(s)
	b.idle(s)
	b.requireAll(p, kib, 1)
}

// Documented: streams have no order among each other.
func streamsAreIndependent(b *bench) {
	held, free, p := b.stream(), b.stream(), b.memory(kib, 0)
	b.hold(held)
	b.ok(free.MemsetD8Async(p, 1, kib))
	b.promptly(free.Synchronize)
	b.busy(held)
}

// Documented: cuStreamWaitEvent.
func aWaitOrdersTwoStreams(b *bench) {
	writer, reader, e := b.stream(), b.stream(), b.event()
	p, q := b.memory(kib, 0), b.memory(kib, 0)
	release := b.hold(writer)
	b.ok(writer.MemsetD8Async(p, 1, kib))
	b.ok(e.Record(writer))
	b.ok(reader.WaitEvent(e))
	b.ok(reader.MemcpyDtoDAsync(q, p, kib))
	b.busy(reader)
	release()
	b.done(reader)
	b.requireAll(q, kib, 1)
}

// Documented: a wait concerns work submitted after it.
func aWaitDoesNotHoldEarlierWork(b *bench) {
	held, s, p := b.stream(), b.stream(), b.memory(kib, 0)
	e, earlier := b.event(), b.event()
	release := b.hold(held)
	b.ok(e.Record(held))
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(earlier.Record(s))
	b.ok(s.WaitEvent(e))
	b.promptly(earlier.Synchronize)
	b.busy(s)
	release()
	b.done(s)
}

// Documented: what an event captures includes what its stream waits for.
func waitsAreTransitive(b *bench) {
	first, second, third := b.stream(), b.stream(), b.stream()
	e, f, p, q := b.event(), b.event(), b.memory(kib, 0), b.memory(kib, 0)
	release := b.hold(first)
	b.ok(first.MemsetD8Async(p, 1, kib))
	b.ok(e.Record(first))
	b.ok(second.WaitEvent(e))
	b.ok(f.Record(second))
	b.ok(third.WaitEvent(f))
	b.ok(third.MemcpyDtoDAsync(q, p, kib))
	b.pending(f)
	b.busy(third)
	release()
	b.done(third)
	b.requireAll(q, kib, 1)
}

// Documented: the order of one stream implies it.
func aWaitOnTheOwnStreamIsHarmless(b *bench) {
	s, e := b.stream(), b.event()
	release := b.hold(s)
	b.ok(e.Record(s))
	b.ok(s.WaitEvent(e))
	release()
	b.done(s)
}

// Documented: cuCtxSynchronize.
func deviceSynchronizeWaitsForEveryStream(b *bench) {
	s, blocking, p := b.stream(), b.blocking(), b.memory(kib, 0)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.onlyAfter(release, b.dev.Synchronize)
	b.idle(s)
	release = b.hold(blocking)
	b.onlyAfter(release, b.dev.Synchronize)
	b.idle(blocking)
}

// Documented: cuStreamSynchronize.
func streamSynchronizeWaitsForItsStream(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.onlyAfter(release, s.Synchronize)
	b.idle(s)
}

// Documented.
func aNewStreamIsIdle(b *bench) {
	b.idle(b.stream())
	b.idle(b.blocking())
	b.ok(b.stream().Synchronize())
}

// Documented: the calls with a stream only enqueue.
func enqueueingDoesNotWait(b *bench) {
	s, e, p, q := b.stream(), b.event(), b.memory(kib, 0), b.memory(kib, 1)
	b.hold(s)
	b.promptly(func() error { return s.MemsetD8Async(p, 1, kib) })
	b.promptly(func() error { return s.MemcpyDtoDAsync(q, p, kib) })
	b.promptly(func() error { return e.Record(s) })
	b.promptly(func() error { return s.WaitEvent(e) })
	b.promptly(func() error { return s.LaunchHostFunc(func() {}) })
	b.busy(s)
}

// Documented: every device has streams of its own.
func devicesAreIndependent(b *bench) {
	p := deviceMemory(b, b.peer, kib)
	b.hold(b.dev.DefaultStream())
	b.ok(b.peer.DefaultStream().MemsetD8Async(p, 1, kib))
	b.promptly(b.peer.DefaultStream().Synchronize)
	b.busy(b.dev.DefaultStream())
}

// Documented: a context is of one device.
func deviceSynchronizeCoversItsDeviceOnly(b *bench) {
	s := b.stream()
	b.hold(s)
	b.promptly(b.peer.Synchronize)
	b.busy(s)
}
