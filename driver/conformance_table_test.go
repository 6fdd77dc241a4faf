package driver_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// resultsVariable names the file for the results: lines of case, backend and
// "pass", "fail" or "skip REASON", separated by tabs. scripts/conformance-table.sh
// joins the files of several backends.
const resultsVariable = "RMM_CONFORMANCE_OUT"

// resultTable writes results as they come, so that a run that dies leaves those
// it had.
type resultTable struct {
	file *os.File // nil: nobody asked
}

func newResultTable(t testing.TB) *resultTable {
	t.Helper()
	name := os.Getenv(resultsVariable)
	if name == "" {
		return &resultTable{}
	}
	file, err := os.Create(name)
	require.NoError(t, err, "%s names a file that cannot be written", resultsVariable)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	return &resultTable{file}
}

func (r *resultTable) add(t testing.TB, name string, o outcome) {
	t.Helper()
	if r.file == nil {
		return
	}
	_, err := fmt.Fprintf(r.file, "%s\t%s\t%s\n", name, backendUnderTest(), o.verdict())
	require.NoError(t, err)
}

// backendUnderTest is the backend that drivertest opens.
func backendUnderTest() string {
	if name := os.Getenv("RMM_BACKEND"); name != "" && name != "auto" {
		return name
	}
	return "sim"
}
