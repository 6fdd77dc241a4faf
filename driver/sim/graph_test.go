package sim_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// record captures what do enqueues on s.
func (r *rig) record(s api.Stream, do func()) api.GraphExec {
	r.begin(s, api.CaptureRelaxed)
	do()
	return r.end(s)
}

func TestAGraphIsLaunchedManyTimes(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	p := r.alloc(8)
	pin, host := r.pinned(8)
	pageable, got := make([]byte, 2), make([]byte, 8)
	var ran atomic.Int64
	add := r.kernel(func(k *sim.Kernel) { sim.Store(k, p, sim.Load[uint8](k, p, 1)[0]+1) })
	require.NoError(t, r.MemsetAsync(p, 0, 1, 8, s))
	e := r.record(s, func() {
		require.NoError(t, add(s))
		require.NoError(t, r.MemcpyHtoDAsync(p+1, pageable, s))
		require.NoError(t, r.MemcpyDtoDAsync(pin, p, 8, s))
		require.NoError(t, r.MemsetAsync(p+7, 9, 1, 1, s))
		require.NoError(t, r.MemcpyDtoHAsync(got, p, s))
		require.NoError(t, r.LaunchHostFunc(s, func() { ran.Add(1) }))
	})
	require.Equal(t, repeated(0, 8), r.read(p, 8, s), "recorded, not done")
	for i := range byte(10) {
		pageable[0] = 100 + i // read at each launch, not at the capture
		require.NoError(t, r.GraphLaunch(e, s))
		r.sync(s)
		require.Equal(t, i+1, host[0])
		require.Equal(t, 100+i, host[1])
		require.Equal(t, []byte{i + 1, 100 + i, 0, 0, 0, 0, 0, 9}, got)
	}
	require.EqualValues(t, 10, ran.Load())
}

// TestLaunchesKeepTheOrder of their stream, and of the same graph on another one.
func TestLaunchesKeepTheOrder(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	p, q := r.alloc(64), r.alloc(64)
	e := r.record(s, func() { require.NoError(t, r.MemcpyDtoDAsync(q, p, 64, s)) })
	release := r.hold(s)
	require.NoError(t, r.MemsetAsync(p, 1, 1, 64, s))
	require.NoError(t, r.GraphLaunch(e, s))
	require.NoError(t, r.GraphLaunch(e, other))
	require.False(t, r.idle(s))
	require.False(t, r.idle(other), "one instance runs once at a time")
	release()
	require.Equal(t, repeated(1, 64), r.read(q, 64, other))
}

// TestBranchesOfAGraph run at the same time, between their fork and join.
func TestBranchesOfAGraph(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	var steps atomic.Int64
	met := make(chan struct{})
	e := r.record(s, func() {
		require.NoError(t, r.LaunchHostFunc(s, func() { steps.CompareAndSwap(0, 1) }))
		require.NoError(t, r.fork(s, other))
		require.NoError(t, r.LaunchHostFunc(other, func() { steps.CompareAndSwap(1, 2); met <- struct{}{} }))
		require.NoError(t, r.LaunchHostFunc(s, func() { <-met }))
		require.NoError(t, r.fork(other, s))
		require.NoError(t, r.LaunchHostFunc(s, func() { steps.CompareAndSwap(2, 3) }))
	})
	for range 3 {
		steps.Store(0)
		require.NoError(t, r.GraphLaunch(e, s))
		r.sync(s)
		require.EqualValues(t, 3, steps.Load())
	}
}

func TestAGraphInAGraph(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	var order []int
	note := func(s api.Stream, n int) {
		require.NoError(t, r.LaunchHostFunc(s, func() { order = append(order, n) }))
	}
	inner := r.record(s, func() { note(s, 2); note(s, 3) })
	nothing := r.record(s, func() {})
	outer := r.record(other, func() {
		note(other, 1)
		require.NoError(t, r.GraphLaunch(inner, other))
		require.NoError(t, r.GraphLaunch(nothing, other))
		note(other, 4)
	})
	require.NoError(t, r.GraphLaunch(outer, s))
	require.NoError(t, r.GraphLaunch(outer, s))
	r.sync(s)
	require.Equal(t, []int{1, 2, 3, 4, 1, 2, 3, 4}, order)
}

func TestMisuseOfGraphs(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	s, g := r.stream(api.StreamNonBlocking), r.graphs()
	e := r.record(s, func() {})
	code(t, api.CodeInvalidHandle, "was captured on device 0", r.on(1).GraphLaunch(e, 0))
	code(t, api.CodeInvalidValue, "not an instantiated graph", r.GraphLaunch(e+16, s))
	code(t, api.CodeInvalidHandle, "not a stream", r.GraphLaunch(e, 77))
	code(t, api.CodeInvalidValue, "not an instantiated graph", g.GraphExecDestroy(0))
	code(t, api.CodeInvalidValue, "not a graph", g.GraphDestroy(0))
	_, err := g.GraphInstantiate(3)
	code(t, api.CodeInvalidValue, "not a graph", err)
	require.Equal(t, 1, r.machine.Outstanding()[0].Graphs)
}

