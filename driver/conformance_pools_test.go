package driver_test

import (
	"math"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var poolCases = []conformanceCase{
	one("pools/reuse-switches-are-on", reuseSwitchesAreOn),
	one("pools/release-threshold-is-0", releaseThresholdIsZero),
	one("pools/a-new-pool-is-empty", aNewPoolIsEmpty),
	one("pools/settings-are-kept", poolSettingsAreKept),
	one("pools/used-counts-live-allocations", usedCountsLiveAllocations),
	one("pools/used-is-what-was-asked-for", usedIsWhatWasAskedFor),
	one("pools/reserved-covers-used", reservedCoversUsed),
	one("pools/high-water-marks", poolHighWaterMarks),
	one("pools/high-water-marks-start-anew", poolHighWaterMarksStartAnew),
	one("pools/high-water-marks-can-only-be-0", poolHighWaterMarksCanOnlyBeZero),
	one("pools/amounts-cannot-be-set", poolAmountsCannotBeSet),
	one("pools/an-unknown-attribute", anUnknownPoolAttribute),
	one("pools/threshold-0-gives-back-at-synchronize", thresholdZeroGivesBack),
	one("pools/a-threshold-keeps", aThresholdKeeps),
	one("pools/device-synchronize-gives-back", deviceSynchronizeGivesBack),
	one("pools/event-synchronize-gives-back", eventSynchronizeGivesBack),
	one("pools/trim-gives-back", trimGivesBack),
	one("pools/trim-keeps-live-allocations", trimKeepsLiveAllocations),
	one("pools/trim-keeps-what-it-is-told", trimKeepsWhatItIsTold),
	one("pools/trim-keeps-pending-frees", trimKeepsPendingFrees),
	one("pools/trim-does-not-wait", trimDoesNotWait),
	one("pools/do-not-share-memory", poolsDoNotShareMemory),
	one("pools/max-size-is-a-limit", maxSizeIsALimit),
	one("pools/destroying-does-not-wait", destroyingAPoolDoesNotWait),
	one("pools/live-allocations-survive-destruction", liveAllocationsSurviveDestruction),
	alone("pools/the-default-pool-cannot-be-destroyed", theDefaultPoolCannotBeDestroyed),
	one("pools/the-default-pool-stays", theDefaultPoolStays),
	one("pools/an-unknown-handle-type", anUnknownPoolHandleType),
	one("pools/one-device-reaches-its-own", aDeviceReachesItsOwnPools),
}

const poolStep = 64 * mib // more than a pool grows by at least

// Documented: enabled by default.
func reuseSwitchesAreOn(b *bench) {
	pool := b.pool(0)
	b.requireAmount(pool, driver.PoolReuseFollowEventDependencies, 1)
	b.requireAmount(pool, driver.PoolReuseAllowOpportunistic, 1)
	b.requireAmount(pool, driver.PoolReuseAllowInternalDependencies, 1)
}

// Documented.
func releaseThresholdIsZero(b *bench) { b.requireAmount(b.pool(0), driver.PoolReleaseThreshold, 0) }

// Measured: a pool takes nothing before its first allocation.
func aNewPoolIsEmpty(b *bench) {
	pool := b.pool(0)
	for _, a := range []driver.PoolAttribute{driver.PoolReservedCurrent, driver.PoolReservedHigh, driver.PoolUsedCurrent, driver.PoolUsedHigh} {
		b.requireAmount(pool, a, 0)
	}
}

// Documented.
func poolSettingsAreKept(b *bench) {
	pool := b.pool(0)
	for a := driver.PoolReuseFollowEventDependencies; a <= driver.PoolReuseAllowInternalDependencies; a++ {
		b.ok(pool.SetAttribute(a, 0))
		b.requireAmount(pool, a, 0)
		b.ok(pool.SetAttribute(a, 1))
		b.requireAmount(pool, a, 1)
	}
	b.ok(pool.SetAttribute(driver.PoolReleaseThreshold, 12345))
	b.requireAmount(pool, driver.PoolReleaseThreshold, 12345)
	b.ok(pool.SetAttribute(driver.PoolReleaseThreshold, math.MaxUint64))
	if v, err := pool.Attribute(driver.PoolReleaseThreshold); err != nil || v != math.MaxUint64 {
		b.Fatalf("the threshold is %d (%s)", v, describe(err))
	}
}

// Documented.
func usedCountsLiveAllocations(b *bench) {
	s, pool := b.stream(), b.keepingPool()
	p, q := b.take(pool, mib, s), b.take(pool, 3*mib, s)
	b.requireAmount(pool, driver.PoolUsedCurrent, 4*mib)
	b.ok(s.MemFreeAsync(p))
	b.done(s)
	b.requireAmount(pool, driver.PoolUsedCurrent, 3*mib)
	b.ok(s.MemFreeAsync(q))
	b.done(s)
	b.requireAmount(pool, driver.PoolUsedCurrent, 0)
}

// Measured: in bytes, though memory is handed out in units of 512.
func usedIsWhatWasAskedFor(b *bench) {
	s, pool := b.stream(), b.keepingPool()
	b.allocate(pool, 1, s)
	b.requireAmount(pool, driver.PoolUsedCurrent, 1)
	b.allocate(pool, 513, s)
	b.requireAmount(pool, driver.PoolUsedCurrent, 514)
}

// Documented.
func reservedCoversUsed(b *bench) {
	s, pool := b.stream(), b.pool(0)
	for _, n := range []int{1, mib, poolStep, 100 * mib} {
		b.allocate(pool, n, s)
		if reserved, used := b.amount(pool, driver.PoolReservedCurrent), b.amount(pool, driver.PoolUsedCurrent); reserved < used {
			b.Fatalf("%d bytes reserved for %d used", reserved, used)
		}
	}
	b.Logf("measured: reserved %d for used %d", b.amount(pool, driver.PoolReservedCurrent), b.amount(pool, driver.PoolUsedCurrent))
}

// Documented.
func poolHighWaterMarks(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p := b.take(pool, poolStep, s)
	reserved := b.amount(pool, driver.PoolReservedCurrent)
	b.ok(s.MemFreeAsync(p))
	b.done(s)
	b.requireAmount(pool, driver.PoolUsedCurrent, 0)
	b.requireAmount(pool, driver.PoolUsedHigh, poolStep)
	b.requireAmount(pool, driver.PoolReservedHigh, reserved)
}

// Documented: setting a high-water mark to 0 resets it. Measured: to what is
// in use now.
func poolHighWaterMarksStartAnew(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p := b.take(pool, poolStep, s)
	b.allocate(pool, mib, s)
	b.ok(s.MemFreeAsync(p))
	b.done(s)
	b.ok(pool.SetAttribute(driver.PoolUsedHigh, 0))
	b.ok(pool.SetAttribute(driver.PoolReservedHigh, 0))
	b.requireAmount(pool, driver.PoolUsedHigh, mib)
	b.requireAmount(pool, driver.PoolReservedHigh, b.amount(pool, driver.PoolReservedCurrent))
}

// Documented: an illegal value.
func poolHighWaterMarksCanOnlyBeZero(b *bench) {
	pool := b.pool(0)
	b.fails(pool.SetAttribute(driver.PoolUsedHigh, 1), api.CodeInvalidValue)
	b.fails(pool.SetAttribute(driver.PoolReservedHigh, 1), api.CodeInvalidValue)
}

// Measured: which error.
func poolAmountsCannotBeSet(b *bench) {
	pool := b.pool(0)
	b.fails(pool.SetAttribute(driver.PoolUsedCurrent, 0), api.CodeInvalidValue)
	b.fails(pool.SetAttribute(driver.PoolReservedCurrent, 0), api.CodeInvalidValue)
}

// Documented.
func anUnknownPoolAttribute(b *bench) {
	pool := b.pool(0)
	_, err := pool.Attribute(99)
	b.fails(err, api.CodeInvalidValue)
	b.fails(pool.SetAttribute(99, 0), api.CodeInvalidValue)
}

// Documented: synchronising a stream gives back what exceeds the threshold.
func thresholdZeroGivesBack(b *bench) {
	s, pool := b.stream(), b.pool(0)
	b.ok(s.MemFreeAsync(b.take(pool, poolStep, s)))
	b.done(s)
	b.requireAmount(pool, driver.PoolReservedCurrent, 0)
}

// Documented.
func aThresholdKeeps(b *bench) {
	s, pool := b.stream(), b.keepingPool()
	b.ok(s.MemFreeAsync(b.take(pool, poolStep, s)))
	b.done(s)
	if got := b.amount(pool, driver.PoolReservedCurrent); got < poolStep {
		b.Fatalf("%d bytes are reserved, want %d or more", got, poolStep)
	}
}

// Documented.
func deviceSynchronizeGivesBack(b *bench) {
	s, pool := b.stream(), b.pool(0)
	b.ok(s.MemFreeAsync(b.take(pool, poolStep, s)))
	b.ok(b.dev.Synchronize())
	b.requireAmount(pool, driver.PoolReservedCurrent, 0)
}

// Documented: "the next call to stream, event or context synchronize".
func eventSynchronizeGivesBack(b *bench) {
	s, pool, e := b.stream(), b.pool(0), b.event()
	b.ok(s.MemFreeAsync(b.take(pool, poolStep, s)))
	b.ok(e.Record(s))
	b.ok(e.Synchronize())
	b.requireAmount(pool, driver.PoolReservedCurrent, 0)
}

// Documented: cuMemPoolTrimTo.
func trimGivesBack(b *bench) {
	s, pool := b.stream(), b.keepingPool()
	b.ok(s.MemFreeAsync(b.take(pool, poolStep, s)))
	b.done(s)
	b.ok(pool.Trim(0))
	b.requireAmount(pool, driver.PoolReservedCurrent, 0)
}

// Documented.
func trimKeepsLiveAllocations(b *bench) {
	s, pool := b.stream(), b.keepingPool()
	live := b.allocate(pool, poolStep, s)
	b.ok(s.MemFreeAsync(b.take(pool, poolStep, s)))
	b.ok(s.MemsetD8Async(live, 1, mib))
	b.done(s)
	b.ok(pool.Trim(0))
	if got := b.amount(pool, driver.PoolReservedCurrent); got < poolStep {
		b.Fatalf("%d bytes are reserved for %d live", got, poolStep)
	}
	b.requireAll(live, mib, 1)
}

// Documented: no memory is released if fewer bytes than that are reserved.
// Measured: never less than that is left.
func trimKeepsWhatItIsTold(b *bench) {
	s, pool := b.stream(), b.keepingPool()
	var all []driver.Ptr
	for range 4 {
		all = append(all, b.take(pool, poolStep, s))
	}
	for _, p := range all {
		b.ok(s.MemFreeAsync(p))
	}
	b.done(s)
	before := b.amount(pool, driver.PoolReservedCurrent)
	b.ok(pool.Trim(2 * poolStep))
	after := b.amount(pool, driver.PoolReservedCurrent)
	b.Logf("measured: trimmed from %d to %d, asked to keep %d", before, after, 2*poolStep)
	if after < 2*poolStep || after >= before {
		b.Fatalf("trimmed from %d to %d, asked to keep %d", before, after, 2*poolStep)
	}
}

// Documented: only memory whose free has completed is released.
func trimKeepsPendingFrees(b *bench) {
	s, pool := b.stream(), b.keepingPool()
	p := b.take(pool, poolStep, s)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, poolStep))
	b.ok(s.MemFreeAsync(p))
	b.ok(pool.Trim(0))
	if got := b.amount(pool, driver.PoolReservedCurrent); got < poolStep {
		b.Fatalf("%d bytes are reserved while %d are still being used", got, poolStep)
	}
	release()
	b.done(s)
	b.ok(pool.Trim(0))
	b.requireAmount(pool, driver.PoolReservedCurrent, 0)
}

