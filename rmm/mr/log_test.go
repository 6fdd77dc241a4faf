package mr_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/rmm/internal/debuglog"
)

// The debug log belongs to the process and is set up at its first message, so
// another test runs in a process of its own.
func logOf(t *testing.T, test, level string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "debug.log")
	cmd := exec.Command(self, "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), debuglog.FileVariable+"="+path, debuglog.LevelVariable+"="+level)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestOutOfMemoryIsLogged(t *testing.T) {
	text := logOf(t, "TestOutOfMemoryFromTheDevice", "error")
	require.Regexp(t, `\[error \] out of memory \{"resource": "Cuda", "bytes": \d+, "stream": "stream `, text)
	require.Contains(t, text, `"resource": "CudaAsync"`)
	require.NotContains(t, text, "memory pool made")
}

func TestPoolsAreLogged(t *testing.T) {
	text := logOf(t, "TestCudaAsyncInitialSizeIsReserved", "debug")
	require.Regexp(t, `\[debug \] memory pool made \{"device": "device 0 .*", "initial_bytes": 104857600, "release_threshold": 18446744073709551615\}`, text)
}
