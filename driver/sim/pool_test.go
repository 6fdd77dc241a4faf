package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func (r *rig) defaultPool() api.Pool {
	p, err := r.DefaultPool()
	require.NoError(r.t, err)
	return p
}

func (r *rig) get(p api.Pool, a api.PoolAttribute) int {
	v, err := r.PoolAttribute(p, a)
	require.NoError(r.t, err)
	return int(v)
}

func (r *rig) set(p api.Pool, a api.PoolAttribute, v uint64) {
	require.NoError(r.t, r.PoolSetAttribute(p, a, v))
}

func (r *rig) asyncAlloc(size int, s api.Stream) api.Ptr {
	p, err := r.MemAllocAsync(size, s)
	require.NoError(r.t, err)
	return p
}

func (r *rig) asyncFree(p api.Ptr, s api.Stream) { require.NoError(r.t, r.MemFreeAsync(p, s)) }

func TestPoolReusesOnTheSameStreamAtOnce(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(1), r.stream(1)
	release := r.hold(s)
	p := r.asyncAlloc(kib, s)
	r.asyncFree(p, s)
	q := r.asyncAlloc(kib, other)
	require.NotEqual(t, p, q, "the free is still pending for another stream")
	require.Equal(t, p, r.asyncAlloc(kib, s))
	r.asyncFree(p, s)
	release()
	r.sync(s)
	again := r.asyncAlloc(kib, other)
	require.Equal(t, p, again, "the free is complete")
	r.asyncFree(again, other)
	r.asyncFree(q, other)
}

// TestMergedBlocksArePendingUntilTheLastFree: neighbours freed by one stream
// merge before their frees are complete.
func TestMergedBlocksArePendingUntilTheLastFree(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(1), r.stream(1)
	e := r.event(0)
	p, q := r.asyncAlloc(16*mib, s), r.asyncAlloc(16*mib, s)
	require.Equal(t, p+16*mib, q)
	release := r.hold(s)
	r.asyncFree(p, s)
	require.NoError(t, r.EventRecord(e, s))
	r.hold(s)
	r.asyncFree(q, s)
	release()
	require.Eventually(t, func() bool { return r.done(e) }, waitLimit, pollEvery)
	elsewhere := r.asyncAlloc(32*mib, other)
	require.NotEqual(t, p, elsewhere)
	r.asyncFree(elsewhere, other)
}

func TestRestOfAReusedBlockStaysPending(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(1), r.stream(1)
	r.hold(s)
	p := r.asyncAlloc(32*mib, s)
	r.asyncFree(p, s)
	half := r.asyncAlloc(16*mib, s)
	require.Equal(t, p, half)
	elsewhere := r.asyncAlloc(16*mib, other)
	require.NotEqual(t, p+16*mib, elsewhere)
	r.asyncFree(elsewhere, other)
	r.asyncFree(half, s)
}

func TestPoolReusesOpportunistically(t *testing.T) {
	for _, allowed := range []uint64{1, 0} {
		r := newRig(t, sim.Config{})
		r.set(r.defaultPool(), api.PoolReuseAllowOpportunistic, allowed)
		s, other := r.stream(1), r.stream(1)
		e := r.event(0)
		release := r.hold(s)
		p := r.asyncAlloc(32*mib, s)
		r.asyncFree(p, s)
		require.NoError(t, r.EventRecord(e, s))
		release()
		require.Eventually(t, func() bool { return r.done(e) }, waitLimit, pollEvery) // a query is no synchronisation
		q := r.asyncAlloc(32*mib, other)
		require.Equal(t, allowed == 1, p == q)
		r.asyncFree(q, other)
	}
}

func TestPoolGrowsBy32MiB(t *testing.T) {
	r := newRig(t, sim.Config{})
	pool := r.defaultPool()
	p := r.asyncAlloc(1, 0)
	require.Equal(t, 32*mib, r.get(pool, api.PoolReservedCurrent))
	require.Equal(t, 1, r.get(pool, api.PoolUsedCurrent))
	q := r.asyncAlloc(33*mib, 0)
	require.Equal(t, 96*mib, r.get(pool, api.PoolReservedCurrent))
	require.Equal(t, sim.DefaultMemory/(2*mib)*(2*mib)-96*mib, r.free())
	r.asyncFree(p, 0)
	r.asyncFree(q, 0)
	require.Zero(t, r.get(pool, api.PoolUsedCurrent))
	require.Equal(t, 33*mib+1, r.get(pool, api.PoolUsedHigh))
	r.sync(0)
	require.Zero(t, r.get(pool, api.PoolReservedCurrent), "the release threshold is 0")
	require.Equal(t, 96*mib, r.get(pool, api.PoolReservedHigh))
	r.set(pool, api.PoolReservedHigh, 0)
	r.set(pool, api.PoolUsedHigh, 0)
	require.Zero(t, r.get(pool, api.PoolReservedHigh))
	require.Zero(t, r.get(pool, api.PoolUsedHigh))
}