// Measured: giving memory back does not wait for work elsewhere.
func trimDoesNotWait(b *bench) {
	s, other, pool := b.stream(), b.stream(), b.keepingPool()
	b.ok(s.MemFreeAsync(b.take(pool, poolStep, s)))
	b.done(s)
	b.hold(other)
	b.promptly(func() error { return pool.Trim(0) })
	b.requireAmount(pool, driver.PoolReservedCurrent, 0)
}

// Documented.
func poolsDoNotShareMemory(b *bench) {
	s, first, second := b.stream(), b.keepingPool(), b.keepingPool()
	p := b.take(first, poolStep, s)
	b.ok(s.MemFreeAsync(p))
	b.done(s)
	if q := b.allocate(second, poolStep, s); q == p {
		b.Fatalf("the second pool handed out %v of the first", q)
	}
}

// Documented: CUmemPoolProps.maxSize, rounded up by the driver.
func maxSizeIsALimit(b *bench) {
	s, pool := b.stream(), b.pool(poolStep)
	_, err := pool.MemAllocAsync(4*poolStep, s)
	b.fails(err, api.CodeOutOfMemory)
	b.allocate(pool, mib, s)
}

// Documented.
func destroyingAPoolDoesNotWait(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p := b.take(pool, poolStep, s)
	b.hold(s)
	b.ok(s.MemFreeAsync(p))
	b.promptly(pool.Close)
	b.busy(s)
}

