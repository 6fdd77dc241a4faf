//go:build linux && !rmm_nocuda

package cuda

import (
	"encoding/binary"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// capture records what do enqueues on w.s, relaxed, as a launchable graph until
// the end of the test.
func (w work) capture(t *testing.T, do func()) api.GraphExec {
	t.Helper()
	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureRelaxed))
	do()
	g, err := w.StreamEndCapture(w.s)
	require.NoError(t, err)
	e, err := w.GraphInstantiate(g)
	require.NoError(t, err)
	require.NoError(t, w.GraphDestroy(g), "the launchable form stays")
	t.Cleanup(func() { require.NoError(t, w.GraphExecDestroy(e)) })
	return e
}

func TestAGraphIsLaunchedAHundredTimesOnTheGPU(t *testing.T) {
	w := openGPU(t)
	add := kernel(t, w.device, "vecadd.ptx", "vecadd")
	p := w.alloc(t, 8)
	w.put(t, p, floats([]float32{0, 1}))
	e := w.capture(t, func() { // p[0] += p[1]
		require.NoError(t, w.Launch(add, blocks(1), w.s, arguments(t, p, p, p+4, uint32(1))))
	})
	require.Equal(t, []float32{0, 1}, floatsIn(t, w.get(t, p, 8)), "recorded, not done")
	for range 100 {
		require.NoError(t, w.GraphLaunch(e, w.s))
	}
	require.Equal(t, []float32{100, 1}, floatsIn(t, w.get(t, p, 8)))
}

func TestCapturedHostFuncsOnTheGPU(t *testing.T) {
	w := openGPU(t)
	var runs atomic.Int64
	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureRelaxed))
	require.NoError(t, w.LaunchHostFunc(w.s, func() { runs.Add(1) }))
	g, err := w.StreamEndCapture(w.s)
	require.NoError(t, err)
	e, err := w.GraphInstantiate(g)
	require.NoError(t, err)
	require.NoError(t, w.GraphDestroy(g))
	require.Zero(t, runs.Load())
	for range 10 {
		require.NoError(t, w.GraphLaunch(e, w.s))
	}
	require.NoError(t, w.StreamSynchronize(w.s))
	require.EqualValues(t, 10, runs.Load())
	require.NoError(t, w.GraphExecDestroy(e))
}

// collected reports, in time, that the collector has found f unreachable.
func collected(t *testing.T, gone <-chan struct{}) {
	t.Helper()
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-gone:
			return true
		default:
			return false
		}
	}, time.Minute, time.Millisecond)
}

func TestCapturedHostFuncsEndWithTheirGraphOnTheGPU(t *testing.T) {
	w := openGPU(t)
	gone := make(chan struct{})
	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureRelaxed))
	func() {
		kept := new([64]byte)
		runtime.AddCleanup(kept, func(done chan struct{}) { close(done) }, gone)
		require.NoError(t, w.LaunchHostFunc(w.s, func() { runtime.KeepAlive(kept) }))
	}()
	g, err := w.StreamEndCapture(w.s)
	require.NoError(t, err)
	e, err := w.GraphInstantiate(g)
	require.NoError(t, err)
	require.NoError(t, w.GraphLaunch(e, w.s))
	require.NoError(t, w.StreamSynchronize(w.s))
	require.NoError(t, w.GraphDestroy(g))
	require.NoError(t, w.GraphExecDestroy(e))
	collected(t, gone)
}

func TestMemoryAllocatedInACaptureOnTheGPU(t *testing.T) {
	w := openGPU(t)
	fill := kernel(t, w.device, "pattern.ptx", "fill")
	result := w.alloc(t, 4)
	e := w.capture(t, func() {
		p, err := w.MemAllocAsync(256, w.s)
		require.NoError(t, err)
		require.NoError(t, w.Launch(fill, blocks(1), w.s, arguments(t, p, uint64(1), uint32(42))))
		require.NoError(t, w.MemcpyDtoDAsync(result, p, 4, w.s))
		require.NoError(t, w.MemFreeAsync(p, w.s))
	})
	for range 3 {
		require.NoError(t, w.GraphLaunch(e, w.s))
	}
	require.EqualValues(t, 42, binary.LittleEndian.Uint32(w.get(t, result, 4)))
}

