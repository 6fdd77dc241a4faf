package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// What a call may do while streams are captured. The caller of all of these
// holds the lock of the operations.

// unsafe refuses a call that CUDA calls potentially unsafe, and invalidates the
// captures that forbid it: those of the calling thread unless they or the thread
// are relaxed, and those of other threads if they and the thread are global.
func (g *graph) unsafe(call string) error {
	if len(g.captures) == 0 {
		return nil
	}
	thread := threadID()
	mode := g.modes[thread]
	harmed := false
	for _, c := range g.captures {
		own := c.thread == thread && c.mode != api.CaptureRelaxed && mode != api.CaptureRelaxed
		if own || (c.mode == api.CaptureGlobal && mode == api.CaptureGlobal) {
			c.invalid, harmed = true, true
		}
	}
	if !harmed {
		return nil
	}
	return fail(call, api.CodeCaptureUnsupported, "a stream is being captured, which the call has invalidated: make the call in WithCaptureMode(CaptureRelaxed), or capture in relaxed mode")
}

// enterUnsafe is enter for potentially unsafe calls.
func (d *device) enterUnsafe(call string) error {
	if err := d.enter(call); err != nil {
		return err
	}
	return d.unsafe(call)
}

// unsafe refuses a potentially unsafe call that has entered, while a capture
// forbids it.
func (d *device) unsafe(call string) error {
	g := d.machine.graph
	if g.capturing.Load() == 0 {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.unsafe(call)
}

// admit refuses work on a stream whose capture has failed, and on the legacy
// default stream while a stream is captured with which it synchronises: it would
// wait for work that is not there.
func (g *graph) admit(call string, s *stream) error {
	if len(g.captures) == 0 {
		return nil
	}
	if s.capture != nil && s.capture.invalid {
		return invalidated(call)
	}
	if s != s.device.legacy || !g.implicit(s.device, func(c *capture) { c.invalid = true }) {
		return nil
	}
	return implicit(call)
}

func invalidated(call string) error {
	return fail(call, api.CodeCaptureInvalidated, "an earlier call has invalidated the capture: end it")
}

func implicit(call string) error {
	return fail(call, api.CodeCaptureImplicit, "a blocking stream is being captured: capture non-blocking streams, or do not use the default stream meanwhile")
}

// implicit calls f with the captures that have a blocking stream of a device,
// and reports whether there are any.
func (g *graph) implicit(d *device, f func(*capture)) (found bool) {
	for _, c := range g.captures {
		for _, s := range c.streams {
			if s.device == d && s.blocking {
				f(c)
				found = true
			}
		}
	}
	return found
}

// uncapturable refuses a call that has no node in a graph. The caller does not
// hold the lock.
func (d *device) uncapturable(call string, handle api.Stream) error {
	if !d.captured(handle) {
		return nil
	}
	return d.enqueueOn(call, handle, func(s *stream) error { return s.asked(call) })
}

// asked refuses to ask about work of a stream that is only being recorded, and
// the question itself where another capture forbids it.
func (s *stream) asked(call string) error {
	if s.capture == nil {
		return s.device.machine.graph.unsafe(call)
	}
	s.capture.invalid = true
	return fail(call, api.CodeCaptureUnsupported, "the stream is being captured, which the call has invalidated: end the capture first")
}

// happened refuses to ask about an event that stands for recorded work, and the
// question itself where a capture forbids it.
func (e *event) happened(call string) error {
	if e.captured == nil {
		return e.device.machine.graph.unsafe(call)
	}
	if e.captured.ended {
		return fail(call, api.CodeInvalidValue, "the event was last recorded in a capture that has ended: record it anew")
	}
	e.captured.invalid = true
	return fail(call, api.CodeCapturedEvent, "the event was last recorded in a capture: record it on a stream that is not captured")
}

// wait makes later work on a stream wait for an event.
func (g *graph) wait(call string, s *stream, e *event) error {
	switch {
	case e.captured != nil:
		return g.awaitCaptured(call, s, e)
	case s.capture != nil && e.recorded:
		return s.isolated(call)
	case !e.complete():
		g.enqueue(s, nil, e.last)
	default:
		s.at = max(s.at, e.at)
	}
	g.check.Wait(s.thread, e.mark)
	return nil
}

// awaitCaptured makes a stream wait for an event that was recorded in a capture, which
// it joins if it is not in one.
func (g *graph) awaitCaptured(call string, s *stream, e *event) error {
	c := e.captured
	switch {
	case c.ended:
		return e.happened(call)
	case c.invalid:
		return invalidated(call)
	case s == s.device.legacy:
		c.invalid = true
		return implicit(call)
	case s.capture == nil:
		c.join(s, e.nodes)
	case s.capture == c:
		s.after(e.nodes)
	default:
		c.invalid, s.capture.invalid = true, true
		return fail(call, api.CodeCaptureMerge, "the event belongs to another capture than the stream")
	}
	return nil
}

// isolated refuses that a captured stream waits for work outside.
func (s *stream) isolated(call string) error {
	s.capture.invalid = true
	return fail(call, api.CodeCaptureIsolation, "the event was recorded before or outside the capture, on which a graph cannot depend")
}

// ended is the answer to a call that another goroutine's end of the capture has
// overtaken.
func ended(call string) error {
	return fail(call, api.CodeIllegalState, "the capture of the stream ended during the call: do not share a stream that is captured")
}
