package sim

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

func (d *device) StreamCreate(flags api.StreamFlags, _ int) (api.Stream, error) {
	const call = "cuStreamCreateWithPriority"
	if err := d.enter(call); err != nil {
		return 0, err
	}
	if flags&^api.StreamNonBlocking != 0 {
		return 0, fail(call, api.CodeInvalidValue, "flags %#x: only 0 (blocking) and 1 (non-blocking) exist", flags)
	}
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	s := newStream(d, 0, flags)
	s.handle = api.Stream(g.streams.add(s))
	s.watch()
	d.opened++
	return s.handle, nil
}

func (d *device) StreamDestroy(handle api.Stream) error {
	const call = "cuStreamDestroy_v2"
	var left *template
	err := d.onAnyStream(call, handle, func(s *stream) error {
		if !handle.Explicit() {
			return fail(call, api.CodeInvalidHandle, "the default streams cannot be destroyed")
		}
		left = d.machine.graph.leave(s)
		s.destroyed = true
		d.opened--
		d.machine.graph.streams.remove(uintptr(handle))
		d.machine.graph.check.CloseStream(s.thread)
		if s.tail == nil {
			d.forget(s)
		}
		return nil
	})
	left.discard()
	return err
}

func (d *device) StreamQuery(handle api.Stream) (idle bool, err error) {
	const call = "cuStreamQuery"
	err = d.onStream(call, handle, func(s *stream) error {
		if err := s.asked(call); err != nil {
			return err
		}
		if idle = len(s.unfinished()) == 0; idle {
			check := d.machine.graph.check
			check.Synchronized(check.MarkStream(s.thread))
		}
		return nil
	})
	return idle, err
}

func (d *device) StreamSynchronize(handle api.Stream) error {
	const call = "cuStreamSynchronize"
	var ops []*op
	var mark checker.Mark
	check := d.machine.graph.check
	err := d.onStream(call, handle, func(s *stream) error {
		if err := s.asked(call); err != nil {
			return err
		}
		ops, mark = s.unfinished(), check.MarkStream(s.thread)
		d.machine.graph.clock.reach(s.at)
		return nil
	})
	if err != nil {
		return err
	}
	d.machine.graph.awaitAll(ops)
	check.Synchronized(mark)
	d.memory.settle()
	return d.sticky(call)
}

func (d *device) StreamWaitEvent(handle api.Stream, e api.Event) error {
	const call = "cuStreamWaitEvent"
	return d.onStream(call, handle, func(s *stream) error {
		ev, err := d.machine.event(call, e)
		if err != nil {
			return err
		}
		return d.machine.graph.wait(call, s, ev)
	})
}

func (d *device) StreamID(handle api.Stream) (id uint64, err error) {
	const call = "cuStreamGetId"
	err = d.onAnyStream(call, handle, func(s *stream) error {
		if s.capture != nil { // CUDA would invalidate the capture; backends must not
			return fail(call, api.CodeCaptureUnsupported, "the stream is being captured: ask before or after")
		}
		id = s.id
		return nil
	})
	return id, err
}

func (d *device) StreamPriorities() (least, greatest int, err error) {
	if err := d.enter("cuCtxGetStreamPriorityRange"); err != nil {
		return 0, 0, err
	}
	if v, _ := d.attribute(api.AttrStreamPrioritiesSupported); v == 0 {
		return 0, 0, nil
	}
	return leastPriority, greatestPriority, nil
}

func (d *device) LaunchHostFunc(handle api.Stream, f func()) error {
	const call = "cuLaunchHostFunc"
	if f == nil {
		return fail(call, api.CodeInvalidValue, "the function is nil")
	}
	return d.onStream(call, handle, func(s *stream) error {
		f := d.machine.graph.hostFunction(f)
		d.machine.graph.put(s, f, task{call: call, bind: func() (work, error) { return f, nil }})
		return nil
	})
}

// onStream runs f on the stream of a handle, for work, with the graph locked.
func (d *device) onStream(call string, handle api.Stream, f func(*stream) error) error {
	if err := d.enter(call); err != nil {
		return err
	}
	return d.enqueueOn(call, handle, f)
}

// enqueueOn is onStream for a call that has entered.
func (d *device) enqueueOn(call string, handle api.Stream, f func(*stream) error) error {
	return d.withStream(call, handle, func(s *stream) error {
		if err := d.machine.graph.admit(call, s); err != nil {
			return err
		}
		return f(s)
	})
}

// onAnyStream runs f on the stream of a handle, whatever the state of its
// capture, with the graph locked.
func (d *device) onAnyStream(call string, handle api.Stream, f func(*stream) error) error {
	if err := d.enter(call); err != nil {
		return err
	}
	return d.withStream(call, handle, f)
}

// withStream is onAnyStream for a call that has entered.
func (d *device) withStream(call string, handle api.Stream, f func(*stream) error) error {
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	s, err := d.anyStream(call, handle)
	if err != nil {
		return err
	}
	return f(s)
}