func TestStreamsSayThatTheyAreCapturedOnTheGPU(t *testing.T) {
	w := openGPU(t)
	other, err := w.StreamCreate(api.StreamNonBlocking, 0)
	require.NoError(t, err)
	status, _, err := w.StreamCapture(w.s)
	require.NoError(t, err)
	require.Equal(t, api.CaptureNone, status)

	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureRelaxed))
	require.NoError(t, w.EventRecord(w.e, w.s))
	require.NoError(t, w.StreamWaitEvent(other, w.e))
	status, id, err := w.StreamCapture(w.s)
	require.NoError(t, err)
	require.Equal(t, api.CaptureActive, status)
	status, joined, err := w.StreamCapture(other)
	require.NoError(t, err)
	require.Equal(t, api.CaptureActive, status, "a stream that waits for a captured event joins")
	require.Equal(t, id, joined)
	_, err = w.StreamID(w.s)
	require.ErrorIs(t, err, api.ErrCapture)

	require.NoError(t, w.EventRecord(w.e, other))
	require.NoError(t, w.StreamWaitEvent(w.s, w.e))
	g, err := w.StreamEndCapture(w.s)
	require.NoError(t, err, "the question about its ID has not harmed the capture")
	require.NoError(t, w.GraphDestroy(g))
	require.NoError(t, w.StreamDestroy(other))
	// w.e stands for captured work now, which nobody may ask about.
	require.NoError(t, w.EventRecord(w.e, w.s))
}

func TestAnUnjoinedCaptureFailsOnTheGPU(t *testing.T) {
	w := openGPU(t)
	other, err := w.StreamCreate(api.StreamNonBlocking, 0)
	require.NoError(t, err)
	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureRelaxed))
	require.NoError(t, w.LaunchHostFunc(w.s, func() { t.Error("must not run") }))
	require.NoError(t, w.EventRecord(w.e, w.s))
	require.NoError(t, w.StreamWaitEvent(other, w.e))
	require.NoError(t, w.LaunchHostFunc(other, func() { t.Error("must not run") }))
	_, err = w.StreamEndCapture(w.s)
	require.ErrorIs(t, err, api.ErrCapture)
	require.Empty(t, w.b.captures.byID)
	require.NoError(t, w.StreamDestroy(other))
	require.NoError(t, w.EventRecord(w.e, w.s))
	require.NoError(t, w.StreamSynchronize(w.s))
}

// elsewhere runs f on another thread than the caller's, which is locked.
func elsewhere(f func() error) error {
	result := make(chan error)
	go func() { result <- f() }()
	return <-result
}

// during captures w.s in a mode, runs f on another thread meanwhile and returns
// its error and that of the capture's end.
func (w work) during(t *testing.T, mode api.CaptureMode, f func() error) (harmed, end error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	require.NoError(t, w.StreamBeginCapture(w.s, mode))
	harmed = elsewhere(f)
	g, end := w.StreamEndCapture(w.s)
	if end == nil {
		require.NoError(t, w.GraphDestroy(g))
	}
	return harmed, end
}

// poll is a call that disturbs other people's captures in global mode.
func (w work) poll() error {
	_, err := w.EventQuery(w.e)
	return err
}

func TestCaptureModesOnTheGPU(t *testing.T) {
	w := openGPU(t)
	harmed, end := w.during(t, api.CaptureGlobal, w.poll)
	require.ErrorIs(t, harmed, api.ErrCapture)
	require.ErrorIs(t, end, api.ErrCapture, "global: every thread's unsafe calls")
	for _, mode := range []api.CaptureMode{api.CaptureThreadLocal, api.CaptureRelaxed} {
		harmed, end = w.during(t, mode, w.poll)
		require.NoError(t, harmed)
		require.NoError(t, end)
	}
}

func TestARelaxedThreadHarmsNoCaptureOnTheGPU(t *testing.T) {
	w := openGPU(t)
	harmed, end := w.during(t, api.CaptureGlobal, func() error {
		return w.WithCaptureMode(api.CaptureRelaxed, func() error {
			p, err := w.MemAlloc(1)
			if err != nil {
				return err
			}
			if err := w.MemFree(p); err != nil {
				return err
			}
			return w.poll()
		})
	})
	require.NoError(t, harmed)
	require.NoError(t, end)
}

func TestOnlyRelaxedCapturesEndOnAnotherThreadOnTheGPU(t *testing.T) {
	w := openGPU(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	endElsewhere := func() error {
		return elsewhere(func() error {
			g, err := w.StreamEndCapture(w.s)
			if err != nil {
				return err
			}
			return w.GraphDestroy(g)
		})
	}
	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureRelaxed))
	require.NoError(t, endElsewhere())

	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureThreadLocal))
	var failure *api.Error
	require.ErrorAs(t, endElsewhere(), &failure)
	require.Equal(t, api.CodeCaptureWrongThread, failure.Code)
	status, _, err := w.StreamCapture(w.s)
	require.NoError(t, err)
	require.Equal(t, api.CaptureNone, status, "it has ended all the same")
}

func TestTheDefaultStreamCannotBeCapturedOnTheGPU(t *testing.T) {
	w := openGPU(t)
	require.ErrorIs(t, w.StreamBeginCapture(api.StreamDefault, api.CaptureRelaxed), api.ErrCapture)
}
