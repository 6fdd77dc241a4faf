package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// crowd keeps live allocations of mixed sizes around what is measured.
func crowd(b *testing.B, r *rig, alloc func(size int) (api.Ptr, error), free func(api.Ptr) error) {
	for i := range 10_000 {
		p, err := alloc(256 + i*i%100_000)
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, free(p)) })
	}
}

func BenchmarkMemAllocFree(b *testing.B) {
	r := newRig(b, sim.Config{})
	crowd(b, r, r.MemAlloc, r.MemFree)
	b.ReportAllocs()
	for b.Loop() {
		p, _ := r.MemAlloc(1000)
		_ = r.MemFree(p)
	}
}

func BenchmarkMemAllocFreeAsync(b *testing.B) {
	r := newRig(b, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	crowd(b, r, func(n int) (api.Ptr, error) { return r.MemAllocAsync(n, s) }, func(p api.Ptr) error { return r.MemFreeAsync(p, s) })
	b.ReportAllocs()
	for b.Loop() {
		p, _ := r.MemAllocAsync(1000, s)
		_ = r.MemFreeAsync(p, s)
	}
}

func BenchmarkManagedAllocFree(b *testing.B) {
	r := newRig(b, sim.Config{})
	crowd(b, r, r.MemAllocManaged, r.MemFree)
	b.ReportAllocs()
	for b.Loop() {
		p, _ := r.MemAllocManaged(1000)
		_ = r.MemFree(p)
	}
}

func BenchmarkEventRecord(b *testing.B) {
	r := newRig(b, sim.Config{})
	s, e := r.stream(api.StreamNonBlocking), r.event(api.EventDisableTiming)
	b.ReportAllocs()
	for b.Loop() {
		_ = r.EventRecord(e, s)
	}
}

func BenchmarkEventRecordTimed(b *testing.B) {
	r := newRig(b, sim.Config{})
	s, e := r.stream(api.StreamNonBlocking), r.event(0)
	b.ReportAllocs()
	for b.Loop() {
		_ = r.EventRecord(e, s)
	}
}

func BenchmarkMemset4KiB(b *testing.B) {
	r := newRig(b, sim.Config{})
	s, p := r.stream(api.StreamNonBlocking), r.alloc(4*kib)
	b.ReportAllocs()
	for b.Loop() {
		_ = r.MemsetAsync(p, 0, 1, 4*kib, s)
	}
	r.sync(s)
}

func BenchmarkPendingChain(b *testing.B) {
	r := newRig(b, sim.Config{})
	s, t := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	e := r.event(api.EventDisableTiming)
	b.ReportAllocs()
	for b.Loop() {
		_ = r.LaunchHostFunc(s, func() {})
		_ = r.EventRecord(e, s)
		_ = r.StreamWaitEvent(t, e)
	}
	r.sync(t)
}

// BenchmarkPoolParallel is many goroutines, each on a stream of its own.
func BenchmarkPoolParallel(b *testing.B) {
	r := newRig(b, sim.Config{})
	b.SetParallelism(32)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		s, _ := r.StreamCreate(api.StreamNonBlocking, 0)
		for pb.Next() {
			p, _ := r.MemAllocAsync(1000, s)
			_ = r.MemFreeAsync(p, s)
		}
		_ = r.StreamDestroy(s)
	})
}
