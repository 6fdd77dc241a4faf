package driver_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// The suite is only worth something if a wrong answer fails it: these cases are
// wrong on purpose.

func playOne(t *testing.T, limit time.Duration, run func(*bench)) outcome {
	t.Helper()
	return one("harness/"+t.Name(), run).play(t, limit)
}

func TestAWrongAnswerFailsItsCase(t *testing.T) {
	for name, wrong := range map[string]func(*bench){
		"busy":     func(b *bench) { b.busy(b.stream()) },
		"pending":  func(b *bench) { b.pending(b.event()) },
		"idle":     func(b *bench) { s := b.stream(); b.hold(s); b.idle(s) },
		"bytes":    func(b *bench) { b.requireAll(b.memory(kib, 1), kib, 2) },
		"ok":       func(b *bench) { b.ok(driver.ErrClosed) },
		"fails":    func(b *bench) { b.fails(nil, 1) },
		"code":     func(b *bench) { b.fails(&driver.Error{Code: 2}, 1, 3) },
		"no code":  func(b *bench) { b.fails(driver.ErrClosed, 1) },
		"too soon": func(b *bench) { b.onlyAfter(func() {}, func() error { return nil }) },
		"cleanup":  func(b *bench) { b.Cleanup(func() { b.ok(driver.ErrClosed) }) },
		"panic":    func(*bench) { panic("a bug in a case") },
	} {
		t.Run(name, func(t *testing.T) {
			o := playOne(t, caseLimit, wrong)
			require.NotEmpty(t, o.failures)
			require.Equal(t, "fail", o.verdict())
		})
	}
}

func TestAFailureSaysWhereAndWhat(t *testing.T) {
	o := playOne(t, caseLimit, func(b *bench) { b.fails(b.raw.MemFree(0x1230), 2) })
	require.Len(t, o.failures, 1)
	require.Contains(t, o.failures[0], "conformance_harness_test.go:")
	require.Regexp(t, `got code \d+ \w+ of \w+ .*want a failure with code \[2\]`, o.failures[0])
}

func TestASkippedCaseGivesItsReason(t *testing.T) {
	o := playOne(t, caseLimit, func(b *bench) { b.Skipf("needs %d moons", 2) })
	require.Equal(t, "skip needs 2 moons", o.verdict())
	require.Empty(t, o.failures)
}

func TestEveryCleanUpRuns(t *testing.T) {
	ran := 0
	playOne(t, caseLimit, func(b *bench) {
		for range 3 {
			b.Cleanup(func() { ran++; b.FailNow() })
		}
	})
	require.Equal(t, 3, ran)
}

// TestTheWatchdogLetsGo: a case that waits for what it holds itself ends.
func TestTheWatchdogLetsGo(t *testing.T) {
	drivertest.Device(t) // what takes long on a GPU the first time
	ended := false
	o := playOne(t, 500*time.Millisecond, func(b *bench) {
		s := b.stream()
		b.Cleanup(func() { ended = true })
		b.hold(s)
		b.ok(s.Synchronize())
	})
	require.Equal(t, "fail", o.verdict())
	require.Contains(t, o.failures[0], "not finished after 500ms")
	require.Contains(t, o.failures[0], "TestTheWatchdogLetsGo", "the stacks say where")
	require.True(t, ended)
}

func TestTheWatchdogLeavesAStuckCaseBehind(t *testing.T) {
	free, gone := make(chan struct{}), make(chan struct{})
	o := (&recorder{TB: t}).play(func() { defer close(gone); <-free }, 20*time.Millisecond, true)
	require.Equal(t, "fail", o.verdict())
	close(free)
	<-gone
}

func TestAnIsolatedCaseThatDiesFails(t *testing.T) {
	c := alone("harness/no-such-case", nil)
	o := c.play(t, caseLimit)
	require.Equal(t, "fail", o.verdict())
	require.Contains(t, o.failures[0], "names no case")
}

func TestResultsAreWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results")
	t.Setenv(resultsVariable, name)
	t.Run("write", func(t *testing.T) {
		table := newResultTable(t)
		table.add(t, "a/b", outcome{})
		table.add(t, "a/c", outcome{skipped: "needs 2 moons"})
		table.add(t, "a/d", outcome{failures: []string{"wrong"}})
	})
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	backend := backendUnderTest()
	require.Equal(t, "a/b\t"+backend+"\tpass\na/c\t"+backend+"\tskip needs 2 moons\na/d\t"+backend+"\tfail\n", string(got))
}

func TestAHeldStreamIsReleasedWithItsCase(t *testing.T) {
	o := playOne(t, caseLimit, func(b *bench) {
		s := b.stream()
		b.hold(s)
		b.busy(s)
	})
	require.Equal(t, "pass", o.verdict())
}