func TestPoolGrowsBy2MiBAtTheEnd(t *testing.T) {
	r := newRig(t, sim.Config{MemoryPerDevice: 20 * mib})
	p := r.asyncAlloc(17*mib, 0)
	require.Equal(t, 18*mib, r.get(r.defaultPool(), api.PoolReservedCurrent))
	_, err := r.MemAllocAsync(4*mib, 0)
	code(t, api.CodeOutOfMemory, "4194304 bytes asked, 2097152 of 20971520 free", err)
	r.asyncFree(p, 0)
}

func TestReleaseThreshold(t *testing.T) {
	synchronise := map[string]func(*rig, api.Stream, api.Event) error{
		"stream": func(r *rig, s api.Stream, _ api.Event) error { return r.StreamSynchronize(s) },
		"event":  func(r *rig, _ api.Stream, e api.Event) error { return r.EventSynchronize(e) },
		"device": func(r *rig, _ api.Stream, _ api.Event) error { return r.Synchronize() },
	}
	for name, sync := range synchronise {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sim.Config{})
			pool := r.defaultPool()
			s, e := r.stream(1), r.event(0)
			for threshold, left := range map[uint64]int{0: 0, 40 * mib: 64 * mib, 64 * mib: 64 * mib, math.MaxUint64: 96 * mib} {
				r.set(pool, api.PoolReleaseThreshold, threshold)
				var live []api.Ptr
				for range 3 {
					live = append(live, r.asyncAlloc(32*mib, s))
				}
				for _, p := range live {
					r.asyncFree(p, s)
				}
				require.NoError(t, r.EventRecord(e, s))
				require.NoError(t, sync(r, s, e))
				require.Equal(t, left, r.get(pool, api.PoolReservedCurrent), "threshold %d", threshold)
				require.NoError(t, r.PoolTrim(pool, 0))
			}
		})
	}
}

func TestTrimLeavesWhatIsPendingOrKept(t *testing.T) {
	r := newRig(t, sim.Config{})
	pool := r.defaultPool()
	r.set(pool, api.PoolReleaseThreshold, math.MaxUint64)
	s, other := r.stream(1), r.stream(1)
	release := r.hold(s)
	pending, free := r.asyncAlloc(32*mib, s), r.asyncAlloc(32*mib, other)
	r.asyncFree(pending, s)
	r.asyncFree(free, other)
	require.NoError(t, r.PoolTrim(pool, 40*mib))
	require.Equal(t, 64*mib, r.get(pool, api.PoolReservedCurrent), "at least 40 MiB stay")
	require.NoError(t, r.PoolTrim(pool, 0))
	require.Equal(t, 32*mib, r.get(pool, api.PoolReservedCurrent), "the free on the held stream is pending")
	release()
	r.sync(s)
	require.NoError(t, r.PoolTrim(pool, 0))
	require.Zero(t, r.get(pool, api.PoolReservedCurrent))
	code(t, api.CodeInvalidValue, "negative", r.PoolTrim(pool, -1))
}

func TestAllocationWaitsForAnotherStreamWhenThereIsNoOtherMemory(t *testing.T) {
	for _, allowed := range []uint64{1, 0} {
		r := newRig(t, sim.Config{MemoryPerDevice: 32 * mib})
		r.set(r.defaultPool(), api.PoolReuseAllowInternalDependencies, allowed)
		s, other := r.stream(1), r.stream(1)
		release := r.hold(s)
		p := r.asyncAlloc(32*mib, s)
		r.asyncFree(p, s)
		q, err := r.MemAllocAsync(32*mib, other)
		if allowed == 0 {
			require.ErrorIs(t, err, api.ErrOutOfMemory)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, p, q)
		require.False(t, r.idle(other), "its work waits for the free")
		release()
		r.sync(other)
		r.asyncFree(q, other)
	}
}

func TestPlainAllocationTakesUnusedPoolMemory(t *testing.T) {
	r := newRig(t, sim.Config{MemoryPerDevice: 64 * mib})
	r.set(r.defaultPool(), api.PoolReleaseThreshold, math.MaxUint64)
	r.asyncFree(r.asyncAlloc(64*mib, 0), 0)
	require.Zero(t, r.free())
	r.alloc(50 * mib)
}

