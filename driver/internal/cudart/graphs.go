package cudart

import (
	"errors"
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// StreamBeginCapture starts recording the work on s into a graph.
func (d *device) StreamBeginCapture(s api.Stream, mode api.CaptureMode) error {
	return d.call(&d.b.rt.beginCapture, handle(s), uintptr(mode))
}

// StreamEndCapture returns the graph. A capture that was invalidated ends with
// an error.
func (d *device) StreamEndCapture(s api.Stream) (api.Graph, error) {
	g, err := d.streamOut(s, &d.b.rt.endCapture)
	return api.Graph(g), err
}

// StreamCapture returns the state of s and the ID of its capture. It harms no
// capture.
func (d *device) StreamCapture(s api.Stream) (api.CaptureStatus, uint64, error) {
	c, err := d.captureOf(s)
	return c.status, c.id, err
}

// capture is what a stream is recording.
type capture struct {
	status api.CaptureStatus
	id     uint64
	graph  api.Graph // while the capture is active
}

func (d *device) captureOf(s api.Stream) (capture, error) {
	f := loader.Acquire()
	defer f.Release()
	for i := range 3 {
		f.SetWord(i, 0)
	}
	f.Set(handle(s), f.WordAddr(0), f.WordAddr(1), f.WordAddr(2), 0, 0, 0)
	if err := d.invoke(f, &d.b.rt.captureInfo); err != nil {
		return capture{}, err
	}
	return capture{api.CaptureStatus(f.Int32(0)), f.Word(1), api.Graph(f.Word(2))}, nil
}

// WithCaptureMode runs fn with the thread's capture mode exchanged for mode, and
// puts the thread's own back, also when fn panics. The mode is the thread's, so
// the goroutine keeps it until then.
func (d *device) WithCaptureMode(mode api.CaptureMode, fn func() error) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	previous, err := d.exchangeCaptureMode(mode)
	if err != nil {
		return err
	}
	defer func() {
		if _, restoreErr := d.exchangeCaptureMode(previous); restoreErr != nil {
			err = errors.Join(err, restoreErr)
		}
	}()
	return fn()
}

func (d *device) exchangeCaptureMode(mode api.CaptureMode) (api.CaptureMode, error) {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, uint64(mode))
	f.Set(f.WordAddr(0))
	err := d.invoke(f, &d.b.rt.exchangeCaptureMode)
	return api.CaptureMode(f.Int32(0)), err
}

// GraphInstantiate makes a graph executable.
func (d *device) GraphInstantiate(g api.Graph) (api.GraphExec, error) {
	e, err := d.callOut(&d.b.rt.graphInstantiate, uintptr(g), 0)
	return api.GraphExec(e), err
}

// GraphLaunch runs a graph in s's order.
func (d *device) GraphLaunch(e api.GraphExec, s api.Stream) error {
	return d.call(&d.b.rt.graphLaunch, uintptr(e), handle(s))
}

// GraphDestroy gives a graph up; executables made of it live on.
func (d *device) GraphDestroy(g api.Graph) error { return d.call(&d.b.rt.graphDestroy, uintptr(g)) }

// GraphExecDestroy gives an executable graph up.
func (d *device) GraphExecDestroy(e api.GraphExec) error {
	return d.call(&d.b.rt.graphExecDestroy, uintptr(e))
}
