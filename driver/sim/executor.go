package sim

import "time"

// executor decides when and where operations run whose predecessors are all
// complete, and how a host thread waits for one. It sees every choice that the
// machine can make about order.
type executor interface {
	// start takes over a ready operation. The graph is locked: start must not
	// block, nor run the operation itself.
	start(o *op)
	// await returns when o is complete. The graph is not locked.
	await(o *op)
	// yield comes at the head of every call. No lock is held.
	yield(call string)
}

// freeRunning runs each ready operation on a goroutine of its own, which ends
// with it: an idle machine has no goroutines.
type freeRunning struct{ graph *graph }

func (f freeRunning) start(o *op) { go f.perform(o, o.work) }

func (freeRunning) yield(string) {}

// perform completes the operation even if a host function ends its goroutine
// (a test's FailNow does).
func (f freeRunning) perform(o *op, work func()) {
	defer f.graph.finish(o)
	f.graph.delay(o)
	o.stream.device.run(work)
}

// delay makes an operation last as long as the program wants, where time is real.
func (g *graph) delay(o *op) {
	if o.took > 0 && !g.clock.virtual {
		time.Sleep(o.took)
	}
}

func (f freeRunning) await(o *op) {
	if o.complete() {
		return
	}
	f.graph.mu.Lock()
	if o.woken == nil {
		o.woken = make(chan struct{})
		if o.complete() { // it finished before anybody could close the channel
			close(o.woken)
		}
	}
	woken := o.woken
	f.graph.mu.Unlock()
	<-woken
}
