//go:build linux && !rmm_nocuda

package cudart

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// capture records what work enqueues.
func (w work) capture(t *testing.T, work func()) api.GraphExec {
	t.Helper()
	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureRelaxed))
	work()
	status, id, err := w.StreamCapture(w.s)
	require.NoError(t, err)
	require.Equal(t, api.CaptureActive, status)
	require.NotZero(t, id)
	_, err = w.StreamID(w.s)
	require.ErrorIs(t, err, api.ErrCapture)
	g, err := w.StreamEndCapture(w.s)
	require.NoError(t, err, "asking for the ID did no harm")
	exec, err := w.GraphInstantiate(g)
	require.NoError(t, err)
	require.NoError(t, w.GraphDestroy(g))
	return exec
}

func TestGraphsOnTheGPU(t *testing.T) {
	w := openGPU(t)
	p, err := w.MemAlloc(64)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.MemFree(p)) }()
	var ran atomic.Int32
	exec := w.capture(t, func() {
		require.NoError(t, w.MemsetAsync(p, 7, 1, 64, w.s))
		require.NoError(t, w.LaunchHostFunc(w.s, func() { ran.Add(1) }))
	})
	require.Zero(t, ran.Load(), "recorded, not run")
	for range 3 {
		require.NoError(t, w.GraphLaunch(exec, w.s))
	}
	require.NoError(t, w.StreamSynchronize(w.s))
	require.EqualValues(t, 3, ran.Load())
	got := make([]byte, 64)
	require.NoError(t, w.MemcpyDtoH(got, p))
	require.EqualValues(t, 7, got[63])
	require.NoError(t, w.GraphExecDestroy(exec))
}

func TestCaptureModesOnTheGPU(t *testing.T) {
	w := openGPU(t)
	runtime.LockOSThread() // a capture in global mode ends on the thread that began it
	defer runtime.UnlockOSThread()
	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureGlobal))
	require.NoError(t, w.WithCaptureMode(api.CaptureRelaxed, func() error {
		p, err := w.MemAlloc(64)
		if err != nil {
			return err
		}
		return w.MemFree(p)
	}), "relaxed, the thread may allocate beside the capture")
	g, err := w.StreamEndCapture(w.s)
	require.NoError(t, err, "and the capture is unharmed")
	require.NoError(t, w.GraphDestroy(g))

	require.NoError(t, w.StreamBeginCapture(w.s, api.CaptureGlobal))
	_, err = w.MemAlloc(64)
	require.ErrorIs(t, err, api.ErrCapture, "the thread's own mode is back")
	_, err = w.StreamEndCapture(w.s)
	require.ErrorIs(t, err, api.ErrCapture)
}
