package sim

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var _ api.Graphs = (*device)(nil)

func (d *device) StreamBeginCapture(handle api.Stream, mode api.CaptureMode) error {
	const call = "cuStreamBeginCapture_v2"
	if mode < api.CaptureGlobal || mode > api.CaptureRelaxed {
		return fail(call, api.CodeInvalidValue, "capture mode %d: use 0 (global), 1 (thread-local) or 2 (relaxed)", mode)
	}
	return d.onAnyStream(call, handle, func(s *stream) error {
		switch {
		case s == d.legacy:
			return fail(call, api.CodeCaptureUnsupported, "the legacy default stream cannot be captured: create a stream")
		case s.capture != nil:
			return fail(call, api.CodeIllegalState, "the stream is being captured already")
		}
		d.machine.graph.begin(s, mode)
		return nil
	})
}

// StreamEndCapture ends the capture even if it fails, except on a stream that
// did not begin it.
func (d *device) StreamEndCapture(handle api.Stream) (graph api.Graph, err error) {
	const call = "cuStreamEndCapture"
	var failed *template
	err = d.onAnyStream(call, handle, func(s *stream) error {
		g, c := d.machine.graph, s.capture
		switch {
		case c == nil:
			return fail(call, api.CodeIllegalState, "the stream is not being captured")
		case c.origin != s:
			c.invalid = true
			return fail(call, api.CodeCaptureUnmatched, "the stream has joined the capture: end it on the stream that began it")
		}
		err := c.complete(call)
		g.end(c)
		if err != nil {
			failed = c.graph
			return err
		}
		graph = g.keep(c.graph)
		return nil
	})
	failed.discard()
	return graph, err
}

// complete says why a capture cannot become a graph.
func (c *capture) complete(call string) error {
	switch {
	case c.mode != api.CaptureRelaxed && c.thread != threadID():
		return fail(call, api.CodeCaptureWrongThread, "another thread began the capture: hold the thread (runtime.LockOSThread), or capture in relaxed mode")
	case c.invalid:
		return fail(call, api.CodeCaptureInvalidated, "something that a capture forbids was done before")
	case !c.joined():
		return fail(call, api.CodeCaptureUnjoined, "a stream that joined has work for which the first stream does not wait: record an event there and wait for it")
	}
	return nil
}

// StreamCapture harms no capture.
func (d *device) StreamCapture(handle api.Stream) (status api.CaptureStatus, id uint64, err error) {
	const call = "cuStreamGetCaptureInfo_v2"
	err = d.onAnyStream(call, handle, func(s *stream) error {
		switch c := s.capture; {
		case c != nil && c.invalid:
			status, id = api.CaptureInvalidated, c.id
		case c != nil:
			status, id = api.CaptureActive, c.id
		case s == d.legacy && d.machine.graph.implicit(d, func(*capture) {}):
			return implicit(call)
		}
		return nil
	})
	return status, id, err
}

// WithCaptureMode keeps the goroutine on its thread while f runs.
func (d *device) WithCaptureMode(mode api.CaptureMode, f func() error) error {
	const call = "cuThreadExchangeStreamCaptureMode"
	if err := d.machine.enter(call); err != nil {
		return err
	}
	if mode < api.CaptureGlobal || mode > api.CaptureRelaxed {
		return fail(call, api.CodeInvalidValue, "capture mode %d: use 0 (global), 1 (thread-local) or 2 (relaxed)", mode)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g, thread := d.machine.graph, threadID()
	before := g.exchange(thread, mode)
	defer g.exchange(thread, before)
	return f()
}

// exchange sets the capture mode of a thread and returns the one before.
func (g *graph) exchange(thread int, mode api.CaptureMode) (before api.CaptureMode) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before = g.modes[thread]
	if mode == api.CaptureGlobal { // every thread's, to begin with
		delete(g.modes, thread)
	} else {
		g.modes[thread] = mode
	}
	return before
}
