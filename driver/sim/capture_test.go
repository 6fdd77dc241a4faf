package sim_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func (r *rig) graphs() api.Graphs { return r.Device.(api.Graphs) }

// begin captures a stream; the test keeps its thread.
func (r *rig) begin(s api.Stream, mode api.CaptureMode) {
	runtime.LockOSThread()
	r.t.Cleanup(runtime.UnlockOSThread)
	require.NoError(r.t, r.graphs().StreamBeginCapture(s, mode))
}

// end ends a capture that went well, and returns what can be launched during the
// test.
func (r *rig) end(s api.Stream) api.GraphExec {
	g, err := r.graphs().StreamEndCapture(s)
	require.NoError(r.t, err)
	e, err := r.graphs().GraphInstantiate(g)
	require.NoError(r.t, err)
	require.NoError(r.t, r.graphs().GraphDestroy(g))
	r.t.Cleanup(func() { require.NoError(r.t, r.graphs().GraphExecDestroy(e)) })
	return e
}

// endFails ends a capture that went wrong.
func (r *rig) endFails(s api.Stream, want int) {
	r.t.Helper()
	_, err := r.graphs().StreamEndCapture(s)
	code(r.t, want, "", err)
	r.status(s, api.CaptureNone)
}

func (r *rig) status(s api.Stream, want api.CaptureStatus) (id uint64) {
	r.t.Helper()
	status, id, err := r.graphs().StreamCapture(s)
	require.NoError(r.t, err)
	require.Equal(r.t, want, status)
	return id
}

// fork makes a stream wait for another one.
func (r *rig) fork(from, to api.Stream) error {
	e := r.event(api.EventDisableTiming)
	require.NoError(r.t, r.EventRecord(e, from))
	return r.StreamWaitEvent(to, e)
}

// elsewhere runs f on another thread.
func elsewhere(f func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		result <- f()
	}()
	return <-result
}

// unsafeCalls are what forbidding captures forbid. Each gives back what it took.
func (r *rig) unsafeCalls() map[string]func() error {
	s, e := r.stream(api.StreamNonBlocking), r.event(0)
	pool, err := r.DefaultPool()
	require.NoError(r.t, err)
	keep := func(p api.Ptr, err error, free func(api.Ptr) error) error {
		if err == nil {
			r.t.Cleanup(func() { require.NoError(r.t, free(p)) })
		}
		return err
	}
	freeAsync := func(p api.Ptr) error { return r.MemFreeAsync(p, s) }
	return map[string]func() error{
		"event query":         func() error { _, err := r.EventQuery(e); return err },
		"event synchronise":   func() error { return r.EventSynchronize(e) },
		"stream query":        func() error { _, err := r.StreamQuery(s); return err },
		"stream synchronise":  func() error { return r.StreamSynchronize(s) },
		"context synchronise": r.Synchronize,
		"allocate":            func() error { p, err := r.MemAlloc(64); return keep(p, err, r.MemFree) },
		"allocate managed":    func() error { p, err := r.MemAllocManaged(64); return keep(p, err, r.MemFree) },
		"allocate pinned":     func() error { p, err := r.MemHostAlloc(64, 0); return keep(p, err, r.MemHostFree) },
		"allocate async":      func() error { p, err := r.MemAllocAsync(64, s); return keep(p, err, freeAsync) },
		"allocate from pool":  func() error { p, err := r.MemAllocFromPoolAsync(64, pool, s); return keep(p, err, freeAsync) },
	}
}

