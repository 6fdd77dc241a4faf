package sim

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// Step is something that happened on a machine with a seed: a call of the host's,
// or an operation of a stream's when it ran.
type Step struct {
	By     string // "host", "goroutine 2", "stream 0x10000000000"
	Call   string // CUDA's name
	Ranges []Range
}

// Range is memory that an operation reads or writes.
type Range = checker.Range

// String is one line: who, what, and the memory.
func (s Step) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", s.By, s.Call)
	for _, r := range s.Ranges {
		if r.Size == 0 {
			continue
		}
		verb := "reads"
		if r.Write {
			verb = "writes"
		}
		fmt.Fprintf(&b, ", %s %v (%d bytes)", verb, r.Ptr, r.Size)
	}
	return b.String()
}

// Trace is what has happened so far on a machine with a seed, the last 10^5
// steps; nil without Config.Seed.
func (m *Machine) Trace() []Step {
	x, ok := m.graph.exec.(*seeded)
	if !ok {
		return nil
	}
	return x.trace.steps()
}

// trace keeps the last steps of a machine, in a ring.
type trace struct {
	mu   sync.Mutex
	ring []Step
	next int
}

const traceSteps = 100_000

func (t *trace) add(s Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.ring) < traceSteps {
		t.ring = append(t.ring, s)
		return
	}
	t.ring[t.next] = s
	t.next = (t.next + 1) % traceSteps
}

func (t *trace) steps() []Step {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Concat(t.ring[t.next:], t.ring[:t.next])
}

// step describes an operation that is about to run.
func (o *op) step() Step {
	by := fmt.Sprintf("stream %#x", uintptr(o.stream.handle))
	if o.stream.handle == api.StreamLegacy {
		by = "default stream"
	}
	if n := len(o.stream.device.machine.devices); n > 1 {
		by += fmt.Sprintf(" of device %d", o.stream.device.info.Ordinal)
	}
	call := o.task.call
	if call == "" {
		call = "release of memory"
	}
	return Step{By: by, Call: call, Ranges: o.task.ranges}
}
