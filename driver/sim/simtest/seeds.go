package simtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rmm-go/rmm-go/driver/sim"
)

// Seeds runs f with n seeds, from cfg.Seed on (default 1), each on a fresh
// machine as cfg describes it: n different orders in which the machine does what
// the program leaves open. A run fails if f fails it or, with cfg.Check, if the
// ordering checker reports something. The first that fails ends the test: its
// seed and the part of its trace that matters are reported. To repeat it, set
// cfg.Seed to that seed and n to 1.
//
// The calls of f must come from one goroutine, or from those of Machine.Go.
func Seeds(t testing.TB, cfg sim.Config, n int, f func(t testing.TB, m *sim.Machine)) {
	t.Helper()
	eachSeed(cfg, n, func(cfg sim.Config) bool {
		o := try(t, cfg, f)
		if o.failed {
			t.Errorf("simtest: seed %d fails: %s", cfg.Seed, o.report())
		}
		return !o.failed
	})
}

// Scripts is Seeds for a test that is a sequence of operations: generate makes
// one at random, run performs it. Of the first that fails, the operations that
// the failure does not need are left out, and the rest is reported.
func Scripts[T any](t testing.TB, cfg sim.Config, n int, generate func(*rand.Rand) []T, run func(t testing.TB, m *sim.Machine, script []T)) {
	t.Helper()
	eachSeed(cfg, n, func(cfg sim.Config) bool {
		attempt := func(script []T) outcome {
			return try(t, cfg, func(t testing.TB, m *sim.Machine) { run(t, m, script) })
		}
		script := generate(rand.New(rand.NewPCG(cfg.Seed, 0)))
		if !attempt(script).failed {
			return true
		}
		short := Shrink(script, func(script []T) bool { return attempt(script).failed })
		t.Errorf("simtest: seed %d fails, with %d of %d operations:%s\nwith them: %s", cfg.Seed, len(short), len(script), lines(short), attempt(short).report())
		return false
	})
}

// eachSeed calls f with n seeds until it returns false.
func eachSeed(cfg sim.Config, n int, f func(sim.Config) bool) {
	cfg.Seed = max(cfg.Seed, 1)
	for range n {
		if !f(cfg) {
			return
		}
		cfg.Seed++
	}
}

// report is what a failed run said, and its trace.
func (o outcome) report() string {
	return strings.Join(o.log, "\n") + "\ntrace:" + lines(o.reduced())
}

func lines[T any](items []T) string {
	var b strings.Builder
	for _, item := range items {
		fmt.Fprintf(&b, "\n\t%v", item)
	}
	return b.String()
}

// traceTail is how much of a trace is shown if nothing tells what matters.
const traceTail = 40

// reduced is the part of the trace that concerns the memory of a hazard, or the
// end of it.
func (o outcome) reduced() []sim.Step {
	var steps []sim.Step
	for _, s := range o.trace {
		if o.concerns(s) {
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		steps = o.trace
	}
	return steps[max(0, len(steps)-traceTail):]
}

func (o outcome) concerns(s sim.Step) bool {
	for _, h := range o.hazards {
		for _, r := range s.Ranges {
			if r.Ptr < h.Ptr+sim.Ptr(h.Size) && h.Ptr < r.Ptr+sim.Ptr(r.Size) {
				return true
			}
		}
	}
	return false
}
