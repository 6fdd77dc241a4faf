package sim

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// binding finds the memory of an operation and returns the work on it. A stream
// does so at the call, a graph at each of its launches. The caller holds
// host.mu.
type binding func() (work, error)

// work is what an operation does; the checker knows it as act. It is nil for a
// marker.
type work func(act *checker.Act)

// submit enqueues an operation, which accesses these ranges, on the stream of a
// handle. The caller holds host.mu.
func (d *device) submit(call string, s api.Stream, bind binding, ranges ...checker.Range) (*op, error) {
	check := d.machine.graph.check
	work, err := bind()
	if err != nil {
		check.RefusedAccess(call, err, ranges...)
		return nil, err
	}
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	st, err := d.stream(call, s)
	if err != nil {
		return nil, err
	}
	return g.put(st, work, task{call, bind, ranges}), nil
}

// task is an operation as a call asks for it.
type task struct {
	call   string
	bind   binding
	ranges []checker.Range
}

// put enqueues the work of a task on a stream, or records the task if the stream
// is captured. The caller holds the lock.
func (g *graph) put(s *stream, do work, t task) *op {
	if s.capture != nil {
		s.record(t)
		return nil
	}
	act := g.check.Operation(s.thread, t.call, t.ranges...)
	g.next = t
	o := g.enqueue(s, do.with(act), nil)
	g.next = task{}
	if o != nil {
		o.act = act
	}
	return o
}

// with is the work known to the checker as act, nil for a marker.
func (w work) with(act *checker.Act) func() {
	if w == nil {
		return nil
	}
	return func() { w(act) }
}

// captured reports whether a stream is being captured.
func (d *device) captured(handle api.Stream) bool {
	g := d.machine.graph
	if g.capturing.Load() == 0 {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s, err := d.anyStream("", handle)
	return err == nil && s.capture != nil
}

// await waits for an operation if the call that made it must. There is none to
// wait for if it was recorded.
func (d *device) await(call string, o *op, err error, must bool) error {
	if err != nil || !must || o == nil {
		return err
	}
	d.machine.graph.exec.await(o)
	check := d.machine.graph.check
	check.Synchronized(check.MarkAct(o.act))
	return d.sticky(call)
}
