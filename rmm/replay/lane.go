package replay

import (
	"errors"

	"github.com/rmm-go/rmm-go/driver"
)

// lane is one goroutine of a replay.
type lane struct {
	runner *runner
	ops    []uint32      // indices into Log.ops
	order  *driver.Event // orders a free after an allocation on another stream
	turn   turnstile     // how far this lane is

	times        histogram
	failed       int
	outOfMemory  int
	firstFailure error
	interrupted  bool
}

// run does the lane's operations. Whoever waits for a lane that was interrupted
// is let through, and finds that it must stop as well.
func (l *lane) run() {
	r := l.runner
	for n, i := range l.ops {
		o := &r.log.ops[i]
		if r.mode == Parallel {
			l.await(o)
		}
		if r.stop.Load() {
			l.interrupted = true
			break
		}
		l.do(o)
		l.turn.pass(int64(n) + 1)
	}
	l.turn.open()
}

func (l *lane) await(o *op) {
	r := l.runner
	for _, w := range r.log.waits[o.firstWait : o.firstWait+o.waits] {
		r.lanes[w.thread].turn.wait(int64(w.done))
	}
}

func (l *lane) do(o *op) {
	a := &l.runner.held[o.allocation]
	switch {
	case !o.free:
		l.allocate(o, a)
	case a.live: // else its allocation failed
		l.deallocate(o, a)
	}
}

func (l *lane) allocate(o *op, a *allocation) {
	r := l.runner
	s := r.streams[o.stream]
	begin := now()
	p, err := r.resource.Allocate(o.size, 0, s)
	took := now() - begin
	if l.succeeded(err) {
		l.times.add(took - r.clockCost)
		*a = allocation{p, true}
	}
}

func (l *lane) deallocate(o *op, a *allocation) {
	r := l.runner
	s := r.streams[o.stream]
	if o.stream != o.origin && !l.succeeded(l.orderAfter(s, r.streams[o.origin])) {
		return // it stays live and is freed on its own stream at the end
	}
	begin := now()
	err := r.resource.Deallocate(a.ptr, o.size, 0, s)
	took := now() - begin
	a.live = false
	if l.succeeded(err) {
		l.times.add(took - r.clockCost)
	}
}

// orderAfter makes s wait for the work that is on origin now.
func (l *lane) orderAfter(s, origin *driver.Stream) error {
	if err := l.order.Record(origin); err != nil {
		return err
	}
	return s.WaitEvent(l.order)
}

// succeeded counts a failure.
func (l *lane) succeeded(err error) bool {
	if err == nil {
		return true
	}
	if errors.Is(err, driver.ErrOutOfMemory) {
		l.outOfMemory++
	} else {
		l.failed++
	}
	if l.firstFailure == nil {
		l.firstFailure = err
	}
	return false
}
