package driver

import (
	"container/list"
	"context"
	"runtime"
	"sync"
	"time"
)

// poller asks about events on behalf of goroutines, so that a waiting goroutine
// holds no OS thread.
//
// One goroutine per device polls while anybody waits, and ends with the last
// waiter. It asks about each event once a round, however many goroutines wait
// for it, and wakes them in the order in which they came. While somebody has
// waited for less than spinFor it goes round without a pause; after that it naps
// between rounds, longer the longer the newest waiter has waited, and never
// polls more than a fifth of the time. A newcomer ends a nap.
//
// A round runs with the thread's capture mode relaxed: a query would otherwise
// invalidate a global-mode capture of somebody else. It holds the driver open,
// because exchanging the mode is a call of the backend.
type poller struct {
	mu      sync.Mutex
	waiting map[*Event]*list.List // of *waiter, the oldest first; no list is empty
	newest  time.Time             // when the last waiter came
	rounds  uint64                // rounds begun
	running bool
	arrived chan struct{} // one token: somebody came since the last nap
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

// wait blocks until e is complete or ctx ends.
func (p *poller) wait(ctx context.Context, e *Event) error {
	w := p.add(e)
	select {
	case err := <-w.Value.(*waiter).result:
		return err
	case <-ctx.Done():
		p.remove(e, w)
		return ctx.Err()
	}
}

func (p *poller) add(e *Event) *list.Element {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = map[*Event]*list.List{}
		p.arrived = make(chan struct{}, 1)
	}
	if p.waiting[e] == nil {
		p.waiting[e] = list.New()
	}
	p.newest = time.Now()
	p.start(e.dev)
	return p.waiting[e].PushBack(&waiter{make(chan error, 1), p.rounds})
}

// start makes sure that somebody polls. The caller holds mu.
func (p *poller) start(dev *Device) {
	if !p.running {
		p.running = true
		go p.run(dev)
		return
	}
	select {
	case p.arrived <- struct{}{}:
	default:
	}
}

// remove takes back a waiter whose context has ended; it may have been woken
// already.
func (p *poller) remove(e *Event, w *list.Element) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if waiters := p.waiting[e]; waiters != nil {
		waiters.Remove(w)
		p.forget(e, waiters)
	}
}

// forget drops an event that nobody waits for. The caller holds mu.
func (p *poller) forget(e *Event, waiters *list.List) {
	if waiters.Len() == 0 {
		delete(p.waiting, e)
	}
}

func (p *poller) run(dev *Device) {
	var events []*Event
	var newest time.Time
	round := func() error { p.ask(events); return nil } // once, not once a round
	for {
		if events, newest = p.snapshot(events); len(events) == 0 {
			return
		}
		began := time.Now()
		if err := dev.poll(round); err != nil {
			p.wakeAll(events, err)
		}
		p.pause(time.Since(newest), time.Since(began))
	}
}

// poll runs a round. Once the driver is closed so is every event, and answers
// without the backend.
func (d *Device) poll(round func() error) error {
	if !d.drv.gate.enter() {
		return round()
	}
	defer d.drv.gate.leave()
	return relaxed(d.raw, round)
}

// snapshot begins a round: it lists the events that are waited for. If there
// are none the poller ends.
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

func (p *poller) ask(events []*Event) {
	for _, e := range events {
		if done, err := e.query("Event.Wait"); done || err != nil {
			p.wake(e, err)
		}
	}
}

// wakeAll ends the waits for all events, because they cannot be asked about.
func (p *poller) wakeAll(events []*Event, err error) {
	for _, e := range events {
		p.wake(e, err)
	}
}

// wake tells everybody who waited for e when the round began.
func (p *poller) wake(e *Event, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiters := p.waiting[e]
	if waiters == nil {
		return
	}
	for w := waiters.Front(); w != nil && w.Value.(*waiter).since < p.rounds; w = waiters.Front() {
		waiters.Remove(w).(*waiter).result <- err // has room
	}
	p.forget(e, waiters)
}

// pause lets other goroutines run between two rounds: waited is how long the
// newest waiter has waited, round what the last round took.
func (p *poller) pause(waited, round time.Duration) {
	if waited < spinFor {
		runtime.Gosched()
		return
	}
	nap := time.NewTimer(max(4*round, min(waited/16, longestNap)))
	defer nap.Stop()
	select {
	case <-nap.C:
	case <-p.arrived:
	}
}
