package cuda

import (
	"errors"
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

var _ api.Graphs = (*device)(nil)

// StreamBeginCapture makes s record work instead of doing it.
func (d *device) StreamBeginCapture(s api.Stream, mode api.CaptureMode) error {
	return d.onStream(s, &d.b.fn.optional.streamBeginCapture, handle(s), uintptr(mode))
}

// StreamEndCapture returns what was recorded.
func (d *device) StreamEndCapture(s api.Stream) (api.Graph, error) {
	_, id, err := d.StreamCapture(s)
	if err != nil {
		return 0, err
	}
	word, err := d.streamOut(s, &d.b.fn.optional.streamEndCapture)
	if err != nil {
		d.dropCapture(s, id)
		return 0, err
	}
	g := api.Graph(word)
	if err := d.bindTo(g, d.b.captures.take(id)); err != nil {
		return 0, errors.Join(err, d.GraphDestroy(g))
	}
	return g, nil
}

// dropCapture forgets the host functions of a capture that failed to end,
// unless it goes on: s was not the stream that began it.
func (d *device) dropCapture(s api.Stream, id uint64) {
	status, _, err := d.StreamCapture(s)
	if err == nil && status == api.CaptureNone {
		d.b.captures.take(id).forget()
	}
}

// StreamCapture returns the state of s and the ID of its capture. It harms no
// capture.
func (d *device) StreamCapture(s api.Stream) (api.CaptureStatus, uint64, error) {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	f.SetWord(1, 0)
	f.Set(handle(s), f.WordAddr(0), f.WordAddr(1), 0, 0, 0)
	if err := d.invokeOn(s, f, &d.b.fn.optional.streamCaptureInfo); err != nil {
		return api.CaptureNone, 0, err
	}
	return api.CaptureStatus(f.Int32(0)), f.Word(1), nil
}

// WithCaptureMode runs f with the thread's capture mode exchanged. The mode is
// the thread's, so the goroutine keeps its thread meanwhile.
func (d *device) WithCaptureMode(mode api.CaptureMode, f func() error) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := d.exchangeCaptureMode(mode)
	if err != nil {
		return err
	}
	defer func() {
		if _, back := d.exchangeCaptureMode(before); back != nil {
			err = errors.Join(err, back)
		}
	}()
	return f()
}

// exchangeCaptureMode sets the thread's mode and returns the one before.
func (d *device) exchangeCaptureMode(mode api.CaptureMode) (api.CaptureMode, error) {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, uint64(mode))
	f.Set(f.WordAddr(0))
	err := d.invokeDirect(f, &d.b.fn.optional.threadExchangeCapture)
	return api.CaptureMode(f.Int32(0)), err
}

// GraphInstantiate makes a launchable form of a graph.
func (d *device) GraphInstantiate(g api.Graph) (api.GraphExec, error) {
	exec, err := d.currentOut(&d.b.fn.optional.graphInstantiate, uintptr(g), 0)
	return api.GraphExec(exec), err
}

// GraphLaunch enqueues a graph's work on s.
func (d *device) GraphLaunch(g api.GraphExec, s api.Stream) error {
	return d.onStream(s, &d.b.fn.optional.graphLaunch, uintptr(g), handle(s))
}

// GraphDestroy destroys a graph; what was instantiated from it stays.
func (d *device) GraphDestroy(g api.Graph) error {
	return d.direct(&d.b.fn.optional.graphDestroy, uintptr(g))
}

// GraphExecDestroy destroys a launchable graph; launches under way complete.
func (d *device) GraphExecDestroy(g api.GraphExec) error {
	return d.direct(&d.b.fn.optional.graphExecDestroy, uintptr(g))
}