func TestCaptureModes(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	here := func(f func() error) error { return f() }
	relaxed := func(f func() error) error { return r.graphs().WithCaptureMode(api.CaptureRelaxed, f) }
	local := func(f func() error) error { return r.graphs().WithCaptureMode(api.CaptureThreadLocal, f) }
	for _, c := range []struct {
		name  string
		mode  api.CaptureMode
		how   func(f func() error) error
		harms bool
	}{
		{"global, here", api.CaptureGlobal, here, true},
		{"global, elsewhere", api.CaptureGlobal, elsewhere, true},
		{"global, here and relaxed", api.CaptureGlobal, relaxed, false},
		{"global, elsewhere and relaxed", api.CaptureGlobal, func(f func() error) error { return elsewhere(func() error { return relaxed(f) }) }, false},
		{"global, elsewhere and thread-local", api.CaptureGlobal, func(f func() error) error { return elsewhere(func() error { return local(f) }) }, false},
		{"global, here and thread-local", api.CaptureGlobal, local, true},
		{"thread-local, here", api.CaptureThreadLocal, here, true},
		{"thread-local, elsewhere", api.CaptureThreadLocal, elsewhere, false},
		{"relaxed, here", api.CaptureRelaxed, here, false},
		{"relaxed, elsewhere", api.CaptureRelaxed, elsewhere, false},
	} {
		for call, f := range r.unsafeCalls() {
			t.Run(c.name+"/"+call, func(t *testing.T) {
				r := &rig{Device: r.Device, t: t, machine: r.machine}
				r.begin(s, c.mode)
				err := c.how(f)
				if c.harms {
					code(t, api.CodeCaptureUnsupported, "WithCaptureMode(CaptureRelaxed)", err)
					r.status(s, api.CaptureInvalidated)
					code(t, api.CodeCaptureInvalidated, "end it", r.LaunchHostFunc(s, func() {}))
					r.endFails(s, api.CodeCaptureInvalidated)
					return
				}
				require.NoError(t, err)
				r.status(s, api.CaptureActive)
				r.end(s)
			})
		}
	}
}

func TestHarmlessCalls(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	s, other := v.stream(api.StreamNonBlocking), v.stream(api.StreamNonBlocking)
	v.begin(s, api.CaptureGlobal)
	e := v.event(0)
	require.NoError(t, v.EventRecord(e, other))
	require.NoError(t, v.MemRelease(v.create(1, 0)))
	_, err := v.StreamID(s)
	code(t, api.CodeCaptureUnsupported, "ask before or after", err)
	v.status(s, api.CaptureActive)
	v.end(s)
}

func TestModesAreRestored(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, e := r.stream(api.StreamNonBlocking), r.event(0)
	g := r.graphs()
	r.begin(s, api.CaptureGlobal)
	err := g.WithCaptureMode(api.CaptureRelaxed, func() error {
		require.NoError(t, g.WithCaptureMode(api.CaptureThreadLocal, func() error { return nil }))
		_, err := r.EventQuery(e)
		return err
	})
	require.NoError(t, err)
	_, err = r.EventQuery(e)
	code(t, api.CodeCaptureUnsupported, "", err)
	r.endFails(s, api.CodeCaptureInvalidated)
	code(t, api.CodeInvalidValue, "capture mode 3", g.WithCaptureMode(3, func() error { return nil }))
	code(t, api.CodeInvalidValue, "capture mode -1", g.StreamBeginCapture(s, -1))
}

func TestAskingACapturedStream(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	for _, ask := range []func() error{
		func() error { _, err := r.StreamQuery(s); return err },
		func() error { return r.StreamSynchronize(s) },
	} {
		r.begin(s, api.CaptureRelaxed)
		code(t, api.CodeCaptureUnsupported, "end the capture first", ask())
		r.endFails(s, api.CodeCaptureInvalidated)
	}
}

