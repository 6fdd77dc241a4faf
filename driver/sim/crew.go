package sim

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// crew are the goroutines that Machine.Go has started, of which one runs at a
// time. At every call to the machine the next one is chosen at random.
//
// A member can be held up by something else than the machine: a mutex that
// another member has locked, a channel. Then it is set aside, and belongs to the
// choice again when it has come to a call of its own. To keep the choice
// reproducible, nobody is chosen while a member that was set aside is under way
// to that call.
//
// Invariant: while members run exactly one of them is current, and those in
// parked wait for their turn.
type crew struct {
	exec *seeded

	mu      sync.Mutex
	members map[uint64]*member // by goroutine, while they run
	waiting []*member          // to be started by Wait
	started int
	parked  []*member // in the order of their numbers
	aside   []*member
	current *member
	calls   int           // and ends of members
	done    chan struct{} // closed when the last member has ended
}

type member struct {
	number int
	id     uint64 // of its goroutine
	f      func()
	turn   chan struct{}
}

func newCrew(x *seeded) *crew { return &crew{exec: x, members: map[uint64]*member{}} }

// add makes f a member, which begins at the next wait, or is one of those to
// choose from now on if wait is under way.
func (c *crew) add(f func()) {
	c.mu.Lock()
	c.started++
	m := &member{number: c.started, f: f, turn: make(chan struct{}, 1)}
	running := len(c.members) > 0
	if !running {
		c.waiting = append(c.waiting, m)
	}
	c.mu.Unlock()
	if running {
		c.begin(m)
	}
}

// begin starts the goroutine of a member, which waits for its turn.
func (c *crew) begin(m *member) {
	ready := make(chan struct{})
	go c.run(m, ready)
	<-ready
}

// wait runs all members until they have ended.
func (c *crew) wait() {
	c.mu.Lock()
	started := c.waiting
	c.waiting = nil
	if len(started) == 0 {
		c.mu.Unlock()
		return
	}
	done := make(chan struct{})
	c.done = done
	c.mu.Unlock()
	for _, m := range started {
		c.begin(m)
	}
	c.mu.Lock()
	c.next()
	c.mu.Unlock()
	c.watch(done)
}

// run is the goroutine of a member.
func (c *crew) run(m *member, ready chan struct{}) {
	m.id = goroutine()
	c.mu.Lock()
	c.members[m.id] = m
	c.park(m)
	c.mu.Unlock()
	close(ready)
	<-m.turn
	defer c.end(m) // also if a test's FailNow ends the goroutine
	m.f()
}

func (c *crew) end(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.members, m.id)
	if len(c.members) == 0 {
		close(c.done)
	}
	c.giveUp(m)
}

// pass lets another member go first, perhaps, and returns the caller's name.
func (c *crew) pass() string {
	c.mu.Lock()
	if len(c.members) == 0 {
		c.mu.Unlock()
		return "host"
	}
	m := c.members[goroutine()]
	if m == nil {
		c.mu.Unlock()
		return "host"
	}
	c.park(m)
	c.giveUp(m)
	c.mu.Unlock()
	<-m.turn
	return fmt.Sprintf("goroutine %d", m.number)
}

// others reports whether members besides the caller can do something.
func (c *crew) others() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members[goroutine()] != nil && len(c.members) > 1
}

// park makes a member one that can be chosen. The caller holds the lock.
func (c *crew) park(m *member) {
	i, _ := slices.BinarySearchFunc(c.parked, m.number, func(p *member, n int) int { return p.number - n })
	c.parked = slices.Insert(c.parked, i, m)
}

// giveUp ends the turn of a member, if it has it, and chooses who is next unless
// somebody runs. The caller holds the lock.
func (c *crew) giveUp(m *member) {
	c.calls++
	c.aside = slices.DeleteFunc(c.aside, func(other *member) bool { return other == m })
	if c.current == m {
		c.current = nil
	}
	c.settle()
	if c.current == nil {
		c.next()
	}
}

// next chooses who runs; nobody if all are held up. The caller holds the lock.
func (c *crew) next() {
	if len(c.parked) == 0 {
		return
	}
	i := c.exec.choose(len(c.parked))
	c.current = c.parked[i]
	c.parked = slices.Delete(c.parked, i, i+1)
	c.current.turn <- struct{}{}
}

// settle waits until every member that was set aside has come to a call, or is
// held up still. The caller holds the lock.
func (c *crew) settle() {
	for c.current == nil && slices.ContainsFunc(c.aside, func(m *member) bool { return !heldUp(m.id) }) {
		c.mu.Unlock()
		time.Sleep(time.Microsecond)
		c.mu.Lock()
	}
}

// watch sets the current member aside whenever it is held up, until done.
func (c *crew) watch(done chan struct{}) {
	tick := time.NewTicker(100 * time.Microsecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if m, calls := c.running(); m != nil && heldUp(m.id) {
				c.setAside(m, calls)
			}
		}
	}
}

// running is the member whose turn it is, if somebody could take its place, and
// the number of calls so far.
func (c *crew) running() (*member, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.parked) == 0 {
		return nil, 0
	}
	return c.current, c.calls
}

// setAside takes the turn from a member that has been held up since it made its
// last call.
func (c *crew) setAside(m *member, calls int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != m || c.calls != calls {
		return
	}
	c.aside = append(c.aside, m)
	c.current = nil
	c.settle()
	if c.current == nil {
		c.next()
	}
}

// Go starts f as a goroutine of the program. With Config.Seed it begins when
// Wait is called (at once if another such goroutine calls Go), one goroutine runs at a time, and every call to the machine is
// a point at which another may go on: the same seed gives the same execution.
func (m *Machine) Go(f func()) {
	if x, ok := m.graph.exec.(*seeded); ok {
		x.crew.add(f)
		return
	}
	m.running.Go(f)
}

// Wait returns when all functions given to Go have returned. With Config.Seed
// the goroutine that calls it must be the one that called Go.
func (m *Machine) Wait() {
	if x, ok := m.graph.exec.(*seeded); ok {
		x.crew.wait()
		return
	}
	m.running.Wait()
}
