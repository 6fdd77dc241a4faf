package driver

import "sync/atomic"

// gate lets callers use a handle until it is shut, so that no CUDA call runs
// on a handle that was destroyed.
//
// Invariant: state counts the callers inside; shutting adds shutBias once, and
// returns only when nobody is inside. Entering costs two atomic additions and
// never blocks.
type gate struct {
	state   atomic.Int64
	drained chan struct{} // one token: somebody was the last to leave a shut gate
}

const shutBias = -1 << 62

func newGate() gate { return gate{drained: make(chan struct{}, 1)} }

// enter reports whether the caller may go on; if so it must leave.
func (g *gate) enter() bool {
	return g.state.Add(1) > 0 || g.refuse()
}

// refuse takes back the entry of a caller who came too late.
func (g *gate) refuse() bool {
	g.leave()
	return false
}

// leave and enter are small enough to be inlined: two of each lie on the path of
// an event record, which is to cost little more than the CUDA call. For the same
// reason that path calls leave plainly and not by defer.
func (g *gate) leave() {
	if g.state.Add(-1) == shutBias {
		g.signal()
	}
}

func (g *gate) signal() {
	select {
	case g.drained <- struct{}{}:
	default:
	}
}

// shut closes the gate and waits for the callers inside. It reports false,
// at once, if the gate was shut before.
func (g *gate) shut() bool {
	for {
		n := g.state.Load()
		if n < 0 {
			return false
		}
		if g.state.CompareAndSwap(n, n+shutBias) {
			break
		}
	}
	for g.state.Load() != shutBias {
		<-g.drained
	}
	return true
}

// isShut reports whether shut was called.
func (g *gate) isShut() bool { return g.state.Load() < 0 }
