package sim

import (
	"slices"
	"time"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// event marks a point in a stream.
//
// Invariant: last is the newest recording while it is pending, nil once it is
// known to be complete; at is then its time.
type event struct {
	device       *device
	timing       bool
	interprocess bool
	handles      int // that name it
	recorded     bool
	last         *op
	mark         *checker.Act // the newest recording, for the checker
	at           time.Duration

	captured *capture // in which it was last recorded, nil outside
	nodes    []*node  // that it stands for there
}

const eventFlags = api.EventBlockingSync | api.EventDisableTiming | api.EventInterprocess

// complete reports whether what was last recorded is complete.
func (e *event) complete() bool {
	if e.last != nil && e.last.complete() {
		e.at, e.last = e.last.at, nil
	}
	return e.last == nil
}

// record marks the end of what the stream holds now.
func (e *event) record(g *graph, s *stream) {
	e.recorded = true
	if e.captured, e.nodes = s.capture, slices.Clone(s.frontier); s.capture != nil {
		e.last, e.mark = nil, nil
		return
	}
	e.mark = g.check.Record(s.thread)
	if e.last = g.enqueue(s, nil, nil); e.last == nil && (e.timing || g.clock.virtual) {
		e.at = max(g.clock.now(), s.idleAt())
	}
}

// event finds the event of a handle. The caller holds the graph's lock.
func (m *Machine) event(call string, handle api.Event) (*event, error) {
	if e := m.graph.events.get(uintptr(handle)); e != nil {
		return e, nil
	}
	return nil, fail(call, api.CodeInvalidHandle, "%#x is not an event, or not any more", uintptr(handle))
}

func (d *device) EventCreate(flags api.EventFlags) (api.Event, error) {
	const call = "cuEventCreate"
	if err := d.enter(call); err != nil {
		return 0, err
	}
	if flags&^eventFlags != 0 || flags&(api.EventInterprocess|api.EventDisableTiming) == api.EventInterprocess {
		return 0, fail(call, api.CodeInvalidValue, "flags %#x: use a combination of 1, 2 and 4, and 4 (interprocess) only with 2 (no timing)", flags)
	}
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	d.events++
	return api.Event(g.events.add(&event{
		device:       d,
		timing:       flags&api.EventDisableTiming == 0,
		interprocess: flags&api.EventInterprocess != 0,
		handles:      1,
	})), nil
}

func (d *device) EventDestroy(handle api.Event) error {
	return d.onEvent("cuEventDestroy_v2", handle, func(e *event) error {
		d.machine.graph.events.remove(uintptr(handle))
		e.device.events--
		if e.handles--; e.handles == 0 && e.interprocess {
			d.machine.exports.remove(e)
		}
		return nil
	})
}

func (d *device) EventRecord(handle api.Event, s api.Stream) error {
	const call = "cuEventRecord"
	return d.onEvent(call, handle, func(e *event) error {
		st, err := d.stream(call, s)
		if err != nil {
			return err
		}
		if e.device != d {
			return fail(call, api.CodeInvalidHandle, "the event belongs to device %d, the stream to device %d", e.device.info.Ordinal, d.info.Ordinal)
		}
		e.record(d.machine.graph, st)
		return nil
	})
}

func (d *device) EventQuery(handle api.Event) (done bool, err error) {
	const call = "cuEventQuery"
	err = d.onEvent(call, handle, func(e *event) error {
		if err := e.happened(call); err != nil {
			return err
		}
		if done = e.complete(); done {
			check := d.machine.graph.check
			check.Synchronized(check.MarkAct(e.mark))
		}
		return nil
	})
	return done, err
}

func (d *device) EventSynchronize(handle api.Event) error {
	const call = "cuEventSynchronize"
	var last *op
	var owner *device
	var mark *checker.Act
	err := d.onEvent(call, handle, func(e *event) error {
		last, owner, mark = e.last, e.device, e.mark
		return e.happened(call)
	})
	if err != nil {
		return err
	}
	d.machine.graph.exec.await(last)
	check := d.machine.graph.check
	check.Synchronized(check.MarkAct(mark))
	owner.memory.settle()
	return owner.sticky(call)
}

func (d *device) EventElapsed(start, end api.Event) (ms float32, err error) {
	const call = "cuEventElapsedTime"
	err = d.onEvent(call, start, func(from *event) error {
		to, err := d.machine.event(call, end)
		if err == nil {
			ms, err = elapsed(call, from, to)
		}
		return err
	})
	return ms, err
}

func elapsed(call string, from, to *event) (float32, error) {
	switch {
	case !from.timing || !to.timing:
		return 0, fail(call, api.CodeInvalidHandle, "an event was created without timing")
	case !from.recorded || !to.recorded:
		return 0, fail(call, api.CodeInvalidHandle, "an event was never recorded")
	case from.captured != nil || to.captured != nil:
		return 0, fail(call, api.CodeCapturedEvent, "an event was last recorded in a capture: record it on a stream that is not captured")
	case from.device != to.device:
		return 0, fail(call, api.CodeInvalidHandle, "the events belong to devices %d and %d", from.device.info.Ordinal, to.device.info.Ordinal)
	case !from.complete() || !to.complete():
		return 0, fail(call, api.CodeNotReady, "an event is not complete: synchronise with it first")
	}
	return float32(to.at-from.at) / float32(time.Millisecond), nil
}

// onEvent runs f on the event of a handle, with the graph locked.
func (d *device) onEvent(call string, handle api.Event, f func(*event) error) error {
	if err := d.enter(call); err != nil {
		return err
	}
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	e, err := d.machine.event(call, handle)
	if err != nil {
		return err
	}
	return f(e)
}
