package driver

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// poller waits for events on behalf of goroutines, so that a waiting goroutine
// holds no OS thread.
//
// One goroutine per device polls while anybody waits, and ends with the last
// waiter. It asks about each event once a round, however many goroutines wait
// for it. While somebody has waited for less than spinFor it goes round without
// a pause; after that it sleeps between rounds, longer the longer the newest
// waiter has waited, and never polls more than a fifth of the time.
//
// Queries run with the thread's capture mode relaxed: a query would otherwise
// invalidate a global-mode capture of somebody else.
type poller struct {
	mu      sync.Mutex
	waiting map[*Event][]waiter
	newest  time.Time // when the last waiter came
	rounds  uint64    // rounds begun
	running bool
}

// waiter is one goroutine's wait. A round answers only those who came before it
// began: an event may be recorded anew between its query and the answer.
type waiter struct {
	result chan error // takes one
	since  uint64     // rounds begun when it came
}

const (
	spinFor    = 5 * time.Millisecond
	longestNap = 5 * time.Millisecond
)

// Wait blocks until the work that the event last recorded is complete, or ctx
// ends; the work itself goes on. Unlike Synchronize it holds no OS thread, so
// that thousands of goroutines can wait. Waits of up to 5 ms are answered
// within microseconds, longer ones within a few milliseconds. An event closed
// meanwhile is ErrClosed.
func (e *Event) Wait(ctx context.Context) error {
	done, err := e.Query()
	if done || err != nil {
		return err
	}
	result := e.dev.poller.add(e)
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		e.dev.poller.remove(e, result)
		return ctx.Err()
	}
}

// Wait blocks until all work enqueued on the stream so far is complete, or ctx
// ends; see Event.Wait. It must not be called while the stream is captured.
func (s *Stream) Wait(ctx context.Context) error {
	if err := s.enter("Stream.Wait"); err != nil {
		return err
	}
	mark := s.host.mark()
	s.gate.leave()
	e, err := s.dev.NewEvent(EventOptions{})
	if err != nil {
		return err
	}
	defer e.Close()
	if err := e.Record(s); err != nil {
		return err
	}
	if err := e.Wait(ctx); err != nil {
		return err
	}
	s.host.release(mark)
	return nil
}

func (p *poller) add(e *Event) chan error {
	result := make(chan error, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = map[*Event][]waiter{}
	}
	p.waiting[e] = append(p.waiting[e], waiter{result, p.rounds})
	p.newest = time.Now()
	if !p.running {
		p.running = true
		go p.run(e.dev)
	}
	return result
}

// remove takes back a waiter whose context has ended.
func (p *poller) remove(e *Event, result chan error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(e, func(w waiter) bool { return w.result != result })
}

// keep drops the waiters for e that stay does not want. The caller holds mu.
func (p *poller) keep(e *Event, stay func(waiter) bool) {
	rest := slices.DeleteFunc(p.waiting[e], func(w waiter) bool { return !stay(w) })
	if len(rest) == 0 {
		delete(p.waiting, e)
		return
	}
	p.waiting[e] = rest
}

func (p *poller) run(dev *Device) {
	var events []*Event
	for {
		var newest time.Time
		if events, newest = p.snapshot(events); len(events) == 0 {
			return
		}
		began := time.Now()
		dev.relaxed(func() { p.round(events) })
		pause(time.Since(newest), time.Since(began))
	}
}

// snapshot lists the events that are waited for; if there are none the poller
// ends.
func (p *poller) snapshot(events []*Event) ([]*Event, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(events)
	events = events[:0]
	for e := range p.waiting {
		events = append(events, e)
	}
	p.running = len(events) > 0
	p.rounds++
	return events, p.newest
}

func (p *poller) round(events []*Event) {
	for _, e := range events {
		if done, err := e.Query(); done || err != nil {
			p.wake(e, err)
		}
	}
}

// wake tells everybody who waited for e when the round began.
func (p *poller) wake(e *Event, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(e, func(w waiter) bool {
		if w.since == p.rounds {
			return true
		}
		w.result <- err // has room
		return false
	})
}

// pause lets other goroutines run between two rounds: waited is how long the
// newest waiter has waited, round what the last round took.
func pause(waited, round time.Duration) {
	if waited < spinFor {
		runtime.Gosched()
		return
	}
	time.Sleep(max(4*round, min(waited/16, longestNap)))
}

// relaxed runs f with the thread's capture mode relaxed, where the backend
// knows captures.
func (d *Device) relaxed(f func()) {
	graphs, ok := d.raw.(api.Graphs)
	if !ok {
		f()
		return
	}
	err := graphs.WithCaptureMode(api.CaptureRelaxed, func() error { f(); return nil })
	if err != nil { // the mode could not be exchanged: waiters must still be woken
		f()
	}
}