func TestCapturedEvents(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other, e := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking), r.event(0)
	for _, ask := range []func() error{
		func() error { _, err := r.EventQuery(e); return err },
		func() error { return r.EventSynchronize(e) },
	} {
		r.begin(s, api.CaptureRelaxed)
		require.NoError(t, r.EventRecord(e, s))
		code(t, api.CodeCapturedEvent, "record it", ask())
		r.endFails(s, api.CodeCaptureInvalidated)
		code(t, api.CodeInvalidValue, "record it anew", ask())
	}
	_, err := r.EventElapsed(e, e)
	code(t, api.CodeCapturedEvent, "record it", err)
	code(t, api.CodeInvalidValue, "record it anew", r.StreamWaitEvent(other, e))
	require.NoError(t, r.EventRecord(e, s))
	require.NoError(t, r.EventSynchronize(e), "it is an ordinary event again")
}

func TestBeginningAndEnding(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, g := r.stream(api.StreamNonBlocking), r.graphs()
	code(t, api.CodeCaptureUnsupported, "create a stream", g.StreamBeginCapture(api.StreamLegacy, api.CaptureRelaxed))
	_, err := g.StreamEndCapture(s)
	code(t, api.CodeIllegalState, "not being captured", err)
	r.begin(s, api.CaptureRelaxed)
	first := r.status(s, api.CaptureActive)
	code(t, api.CodeIllegalState, "already", g.StreamBeginCapture(s, api.CaptureRelaxed))
	require.NoError(t, r.GraphLaunch(r.end(s), s), "of nothing")
	r.begin(s, api.CaptureRelaxed)
	require.NotEqual(t, first, r.status(s, api.CaptureActive))
	r.end(s)
	r.begin(api.StreamPerThread, api.CaptureRelaxed)
	r.end(api.StreamPerThread)
}

func (r *rig) GraphLaunch(e api.GraphExec, s api.Stream) error { return r.graphs().GraphLaunch(e, s) }

func TestEndingOnAnotherThread(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, g := r.stream(api.StreamNonBlocking), r.graphs()
	r.begin(s, api.CaptureThreadLocal)
	code(t, api.CodeCaptureWrongThread, "hold the thread", elsewhere(func() error {
		_, err := g.StreamEndCapture(s)
		return err
	}))
	r.status(s, api.CaptureNone)
	r.begin(s, api.CaptureRelaxed)
	require.NoError(t, elsewhere(func() error {
		graph, err := g.StreamEndCapture(s)
		if err == nil {
			err = g.GraphDestroy(graph)
		}
		return err
	}))
}

func TestJoiningACapture(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	r.begin(s, api.CaptureRelaxed)
	require.NoError(t, r.fork(s, other))
	require.Equal(t, r.status(s, api.CaptureActive), r.status(other, api.CaptureActive))
	require.NoError(t, r.LaunchHostFunc(other, func() {}))
	require.NoError(t, r.fork(other, s))
	r.end(s)
	r.status(other, api.CaptureNone)

	r.begin(s, api.CaptureRelaxed)
	require.NoError(t, r.fork(s, other), "without work there is nothing to join again")
	r.end(s)

	r.begin(s, api.CaptureRelaxed)
	require.NoError(t, r.fork(s, other))
	require.NoError(t, r.LaunchHostFunc(other, func() {}))
	r.endFails(s, api.CodeCaptureUnjoined)
	r.status(other, api.CaptureNone)
}

// TestEndingOnTheWrongStream: CUDA invalidates the capture.
func TestEndingOnTheWrongStream(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	r.begin(s, api.CaptureRelaxed)
	require.NoError(t, r.fork(s, other))
	_, err := r.graphs().StreamEndCapture(other)
	code(t, api.CodeCaptureUnmatched, "on the stream that began it", err)
	r.endFails(s, api.CodeCaptureInvalidated)
	r.status(other, api.CaptureNone)
}