// TestMemoryOfAGraphIsFreedTooEarly: the launch faults.
func TestMemoryOfAGraphIsFreedTooEarly(t *testing.T) {
	for name, c := range map[string]struct {
		alloc func(r *rig) (api.Ptr, error)
		free  func(r *rig, p api.Ptr) error
	}{
		"device": {func(r *rig) (api.Ptr, error) { return r.MemAlloc(64) }, func(r *rig, p api.Ptr) error { return r.MemFree(p) }},
		"pinned": {func(r *rig) (api.Ptr, error) { return r.MemHostAlloc(64, 0) }, func(r *rig, p api.Ptr) error { return r.MemHostFree(p) }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sim.Config{})
			s, err := r.StreamCreate(0, 0)
			require.NoError(t, err)
			p, err := c.alloc(r)
			require.NoError(t, err)
			require.NoError(t, r.graphs().StreamBeginCapture(s, api.CaptureRelaxed))
			require.NoError(t, r.MemsetAsync(p, 1, 1, 64, s))
			g, err := r.graphs().StreamEndCapture(s)
			require.NoError(t, err)
			e, err := r.graphs().GraphInstantiate(g)
			require.NoError(t, err)
			require.NoError(t, r.GraphLaunch(e, s))
			require.NoError(t, c.free(r, p))
			require.NoError(t, r.GraphLaunch(e, s))
			code(t, api.CodeIllegalAddress, "cuMemsetD8Async in a graph", r.StreamSynchronize(s))
			r.reset()
		})
	}
}

func TestAGraphAllocatesAndFrees(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	q := r.alloc(64)
	before := r.free()
	r.begin(s, api.CaptureRelaxed)
	p, err := r.MemAllocAsync(10*mib, s)
	require.NoError(t, err)
	require.NoError(t, r.MemsetAsync(p, 7, 1, 64, s))
	require.NoError(t, r.MemcpyDtoDAsync(q, p, 64, s))
	require.NoError(t, r.MemFreeAsync(p, s))
	code(t, api.CodeInvalidValue, "is freed in it", r.MemFreeAsync(p, s))
	g, err := r.graphs().StreamEndCapture(s)
	require.NoError(t, err)
	e, err := r.graphs().GraphInstantiate(g)
	require.NoError(t, err)
	_, err = r.graphs().GraphInstantiate(g)
	code(t, api.CodeInvalidValue, "only once at a time", err)
	require.NoError(t, r.graphs().GraphDestroy(g))
	for range 3 {
		require.NoError(t, r.MemsetAsync(q, 0, 1, 64, s))
		require.NoError(t, r.GraphLaunch(e, s))
		require.Equal(t, repeated(7, 64), r.read(q, 64, s))
	}
	code(t, api.CodeInvalidValue, "not the address", r.MemFree(p))
	code(t, api.CodeInvalidValue, "not the address", r.MemFreeAsync(p, s))
	require.Less(t, r.free(), before, "the address is the graph's")

	release := r.hold(s)
	require.NoError(t, r.GraphLaunch(e, s))
	require.NoError(t, r.graphs().GraphExecDestroy(e))
	require.Less(t, r.free(), before, "a launch is under way")
	release()
	r.sync(s)
	require.Equal(t, before, r.free())
}

// TestMemoryThatAGraphLeavesAllocated is the program's until it frees it, and
// only then can the graph be launched again.
func TestMemoryThatAGraphLeavesAllocated(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, g := r.stream(api.StreamNonBlocking), r.graphs()
	before := r.free()
	r.begin(s, api.CaptureRelaxed)
	p, err := r.MemAllocAsync(mib, s)
	require.NoError(t, err)
	require.NoError(t, r.MemsetAsync(p, 7, 1, mib, s))
	graph, err := g.StreamEndCapture(s)
	require.NoError(t, err)
	e, err := g.GraphInstantiate(graph)
	require.NoError(t, err)
	require.NoError(t, g.GraphDestroy(graph))

	free := r.record(s, func() { require.NoError(t, r.MemFreeAsync(p, s)) })
	for _, free := range []func() error{
		func() error { return r.MemFreeAsync(p, s) },
		func() error { return r.MemFree(p) },
		func() error { return r.GraphLaunch(free, s) },
	} {
		require.NoError(t, r.GraphLaunch(e, s))
		code(t, api.CodeInvalidValue, "not freed yet", r.GraphLaunch(e, s))
		require.Equal(t, repeated(7, mib), r.read(p, mib, s))
		require.NoError(t, free())
	}
	code(t, api.CodeInvalidValue, "is not allocated", r.GraphLaunch(free, s))
	other := r.stream(api.StreamNonBlocking)
	r.begin(other, api.CaptureRelaxed)
	code(t, api.CodeNotSupported, "cannot be a part of another", r.GraphLaunch(e, other))
	r.end(other)

	require.NoError(t, r.GraphLaunch(e, s))
	require.NoError(t, g.GraphExecDestroy(e))
	require.Equal(t, repeated(7, 64), r.read(p, 64, s), "it outlives its graph")
	require.NoError(t, r.MemFreeAsync(p, s))
	r.sync(s)
	require.Equal(t, before, r.free())
}

func TestAGraphFreesOnlyItsOwn(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	plain := r.alloc(64)
	pooled, err := r.MemAllocAsync(64, s)
	require.NoError(t, err)
	r.begin(s, api.CaptureRelaxed)
	for _, p := range []api.Ptr{plain, pooled, 0x1000} {
		require.ErrorIs(t, r.MemFreeAsync(p, s), api.ErrInvalidValue)
	}
	_, err = r.MemAllocAsync(1<<40, s)
	code(t, api.CodeOutOfMemory, "free on simulated device 0", err)
	r.end(s)
	require.NoError(t, r.MemFreeAsync(pooled, s))
}

// TestAFailedCaptureGivesItsMemoryBack is what newRig checks at the end.
func TestAFailedCaptureGivesItsMemoryBack(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	before := r.free()
	r.begin(s, api.CaptureRelaxed)
	_, err := r.MemAllocAsync(mib, s)
	require.NoError(t, err)
	_, err = r.StreamQuery(s)
	require.Error(t, err)
	r.endFails(s, api.CodeCaptureInvalidated)
	require.Equal(t, before, r.free())
}
