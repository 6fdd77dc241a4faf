package simtest

import (
	"strings"
	"testing"

	"github.com/rmm-go/rmm-go/driver/sim"
)

// Sweep runs a scenario again and again, each time with another of its calls to
// the machine failing.
type Sweep struct {
	// Config describes the machines, a fresh one for every run.
	Config sim.Config
	// Code is CUDA's number of the error of the failing calls. Default: 2, out of
	// memory.
	Code int
	// Run is the scenario. It gives back everything it takes, whatever fails, and
	// returns what went wrong. It may close the machine (driver.Driver.Close does);
	// the helper closes it otherwise.
	Run func(m *sim.Machine) error
	// Holds, if set, requires more of a run than the helper does: that a resource
	// is still usable, that an error is of a kind.
	Holds func(t testing.TB, o Outcome)
}

// Outcome is one run of a Sweep.
type Outcome struct {
	Machine *sim.Machine // open unless the scenario closed it
	N       int          // which call failed, from 1
	Call    string       // its name
	Err     error        // what the scenario returned
}

// Test runs the scenario once without a fault, then with the first call failing,
// the second, and so on. In every run nothing may be left on the machine and the
// ordering checker, if Config switches it on, may report nothing; an error that
// the scenario returns must name the call that failed. A call that was to give
// something back and failed leaves that one thing behind, which is no leak.
func (s Sweep) Test(t testing.TB) {
	t.Helper()
	calls := s.rehearse(t)
	for n := 1; n <= calls; n++ {
		s.fail(t, n)
	}
}

// rehearse runs the scenario without a fault and returns how many calls it
// makes.
func (s Sweep) rehearse(t testing.TB) int {
	t.Helper()
	m := s.machine(t)
	defer shut(t, m)
	if err := s.Run(m); err != nil {
		t.Fatalf("simtest: the scenario fails without any fault: %v", err)
	}
	if left := leftovers(m); left != nil {
		t.Errorf("simtest: the scenario leaves something behind without any fault: %+v", left)
	}
	requireOrder(t, m, "without any fault")
	return m.Calls()
}

// fail runs the scenario with call number n failing.
func (s Sweep) fail(t testing.TB, n int) {
	t.Helper()
	m := s.machine(t)
	defer shut(t, m)
	fault := m.Fail(sim.Fault{Nth: n, Code: s.Code})
	err := s.Run(m)
	fault.Remove()
	if len(fault.Failed()) == 0 {
		return // this time the scenario made fewer calls
	}
	o := Outcome{Machine: m, N: n, Call: fault.Failed()[0], Err: err}
	o.check(t)
	if s.Holds != nil {
		s.Holds(t, o)
	}
}

func (s Sweep) machine(t testing.TB) *sim.Machine {
	t.Helper()
	m, err := sim.New(s.Config)
	if err != nil {
		t.Fatalf("simtest: make the machine: %v", err)
	}
	return m
}

// check requires what must hold after every run.
func (o Outcome) check(t testing.TB) {
	t.Helper()
	if o.Err != nil && !strings.Contains(o.Err.Error(), o.Call) {
		t.Errorf("simtest: with call %d (%s) failing the scenario's error does not name the call: %v", o.N, o.Call, o.Err)
	}
	if left := leftovers(o.Machine); left != nil && !o.GivesBack() {
		t.Errorf("simtest: with call %d (%s) failing the scenario leaves something behind: %+v", o.N, o.Call, left)
	}
	if !o.GivesBack() {
		requireOrder(t, o.Machine, "with a failing "+o.Call)
	}
}

// GivesBack reports whether the failing call was to give something back.
func (o Outcome) GivesBack() bool {
	for _, word := range []string{"Free", "Destroy", "Release", "Unmap", "Unload", "Unregister", "Close"} {
		if strings.Contains(o.Call, word) {
			return true
		}
	}
	return false
}

// leftovers are the devices on which something is left.
func leftovers(m *sim.Machine) []sim.Outstanding {
	var left []sim.Outstanding
	for _, o := range m.Outstanding() {
		if o.Operations = 0; o != (sim.Outstanding{Device: o.Device}) { // work may still be running
			left = append(left, o)
		}
	}
	return left
}

// requireOrder reports hazards that the program was not told of by an error.
func requireOrder(t testing.TB, m *sim.Machine, when string) {
	t.Helper()
	for _, h := range m.Hazards() {
		if h.Err == nil {
			t.Errorf("simtest: %s: %v", when, h)
		}
	}
}

func shut(t testing.TB, m *sim.Machine) {
	t.Helper()
	if err := m.Close(); err != nil {
		t.Errorf("simtest: close the machine: %v", err)
	}
}
