package driver_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

// outcome is what became of a case.
type outcome struct {
	failures []string
	notes    []string
	skipped  string // the reason
}

// report tells the outcome as a test's own.
func (o outcome) report(t testing.TB) {
	t.Helper()
	for _, note := range o.notes {
		t.Log(note)
	}
	for _, failure := range o.failures {
		t.Error(failure)
	}
	if o.skipped != "" && len(o.failures) == 0 {
		t.Skip(o.skipped)
	}
}

// verdict is the outcome in the words of the result table.
func (o outcome) verdict() string {
	switch {
	case len(o.failures) > 0:
		return "fail"
	case o.skipped != "":
		return "skip " + o.skipped
	}
	return "pass"
}

// recorder is the testing.TB of one case. It only takes down what the case says:
// a case that hangs can be left behind, and may still speak later.
type recorder struct {
	testing.TB

	mu       sync.Mutex
	said     outcome
	cleanups []func()
	releases []func() // end what the case holds up
}

// Helper does nothing: the recorder knows no lines.
func (r *recorder) Helper() {}

// Failed reports whether the case has failed so far.
func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.said.failures) > 0
}

// Errorf takes down a failure.
func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said.failures = append(r.said.failures, fmt.Sprintf(format, args...))
}

// FailNow ends the case; a failure was taken down before.
func (r *recorder) FailNow() { runtime.Goexit() }

// Fatalf is Errorf and FailNow, with the line of the case that ended.
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf("%s%s", caseLine(), fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// caseLine is the innermost line of a file of cases on the stack.
func caseLine() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		file := f.File[strings.LastIndexByte(f.File, '/')+1:]
		if strings.HasPrefix(file, "conformance_") && file != "conformance_recorder_test.go" && file != "conformance_bench_test.go" {
			return fmt.Sprintf("%s:%d: ", file, f.Line)
		}
	}
	return ""
}

// Skip ends the case without a judgement.
func (r *recorder) Skip(args ...any) {
	r.mu.Lock()
	r.said.skipped = fmt.Sprint(args...)
	r.mu.Unlock()
	runtime.Goexit()
}

// Skipf is Skip with a format.
func (r *recorder) Skipf(format string, args ...any) { r.Skip(fmt.Sprintf(format, args...)) }

// Logf takes down what a person may want to know: what was measured.
func (r *recorder) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said.notes = append(r.said.notes, fmt.Sprintf(format, args...))
}

// Cleanup runs f at the end of the case, last in first out.
func (r *recorder) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

// cleanUp runs what Cleanup took, the rest also if one of it ends the goroutine.
func (r *recorder) cleanUp() {
	r.mu.Lock()
	n := len(r.cleanups)
	if n == 0 {
		r.mu.Unlock()
		return
	}
	f := r.cleanups[n-1]
	r.cleanups = r.cleanups[:n-1]
	r.mu.Unlock()
	defer r.cleanUp()
	f()
}

// letGo releases everything that the case holds up.
func (r *recorder) letGo() {
	r.mu.Lock()
	releases := r.releases
	r.mu.Unlock()
	for _, release := range releases {
		release()
	}
}

// outcome is what was taken down until now.
func (r *recorder) outcome() outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said
}

// play runs f as a case. When the limit passes, the watchdog says where the case
// is and lets go of what it holds up; if that does not end it either, it is left
// behind.
func (r *recorder) play(f func(), limit time.Duration, tidy bool) outcome {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if tidy {
				r.cleanUp()
			}
		}()
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		f()
	}()
	if !closesWithin(done, limit) {
		r.Errorf("not finished after %v; the process is at:\n%s", limit, stacks())
		r.letGo()
		closesWithin(done, limit/4)
	}
	return r.outcome()
}

func closesWithin(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// stacks is where every goroutine is.
func stacks() string {
	buf := make([]byte, 64<<10)
	return string(buf[:runtime.Stack(buf, true)])
}
