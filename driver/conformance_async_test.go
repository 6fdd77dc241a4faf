package driver_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var asyncCases = []conformanceCase{
	one("async/memory-is-usable-on-its-stream-at-once", memoryIsUsableOnItsStreamAtOnce),
	one("async/memory-is-usable-elsewhere-after-an-event", memoryIsUsableElsewhereAfterAnEvent),
	one("async/allocating-does-not-wait", allocatingDoesNotWait),
	one("async/freeing-does-not-wait", freeingDoesNotWait),
	one("async/a-free-comes-after-earlier-uses", aFreeComesAfterEarlierUses),
	one("async/a-free-on-another-stream-comes-after-an-event", aFreeOnAnotherStreamComesAfterAnEvent),
	one("async/memory-is-aligned", asyncMemoryIsAligned),
	one("async/of-size-zero", asyncOfSizeZero),
	one("async/more-than-there-is", asyncMoreThanThereIs),
	one("async/out-of-memory-does-not-stay", asyncOutOfMemoryDoesNotStay),
	one("async/out-of-memory-leaves-the-stream-alone", asyncOutOfMemoryLeavesTheStreamAlone),
	one("async/a-stream-reuses-what-it-freed", aStreamReusesWhatItFreed),
	one("async/no-reuse-while-a-free-is-pending", noReuseWhileAFreeIsPending),
	one("async/reuse-follows-events", reuseFollowsEvents),
	one("async/no-reuse-along-events-when-switched-off", noReuseAlongEventsWhenSwitchedOff),
	one("async/opportunistic-reuse-of-completed-frees", opportunisticReuseOfCompletedFrees),
	one("async/internal-reuse-orders-the-taker", internalReuseOrdersTheTaker),
	one("async/mem-free-of-pool-memory", memFreeOfPoolMemory),
	one("async/mem-free-async-of-plain-memory", memFreeAsyncOfPlainMemory),
	one("async/the-default-stream-allocates", theDefaultStreamAllocates),
	one("async/memory-outlives-its-stream", memoryOutlivesItsStream),
	alone("async/free-twice", asyncFreeTwice),
	alone("async/free-the-middle", asyncFreeOfTheMiddle),
	alone("async/free-an-unknown-address", asyncFreeOfAnUnknownAddress),
	alone("async/free-pinned-memory", asyncFreeOfPinnedMemory),
	one("async/free-nil", asyncFreeOfNil),
}

// Documented.
func memoryIsUsableOnItsStreamAtOnce(b *bench) {
	s, pool, q := b.stream(), b.pool(0), b.memory(kib, 0)
	release := b.hold(s)
	p := b.allocate(pool, kib, s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(s.MemcpyDtoDAsync(q, p, kib))
	release()
	b.done(s)
	b.requireAll(q, kib, 1)
}

// Documented.
func memoryIsUsableElsewhereAfterAnEvent(b *bench) {
	s, other, pool, e, q := b.stream(), b.stream(), b.pool(0), b.event(), b.memory(kib, 0)
	p := b.allocate(pool, kib, s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(e.Record(s))
	b.ok(other.WaitEvent(e))
	b.ok(other.MemcpyDtoDAsync(q, p, kib))
	b.done(other)
	b.requireAll(q, kib, 1)
}

// Documented: the address is there at once, also where the pool has to grow.
func allocatingDoesNotWait(b *bench) {
	s, pool := b.stream(), b.pool(0)
	release := b.hold(s)
	var p driver.Ptr
	b.promptly(func() (err error) {
		p, err = pool.MemAllocAsync(poolStep, s)
		return err
	})
	b.busy(s)
	b.ok(s.MemFreeAsync(p))
	release()
	b.done(s)
}

// Documented.
func freeingDoesNotWait(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p := b.take(pool, mib, s)
	b.hold(s)
	b.promptly(func() error { return s.MemFreeAsync(p) })
	b.busy(s)
}

// Documented.
func aFreeComesAfterEarlierUses(b *bench) {
	s, other, pool, q := b.stream(), b.stream(), b.pool(0), b.memory(mib, 0)
	p := b.take(pool, mib, s)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, mib))
	b.ok(s.MemcpyDtoDAsync(q, p, mib))
	b.ok(s.MemFreeAsync(p))
	b.ok(other.MemsetD8Async(b.allocate(pool, mib, other), 2, mib))
	release()
	b.done(s, other)
	b.requireAll(q, mib, 1)
}

