package driver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// isolatedVariable names the one case that a process was started for.
const isolatedVariable = "RMM_CONFORMANCE_CASE"

// play runs the case, in a process of its own if it needs one.
func (c conformanceCase) play(t testing.TB, limit time.Duration) outcome {
	r := &recorder{TB: t}
	if c.isolated {
		return r.play(func() { c.delegate(r) }, 2*limit, true)
	}
	return r.play(func() { c.run(newBench(r, c.devices)) }, limit, true)
}

// delegate has a second process of this test binary run the case. That process
// tells the result by the table, because its exit status may come from a crash.
func (c conformanceCase) delegate(r *recorder) {
	program, err := os.Executable()
	require.NoError(r, err)
	dir, err := os.MkdirTemp("", "conformance")
	require.NoError(r, err)
	r.Cleanup(func() { require.NoError(r, os.RemoveAll(dir)) })
	results := filepath.Join(dir, "results")
	second := exec.Command(program, "-test.run=^TestConformance$", "-test.v")
	second.Env = append(os.Environ(), isolatedVariable+"="+c.name, resultsVariable+"="+results)
	said, err := second.CombinedOutput()
	verdict, _ := os.ReadFile(results) // none if the process died
	fields := strings.Split(strings.TrimSpace(string(verdict)), "\t")
	switch result := fields[len(fields)-1]; {
	case result == "pass":
	case strings.HasPrefix(result, "skip "):
		r.Skip(strings.TrimPrefix(result, "skip "))
	default:
		r.Fatalf("the process of its own ended with %v and said:\n%s", err, last(said, 8<<10))
	}
}

// last is the end of what a process said.
func last(said []byte, n int) []byte { return said[max(0, len(said)-n):] }

// runIsolated is the second process's part. It cleans nothing up: the process
// ends, and after a fault every clean-up would fail.
func runIsolated(t *testing.T, name string) {
	table := newResultTable(t)
	for _, c := range conformanceCases {
		if c.name == name {
			r := &recorder{TB: t}
			o := r.play(func() { c.run(newBench(r, c.devices)) }, caseLimit, false)
			table.add(t, name, o)
			o.report(t)
			return
		}
	}
	t.Fatalf("%s names no case: %q", isolatedVariable, name)
}