func TestCapturesDoNotMix(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other, third := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	r.begin(s, api.CaptureRelaxed)
	r.begin(other, api.CaptureRelaxed)
	code(t, api.CodeCaptureMerge, "another capture", r.fork(s, other))
	e := r.event(0)
	code(t, api.CodeCaptureInvalidated, "end it", r.EventRecord(e, s))
	r.endFails(s, api.CodeCaptureInvalidated)
	r.endFails(other, api.CodeCaptureInvalidated)

	require.NoError(t, r.EventRecord(e, third))
	r.begin(s, api.CaptureRelaxed)
	require.NoError(t, r.StreamWaitEvent(s, r.event(0)), "never recorded")
	code(t, api.CodeCaptureIsolation, "outside the capture", r.StreamWaitEvent(s, e))
	r.endFails(s, api.CodeCaptureInvalidated)

	r.begin(s, api.CaptureRelaxed)
	require.NoError(t, r.EventRecord(e, s))
	_, err := r.StreamQuery(s)
	require.Error(t, err)
	code(t, api.CodeCaptureInvalidated, "end it", r.StreamWaitEvent(third, e))
	r.endFails(s, api.CodeCaptureInvalidated)
}

func TestTheDefaultStreamDuringACapture(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	p := r.alloc(64)
	blocking, free := r.stream(api.StreamBlocking), r.stream(api.StreamNonBlocking)
	for _, use := range []func() error{
		func() error { return r.MemsetAsync(p, 1, 1, 64, api.StreamDefault) },
		func() error { return r.MemcpyHtoD(p, make([]byte, 64)) },
		func() error { return r.StreamSynchronize(api.StreamLegacy) },
		func() error { return r.fork(blocking, api.StreamLegacy) },
	} {
		r.begin(blocking, api.CaptureRelaxed)
		_, _, err := r.graphs().StreamCapture(api.StreamLegacy)
		code(t, api.CodeCaptureImplicit, "", err)
		r.status(blocking, api.CaptureActive)
		code(t, api.CodeCaptureImplicit, "capture non-blocking streams", use())
		r.endFails(blocking, api.CodeCaptureInvalidated)
	}
	r.begin(free, api.CaptureRelaxed)
	require.NoError(t, r.MemcpyHtoD(p, make([]byte, 64)))
	e := r.event(0)
	require.NoError(t, r.EventRecord(e, free))
	code(t, api.CodeCaptureImplicit, "", r.StreamWaitEvent(api.StreamLegacy, e))
	r.endFails(free, api.CodeCaptureInvalidated)

	r.begin(blocking, api.CaptureRelaxed)
	far := r.on(1)
	require.NoError(t, far.Memset(far.alloc(8), 0, 1, 8), "another device's default stream")
	r.end(blocking)
}

func TestWhatHasNoNode(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	p, err := r.MemAllocManaged(64)
	require.NoError(t, err)
	r.begin(s, api.CaptureRelaxed)
	code(t, api.CodeCaptureUnsupported, "being captured", r.PrefetchAsync(p, 64, 0, s))
	r.endFails(s, api.CodeCaptureInvalidated)
	require.NoError(t, r.MemFree(p))
}

func TestDestroyingCapturedStreams(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	create := func() api.Stream {
		s, err := r.StreamCreate(api.StreamNonBlocking, 0)
		require.NoError(t, err)
		return s
	}
	joined := create()
	r.begin(s, api.CaptureRelaxed)
	require.NoError(t, r.fork(s, joined))
	require.NoError(t, r.StreamDestroy(joined))
	r.endFails(s, api.CodeCaptureInvalidated)

	origin := create()
	r.begin(origin, api.CaptureRelaxed)
	require.NoError(t, r.fork(origin, s))
	_, err := r.MemAllocAsync(64, origin)
	require.NoError(t, err)
	require.NoError(t, r.StreamDestroy(origin), "the capture and its memory go with it")
	r.status(s, api.CaptureNone)
}

func TestAResetEndsCaptures(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, err := r.StreamCreate(api.StreamNonBlocking, 0)
	require.NoError(t, err)
	r.begin(s, api.CaptureGlobal)
	_, err = r.MemAllocAsync(64, s)
	require.NoError(t, err)
	r.reset()
	r.sync(api.StreamLegacy)
}