// Documented: any stream may free, if it is ordered after the uses.
func aFreeOnAnotherStreamComesAfterAnEvent(b *bench) {
	s, other, pool, e, q := b.stream(), b.stream(), b.pool(0), b.event(), b.memory(mib, 0)
	p := b.take(pool, mib, s)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, mib))
	b.ok(s.MemcpyDtoDAsync(q, p, mib))
	b.ok(e.Record(s))
	b.ok(other.WaitEvent(e))
	b.ok(other.MemFreeAsync(p))
	release()
	b.done(s, other)
	b.requireAll(q, mib, 1)
	b.requireAmount(pool, driver.PoolUsedCurrent, 0)
}

// Documented as at least 256 bytes. Measured: 512.
func asyncMemoryIsAligned(b *bench) {
	s, pool := b.stream(), b.pool(0)
	for _, n := range []int{1, 3, 1000, 70_000, 3 * mib} {
		if p := b.allocate(pool, n, s); p%512 != 0 {
			b.Fatalf("%d bytes are at %v", n, p)
		}
	}
}

// Measured: it succeeds, and what it gives can be freed.
func asyncOfSizeZero(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p, err := b.raw.MemAllocFromPoolAsync(0, poolHandle(pool), handleOf(s))
	b.ok(err)
	q, err := b.raw.MemAllocAsync(0, handleOf(s))
	b.ok(err)
	b.Logf("measured: no bytes are at %v and %v", p, q)
	b.requireAmount(pool, driver.PoolUsedCurrent, 0)
	b.ok(s.MemFreeAsync(p))
	b.ok(s.MemFreeAsync(q))
	b.done(s)
}

// Documented.
func asyncMoreThanThereIs(b *bench) {
	_, err := b.pool(0).MemAllocAsync(2*b.dev.TotalMemory(), b.stream())
	b.fails(err, api.CodeOutOfMemory)
}