// Documented: the pool is destroyed once its allocations have been freed.
func liveAllocationsSurviveDestruction(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p := b.take(pool, mib, s)
	b.ok(pool.Close())
	b.ok(s.MemsetD8Async(p, 1, mib))
	b.done(s)
	b.requireAll(p, mib, 1)
	b.ok(s.MemFreeAsync(p))
	b.done(s)
}

// Documented that it cannot be; measured which error.
func theDefaultPoolCannotBeDestroyed(b *bench) {
	pool, err := b.dev.DefaultPool()
	b.ok(err)
	b.fails(b.raw.PoolDestroy(poolHandle(pool)), api.CodeInvalidValue)
	b.amount(pool, driver.PoolReservedCurrent)
}

// Documented.
func theDefaultPoolStays(b *bench) {
	first, err := b.raw.DefaultPool()
	b.ok(err)
	second, err := b.raw.DefaultPool()
	b.ok(err)
	if first != second {
		b.Fatalf("the default pool was %#x and is %#x", first, second)
	}
}

// Measured: a type that does not exist.
func anUnknownPoolHandleType(b *bench) {
	_, err := b.raw.PoolCreate(api.PoolProps{HandleTypes: 1 << 20})
	b.fails(err, api.CodeInvalidValue)
}

// Documented: the memory is always accessible on the device where it is located.
func aDeviceReachesItsOwnPools(b *bench) {
	offers[api.Peer](b, "peer access")
	pool := b.pool(0)
	access, err := pool.Access(b.dev)
	b.ok(err)
	if access != driver.AccessReadWrite {
		b.Fatalf("the access is %d", access)
	}
}