func TestMemFreeAndMemFreeAsyncMix(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(1)
	require.NoError(t, r.MemFree(r.asyncAlloc(kib, s)))
	before := r.free()
	p, err := r.MemAlloc(4 * mib)
	require.NoError(t, err)
	release := r.hold(s)
	r.asyncFree(p, s)
	require.Equal(t, before-4*mib, r.free(), "in stream order, so not yet")
	code(t, api.CodeInvalidValue, "freed before", r.MemFreeAsync(p, s))
	release()
	r.sync(s)
	require.Equal(t, before, r.free()-32*mib, "and the default pool's memory went back at the synchronisation")
}

func TestCreatedPools(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	pool, err := r.PoolCreate(api.PoolProps{MaxSize: 64 * mib, HandleTypes: 1})
	require.NoError(t, err)
	require.Equal(t, 1, r.machine.Outstanding()[0].Pools)
	p, err := r.MemAllocFromPoolAsync(40*mib, pool, 0)
	require.NoError(t, err)
	_, err = r.MemAllocFromPoolAsync(40*mib, pool, 0)
	require.ErrorIs(t, err, api.ErrOutOfMemory, "the pool's maximum size")
	info, err := r.PointerInfo(p + 5)
	require.NoError(t, err)
	require.Equal(t, api.PointerInfo{Type: api.MemoryDevice, Base: p, Size: 40 * mib, Pool: pool}, info)

	require.NoError(t, r.PoolDestroy(pool))
	_, err = r.MemAllocFromPoolAsync(1, pool, 0)
	code(t, api.CodeInvalidValue, "not a memory pool", err)
	require.NoError(t, r.Memset(p, 6, 1, kib), "its allocations live on")
	require.Equal(t, repeated(6, kib), r.read(p, kib, 0))
	free := r.free()
	r.asyncFree(p, 0) // on an idle stream, so complete at once
	require.Equal(t, free+64*mib, r.free())
}

func TestDestroyedPoolKeepsMemoryWhoseFreeIsPending(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(1)
	pool, err := r.PoolCreate(api.PoolProps{})
	require.NoError(t, err)
	all := r.free()
	release := r.hold(s)
	p, err := r.MemAllocFromPoolAsync(kib, pool, s)
	require.NoError(t, err)
	r.asyncFree(p, s)
	require.NoError(t, r.PoolDestroy(pool))
	require.Less(t, r.free(), all)
	release()
	r.sync(s)
	require.Equal(t, all, r.free())
}

func TestPoolRefusals(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	pool := r.defaultPool()
	code(t, api.CodeInvalidValue, "cannot be destroyed", r.PoolDestroy(pool))
	code(t, api.CodeInvalidValue, "not a memory pool", r.on(1).PoolTrim(pool, 0))
	_, err := r.PoolCreate(api.PoolProps{HandleTypes: 2})
	code(t, api.CodeInvalidValue, "handle types", err)
	_, err = r.PoolCreate(api.PoolProps{MaxSize: -1})
	code(t, api.CodeInvalidValue, "negative", err)
	_, err = r.PoolAttribute(pool, 99)
	code(t, api.CodeInvalidValue, "no attribute 99", err)
	for a, v := range map[api.PoolAttribute]uint64{
		api.PoolReuseAllowOpportunistic: 2, api.PoolReservedHigh: 1, api.PoolUsedHigh: 1, api.PoolReservedCurrent: 0, api.PoolUsedCurrent: 0, 99: 0,
	} {
		code(t, api.CodeInvalidValue, "cannot be set", r.PoolSetAttribute(pool, a, v))
	}
	for a := api.PoolReuseFollowEventDependencies; a <= api.PoolReuseAllowInternalDependencies; a++ {
		require.Equal(t, 1, r.get(pool, a))
		r.set(pool, a, 0)
		require.Zero(t, r.get(pool, a))
	}
	r.set(pool, api.PoolReleaseThreshold, 123)
	require.Equal(t, 123, r.get(pool, api.PoolReleaseThreshold))
	_, err = r.MemAllocAsync(1, 99)
	code(t, api.CodeInvalidHandle, "not a stream", err)
}

func TestPoolsCanBeSwitchedOff(t *testing.T) {
	r := newRig(t, sim.Config{Attributes: map[sim.Attribute]int{api.AttrMemoryPoolsSupported: 0}})
	_, err := r.MemAllocAsync(1, 0)
	code(t, api.CodeNotSupported, "without memory pools", err)
	_, err = r.DefaultPool()
	code(t, api.CodeNotSupported, "without memory pools", err)
}
