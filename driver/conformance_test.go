package driver_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// caseLimit is how long a case may take before its watchdog reports it. Most
// take well under a second, on a GPU too.
const caseLimit = 20 * time.Second

// conformanceCase is one statement about CUDA that must hold on every backend.
type conformanceCase struct {
	name    string // area/behaviour
	run     func(*bench)
	devices int
	// isolated cases run in a process of their own: they may end in a fault, after
	// which a real GPU's context is of no more use, or in a crash.
	isolated bool
}

func one(name string, run func(*bench)) conformanceCase {
	return conformanceCase{name: name, run: run, devices: 1}
}

func two(name string, run func(*bench)) conformanceCase {
	return conformanceCase{name: name, run: run, devices: 2}
}

func alone(name string, run func(*bench)) conformanceCase {
	return conformanceCase{name: name, run: run, devices: 1, isolated: true}
}

func aloneOnTwo(name string, run func(*bench)) conformanceCase {
	return conformanceCase{name: name, run: run, devices: 2, isolated: true}
}

// conformanceCases are all cases. The comment on each says where its expectation
// comes from: "Documented" in CUDA's manuals, "Measured" on an H200 with driver
// 580, or "To be measured", a reading of the documentation that no GPU has
// confirmed yet.
var conformanceCases = slices.Concat(
	orderingCases, defaultStreamCases, eventCases, streamCases, hostFunctionCases,
	copyCases, memsetCases, memoryCases, pointerCases, poolCases, asyncCases,
	managedCases, virtualCases, peerCases, ipcCases,
	captureCases, graphCases, kernelCases, faultCases,
)

// TestConformance asks each backend the same questions. RMM_CONFORMANCE_OUT
// names a file that takes the answers, a line each.
func TestConformance(t *testing.T) {
	if name, child := os.LookupEnv(isolatedVariable); child {
		runIsolated(t, name)
		return
	}
	table := newResultTable(t)
	for _, c := range conformanceCases {
		t.Run(c.name, func(t *testing.T) {
			o := c.play(t, caseLimit)
			table.add(t, c.name, o)
			o.report(t)
		})
	}
}

func TestConformanceCasesAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range conformanceCases {
		area, behaviour, ok := strings.Cut(c.name, "/")
		require.True(t, ok && area != "" && behaviour != "", "%q is not area/behaviour", c.name)
		require.NotContains(t, c.name, " ")
		require.False(t, seen[c.name], "%q is there twice", c.name)
		seen[c.name] = true
	}
}
