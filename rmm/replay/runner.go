package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// runner is one replay.
type runner struct {
	log       *Log
	resource  mr.Resource
	mode      Mode
	passes    int
	progress  func(done, total int)
	clockCost int64

	streams []*driver.Stream // by the log's number
	held    []allocation     // by the log's number
	lanes   []*lane
	stop    atomic.Bool // set when the context is cancelled
	times   histogram   // of the passes that the result describes
	result  Result
}

// allocation is what became of an allocation of the log in this pass. The log's
// order makes its making, its end and the clearing up follow each other.
type allocation struct {
	ptr  driver.Ptr
	live bool
}

func newRunner(log *Log, resource mr.Resource, opts Options) (*runner, error) {
	r := &runner{
		log: log, resource: resource, mode: opts.Mode, passes: max(opts.Repeat, 1), progress: opts.Progress,
		held: make([]allocation, log.allocations), result: log.newResult(opts.Mode),
	}
	r.clockCost = clockCost()
	if err := r.open(); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// open makes the streams and the lanes.
func (r *runner) open() error {
	dev := r.resource.Device()
	for range r.log.streams {
		s, err := dev.NewStream(driver.StreamOptions{})
		if err != nil {
			return fmt.Errorf("make stream %d of %d for the replay: %w", len(r.streams)+1, r.log.streams, err)
		}
		r.streams = append(r.streams, s)
	}
	for _, ops := range r.log.lanes(r.mode) {
		order, err := dev.NewEvent(driver.EventOptions{})
		if err != nil {
			return fmt.Errorf("make an event for the replay: %w", err)
		}
		r.lanes = append(r.lanes, &lane{runner: r, ops: ops, order: order})
	}
	return nil
}

func (r *runner) close() error {
	var errs []error
	for _, l := range r.lanes {
		errs = append(errs, l.order.Close())
	}
	for _, s := range r.streams {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// run makes the passes.
func (r *runner) run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()
	for pass := range r.passes {
		complete := ctx.Err() == nil && r.pass(pass)
		if err := r.settle(); err != nil {
			return err
		}
		if !complete {
			return fmt.Errorf("replay ended in pass %d of %d: %w", pass+1, r.passes, context.Cause(ctx))
		}
		r.sum(pass)
	}
	if reporter, ok := mr.As[mr.UsageReporter](r.resource); ok {
		r.result.PeakReservedBytes = reporter.Usage().ReservedPeak
	}
	return nil
}

// pass replays the log once, and tells whether it came to its end.
func (r *runner) pass(number int) (complete bool) {
	for _, l := range r.lanes {
		l.turn.init()
	}
	reported := r.report(number)
	var lanes sync.WaitGroup
	for _, l := range r.lanes {
		lanes.Go(l.run)
	}
	lanes.Wait()
	reported()
	return r.complete()
}

func (r *runner) complete() bool {
	return !slices.ContainsFunc(r.lanes, func(l *lane) bool { return l.interrupted })
}

// settle frees what the log left live and waits until the device is idle, so
// that no pass pays for the one before it.
func (r *runner) settle() error {
	r.result.LiveAtEnd, r.result.LiveBytesAtEnd = 0, 0
	for i := range r.log.ops {
		o := &r.log.ops[i]
		if a := &r.held[o.allocation]; !o.free && a.live {
			r.result.LiveAtEnd++
			r.result.LiveBytesAtEnd += o.size
			r.lanes[0].succeeded(r.resource.Deallocate(a.ptr, o.size, 0, r.streams[o.stream]))
			a.live = false
		}
	}
	var errs []error
	for _, s := range r.streams {
		errs = append(errs, s.Synchronize())
	}
	return errors.Join(errs...)
}

// sum moves what the lanes measured into the result. What describes the first
// pass is replaced by what later passes, together, measured.
func (r *runner) sum(pass int) {
	for _, l := range r.lanes {
		r.times.merge(&l.times)
		l.times = histogram{}
		r.result.Failed += l.failed
		r.result.OutOfMemory += l.outOfMemory
		r.result.FirstFailure = cmp.Or(r.result.FirstFailure, l.firstFailure)
		l.failed, l.outOfMemory = 0, 0
	}
	r.result.describe(&r.times)
	if pass == 0 {
		r.result.ColdNsPerOpMean = r.times.mean()
		r.times = histogram{}
	}
}
