package simtest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/rmm-go/rmm-go/driver/sim"
)

// trial is one run of a test that may fail without failing the test around it.
// It takes down what the run says.
type trial struct {
	testing.TB
	failed   bool
	log      []string
	cleanups []func()
}

// outcome is how a trial ended.
type outcome struct {
	failed  bool
	log     []string
	hazards []sim.Hazard
	trace   []sim.Step
}

// try runs f on a fresh machine and looks at the machine afterwards.
func try(t testing.TB, cfg sim.Config, f func(t testing.TB, m *sim.Machine)) outcome {
	t.Helper()
	m, err := sim.New(cfg)
	if err != nil {
		t.Fatalf("simtest: make the machine: %v", err)
	}
	r := &trial{TB: t}
	done := make(chan struct{})
	go func() { // FailNow ends it
		defer close(done)
		defer r.finish()
		f(r, m)
	}()
	<-done
	r.check(m)
	if err := m.Close(); err != nil {
		r.Errorf("close the machine: %v", err)
	}
	return outcome{failed: r.failed, log: r.log, hazards: m.Hazards(), trace: m.Trace()}
}

// finish runs the clean-ups of the trial.
func (r *trial) finish() {
	for len(r.cleanups) > 0 {
		last := r.cleanups[len(r.cleanups)-1]
		r.cleanups = r.cleanups[:len(r.cleanups)-1]
		last()
	}
}

// check fails the trial for hazards that no error has reported.
func (r *trial) check(m *sim.Machine) {
	for _, h := range m.Hazards() {
		if h.Err == nil {
			r.Errorf("the ordering checker reports %v", h)
		}
	}
}

func (r *trial) Helper()                   {}
func (r *trial) Failed() bool              { return r.failed }
func (r *trial) Fail()                     { r.failed = true }
func (r *trial) FailNow()                  { r.failed = true; runtime.Goexit() }
func (r *trial) Cleanup(f func())          { r.cleanups = append(r.cleanups, f) }
func (r *trial) Log(args ...any)           { r.log = append(r.log, strings.TrimSpace(fmt.Sprintln(args...))) }
func (r *trial) Error(args ...any)         { r.Log(args...); r.Fail() }
func (r *trial) Fatal(args ...any)         { r.Log(args...); r.FailNow() }
func (r *trial) Logf(f string, a ...any)   { r.log = append(r.log, fmt.Sprintf(f, a...)) }
func (r *trial) Errorf(f string, a ...any) { r.Logf(f, a...); r.Fail() }
func (r *trial) Fatalf(f string, a ...any) { r.Logf(f, a...); r.FailNow() }
