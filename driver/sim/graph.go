package sim

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// graph holds the operations that are enqueued and not complete, and the order
// between them: the only mechanism of ordering in the machine.
//
// Its lock guards the fields of ops, streams and events, the tables of handles
// and the counters of devices. It is held for short, bounded work only.
type graph struct {
	mu      sync.Mutex
	exec    executor
	check   *checker.Checker // nil if it is off; has a lock of its own, below this one
	clock   clock
	seq     uint64
	streams handles[stream]
	events  handles[event]
	preds   []*op // scratch of predecessors
	stalled []*op // which only a release completes
	next    task  // what the operation to be added is

	callbacks callbacks

	captures  []*capture              // going on
	capturing atomic.Int32            // their number, to be read without the lock
	modes     map[int]api.CaptureMode // of threads that have exchanged theirs
	templates handles[template]
	execs     handles[executable]
}

func newGraph(config Config) *graph {
	g := &graph{
		clock:     newClock(config),
		streams:   handles[stream]{base: 1 << 40},
		events:    handles[event]{base: 2 << 40},
		templates: handles[template]{base: 7 << 40},
		execs:     handles[executable]{base: 8 << 40},
		modes:     map[int]api.CaptureMode{},
	}
	g.exec = freeRunning{g}
	if config.Seed != 0 {
		g.exec = newSeeded(g, config.Seed)
	}
	return g
}

// op is an operation on a stream. A nil *op is one that is complete: what has
// nothing to wait for and nothing to do never becomes a node.
//
// Invariant: waiting counts the incomplete predecessors, each of which has the
// op among its successors; at 0 the op is with the executor or complete.
type op struct {
	stream     *stream
	seq        uint64 // order of enqueueing in the machine
	work       func() // nil for a marker, which completes when it is ready
	waiting    int
	successors []*op
	woken      chan struct{} // closed at completion; nil until somebody waits
	begin      time.Duration // when it begins at the earliest, in virtual time
	took       time.Duration // how long the work lasts
	at         time.Duration // when it completed, on the machine's clock
	task       task          // what it is, for a trace
	act        *checker.Act  // what the host has seen when it waits for the operation
	done       atomic.Bool
}

func (o *op) complete() bool { return o == nil || o.done.Load() }

// later is the one of two operations of one stream that completes last.
func later(a, b *op) *op {
	if a == nil || (b != nil && b.seq > a.seq) {
		return b
	}
	return a
}

// enqueue appends work to a stream, or a marker if work is nil, ordered after
// also too. The caller holds the lock.
func (g *graph) enqueue(s *stream, work func(), also *op) *op {
	preds := s.predecessors(g.preds[:0])
	if !also.complete() {
		preds = append(preds, also)
	}
	o := g.add(s, work, preds)
	clear(preds)
	g.preds = preds[:0]
	if o != nil {
		s.tail = o
	}
	return o
}

// add makes an operation that is ordered after preds only, which are all
// pending. The caller holds the lock.
func (g *graph) add(s *stream, work func(), preds []*op) *op {
	if len(preds) == 0 && work == nil {
		return nil
	}
	g.seq++
	o := &op{stream: s, seq: g.seq, work: work, waiting: len(preds), begin: max(g.clock.host, s.idleAt()), task: g.next}
	if work != nil {
		o.took = g.clock.took(g.next)
	}
	for _, p := range preds {
		p.successors = append(p.successors, o)
	}
	s.device.pending++
	if o.waiting == 0 {
		g.exec.start(o)
	}
	return o
}

// finish completes an operation and all markers that waited only for it, and
// hands the rest of what became ready to the executor.
func (g *graph) finish(o *op) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ready := []*op{o}
	for len(ready) > 0 {
		last := len(ready) - 1
		o, ready = ready[last], ready[:last]
		for _, next := range g.settle(o) {
			next.begin = max(next.begin, o.at)
			if next.waiting--; next.waiting > 0 {
				continue
			}
			if next.work == nil {
				ready = append(ready, next)
			} else {
				g.exec.start(next)
			}
		}
	}
}

// settle marks an operation complete and returns its successors.
func (g *graph) settle(o *op) []*op {
	o.at = g.clock.end(o)
	o.stream.at = max(o.stream.at, o.at)
	o.stream.retire(o)
	next := o.successors
	o.successors, o.work = nil, nil
	o.done.Store(true)
	if o.woken != nil {
		close(o.woken)
	}
	return next
}

// awaitAll returns when all operations are complete. No lock may be held.
func (g *graph) awaitAll(ops []*op) {
	for _, o := range ops {
		g.exec.await(o)
	}
}
