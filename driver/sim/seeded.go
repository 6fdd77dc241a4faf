package sim

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// seeded runs operations on the goroutines that call the machine, one at a time
// and in an order that a random generator chooses: the same calls in the same
// order give the same execution. It has its choices at every call.
//
// mu guards the generator and the ready operations and lies below the graph's
// lock.
type seeded struct {
	graph *graph
	crew  *crew
	trace *trace

	mu    sync.Mutex
	rng   *rand.Rand
	ready []*op
}

func newSeeded(g *graph, seed uint64) *seeded {
	x := &seeded{graph: g, trace: &trace{}, rng: rand.New(rand.NewPCG(seed, seed))}
	x.crew = newCrew(x)
	return x
}

func (x *seeded) start(o *op) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ready = append(x.ready, o)
}

// yield runs none, some or all of what is ready, and may let another goroutine
// of the crew go first.
func (x *seeded) yield(call string) {
	name := x.crew.pass()
	x.trace.add(Step{By: name, Call: call})
	for x.chance() && x.runOne() {
	}
}

// await runs what is ready in any order until o is complete.
func (x *seeded) await(o *op) {
	for !o.complete() {
		if !x.runOne() && !x.unstall() && !x.crew.others() {
			freeRunning{x.graph}.await(o) // another goroutine is running it
		}
		x.crew.pass()
	}
	x.graph.mu.Lock()
	defer x.graph.mu.Unlock()
	if o != nil {
		x.graph.clock.reach(o.at)
	}
}

// chance is true two times in three.
func (x *seeded) chance() bool { return x.choose(3) > 0 }

// choose is a random number below n.
func (x *seeded) choose(n int) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rng.IntN(n)
}

// runOne runs one of the ready operations, and reports whether there was any.
func (x *seeded) runOne() bool {
	x.mu.Lock()
	if len(x.ready) == 0 {
		x.mu.Unlock()
		return false
	}
	i := x.rng.IntN(len(x.ready))
	o := x.ready[i]
	x.ready = slices.Delete(x.ready, i, i+1)
	x.mu.Unlock()
	x.trace.add(o.step())
	freeRunning{x.graph}.perform(o, o.work)
	return true
}

// unstall ends one of the stalls, and reports whether there was any.
func (x *seeded) unstall() bool {
	x.graph.mu.Lock()
	stalled := slices.Clone(x.graph.stalled)
	x.graph.mu.Unlock()
	if len(stalled) == 0 {
		return false
	}
	x.graph.release(stalled[x.choose(len(stalled))])
	return true
}