// Documented.
func asyncOutOfMemoryDoesNotStay(b *bench) {
	s, pool := b.stream(), b.pool(0)
	_, err := pool.MemAllocAsync(2*b.dev.TotalMemory(), s)
	b.fails(err, api.CodeOutOfMemory)
	p := b.allocate(pool, kib, s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.done(s)
}

// Measured: a failed allocation waits for nothing and enqueues nothing.
func asyncOutOfMemoryLeavesTheStreamAlone(b *bench) {
	s, held, pool := b.stream(), b.stream(), b.pool(0)
	b.hold(held)
	b.promptly(func() error {
		if _, err := pool.MemAllocAsync(2*b.dev.TotalMemory(), s); err == nil {
			b.Errorf("it was allocated")
		}
		return nil
	})
	b.idle(s)
}

// Documented: in the order of the stream, also while the free is pending.
func aStreamReusesWhatItFreed(b *bench) {
	s, pool := b.stream(), b.keepingPool()
	b.hold(s)
	p := b.take(pool, poolStep, s)
	b.ok(s.MemFreeAsync(p))
	if q := b.allocate(pool, poolStep, s); q != p {
		b.Fatalf("%v was freed on the stream and it got %v", p, q)
	}
}

// Documented: with all switches off only the stream itself reuses.
func noReuseWhileAFreeIsPending(b *bench) {
	s, other, pool := b.stream(), b.stream(), b.keepingPool()
	p := b.take(pool, poolStep, s)
	b.hold(s)
	b.ok(s.MemFreeAsync(p))
	if q := b.allocate(pool, poolStep, other); q == p {
		b.Fatalf("%v is still used by %v", p, s)
	}
	b.promptly(other.Synchronize)
}

// Documented: CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES.
func reuseFollowsEvents(b *bench) {
	s, other, e, pool := b.stream(), b.stream(), b.event(), b.keepingPool(driver.PoolReuseFollowEventDependencies)
	p := b.take(pool, poolStep, s)
	b.hold(s)
	b.ok(s.MemFreeAsync(p))
	b.ok(e.Record(s))
	b.ok(other.WaitEvent(e))
	if q := b.allocate(pool, poolStep, other); q != p {
		b.Fatalf("%v was not reused by a stream that waits for its free: it got %v", p, q)
	}
}

// Documented.
func noReuseAlongEventsWhenSwitchedOff(b *bench) {
	s, other, e, pool := b.stream(), b.stream(), b.event(), b.keepingPool()
	p := b.take(pool, poolStep, s)
	b.hold(s)
	b.ok(s.MemFreeAsync(p))
	b.ok(e.Record(s))
	b.ok(other.WaitEvent(e))
	if q := b.allocate(pool, poolStep, other); q == p {
		b.Fatalf("%v was reused although that is switched off", p)
	}
}

// Documented: CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC.
func opportunisticReuseOfCompletedFrees(b *bench) {
	s, other, pool := b.stream(), b.stream(), b.keepingPool(driver.PoolReuseAllowOpportunistic)
	p := b.take(pool, poolStep, s)
	b.ok(s.MemFreeAsync(p))
	b.done(s)
	if q := b.allocate(pool, poolStep, other); q != p {
		b.Fatalf("%v was not reused after its free had completed: another stream got %v", p, q)
	}
}

// Documented: CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES may make the
// taker wait for the free. Whether it reuses is its choice; if it does, it waits.
func internalReuseOrdersTheTaker(b *bench) {
	s, other, pool := b.stream(), b.stream(), b.keepingPool(driver.PoolReuseAllowInternalDependencies)
	p := b.take(pool, poolStep, s)
	release := b.hold(s)
	b.ok(s.MemFreeAsync(p))
	q := b.allocate(pool, poolStep, other)
	b.Logf("measured: reused: %t", q == p)
	if q == p {
		b.busy(other)
	}
	release()
	b.done(s, other)
}

// Documented: cuMemFree of such memory frees it once the device is done. Measured:
// the pool may count it as used after that all the same, so that only this is sure:
// the call succeeds, and the pool goes on.
func memFreeOfPoolMemory(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p := b.take(pool, mib, s)
	b.ok(s.MemsetD8Async(p, 1, mib))
	b.done(s)
	b.ok(b.dev.MemFree(p))
	b.ok(b.dev.Synchronize())
	before := b.amount(pool, driver.PoolUsedCurrent)
	q := b.take(pool, mib, s)
	b.ok(s.MemsetD8Async(q, 2, mib))
	b.done(s)
	b.requireAll(q, mib, 2)
	b.ok(s.MemFreeAsync(q))
	b.done(s)
	b.Logf("measured: %d bytes used after cuMemFree, %d after another free", before, b.amount(pool, driver.PoolUsedCurrent))
}

// Documented in the programming guide: cudaFreeAsync takes memory of cudaMalloc.
func memFreeAsyncOfPlainMemory(b *bench) {
	s, q := b.stream(), b.memory(kib, 0)
	p, err := b.dev.MemAlloc(8 * mib)
	b.ok(err)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(s.MemcpyDtoDAsync(q, p, kib))
	b.ok(s.MemFreeAsync(p))
	release()
	b.done(s)
	b.requireAll(q, kib, 1)
	b.unregistered(p)
}

// Documented.
func theDefaultStreamAllocates(b *bench) {
	s, pool := b.dev.DefaultStream(), b.pool(0)
	p := b.take(pool, kib, s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.done(s)
	b.requireAll(p, kib, 1)
	b.ok(s.MemFreeAsync(p))
	b.done(s)
}

// Documented: memory belongs to the pool, not to the stream.
func memoryOutlivesItsStream(b *bench) {
	s, other, pool, e := b.stream(), b.stream(), b.pool(0), b.event()
	p := b.take(pool, kib, s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(e.Record(s))
	b.ok(s.Close())
	b.ok(other.WaitEvent(e))
	b.done(other)
	b.requireAll(p, kib, 1)
	b.ok(other.MemFreeAsync(p))
	b.done(other)
}

// Measured.
func asyncFreeTwice(b *bench) {
	s, pool := b.stream(), b.keepingPool()
	p := b.take(pool, kib, s)
	b.ok(s.MemFreeAsync(p))
	b.fails(s.MemFreeAsync(p), api.CodeInvalidValue)
	b.done(s)
	b.fails(s.MemFreeAsync(p), api.CodeInvalidValue)
}

// Measured.
func asyncFreeOfTheMiddle(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p := b.take(pool, mib, s)
	b.fails(s.MemFreeAsync(p+512), api.CodeInvalidValue)
	b.ok(s.MemFreeAsync(p))
	b.done(s)
}

// Measured.
func asyncFreeOfAnUnknownAddress(b *bench) {
	b.fails(b.stream().MemFreeAsync(0x1000), api.CodeInvalidValue)
}

// Measured.
func asyncFreeOfPinnedMemory(b *bench) {
	p, _ := b.pinned(kib)
	b.fails(b.stream().MemFreeAsync(p), api.CodeInvalidValue)
}

// Measured.
func asyncFreeOfNil(b *bench) {
	s := b.stream()
	b.ok(s.MemFreeAsync(0))
	b.done(s)
}
