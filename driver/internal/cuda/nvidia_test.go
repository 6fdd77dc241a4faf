//go:build linux && !rmm_nocuda

package cuda

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// realLibcuda is the path of NVIDIA's own libcuda, which binds without a GPU.
func realLibcuda(t *testing.T) string {
	t.Helper()
	path := os.Getenv("RMM_TEST_LIBCUDA")
	if path == "" {
		t.Skip("set RMM_TEST_LIBCUDA to a real libcuda.so.1 (scripts/fetch-nvidia-libs.sh gets one)")
	}
	return path
}

func TestEveryFunctionBindsInTheRealDriver(t *testing.T) {
	lib, err := loader.Open(loader.CUDA(), realLibcuda(t))
	require.NoError(t, err)
	var fn functions
	require.NoError(t, lib.Bind(fn.table()))
	for _, s := range fn.table() {
		if s.Since > lib.Version() {
			require.ErrorIs(t, s.Proc.Err(), loader.ErrSymbolNotFound, "%s is newer than this driver", s.Name)
			continue
		}
		require.NoError(t, s.Proc.Err(), "also the optional ones")
	}
}

func TestOpenWithoutADevice(t *testing.T) {
	b, err := Open(Options{LibraryPath: realLibcuda(t)})
	if err == nil {
		require.NoError(t, b.Close())
		t.Skip("this machine has a GPU")
	}
	require.ErrorIs(t, err, api.ErrNoDevice)
	var failure *api.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "cuInit", failure.Call)
	require.Equal(t, 100, failure.Code)
	require.Equal(t, "CUDA_ERROR_NO_DEVICE", failure.Name)
	require.Equal(t, "no CUDA-capable device is detected", failure.Message)
	require.Contains(t, failure.Detail, "CUDA_VISIBLE_DEVICES")
}

// The driver's answer to name and version, and the export with the version in
// its name, must be one function: a wrong version would call it with another
// signature.
func TestVersionsAndExportsNameTheSameSignature(t *testing.T) {
	lib, err := loader.Open(loader.CUDA(), realLibcuda(t))
	require.NoError(t, err)
	var asked, exported functions
	require.NoError(t, lib.Bind(asked.table()))
	byExport := exported.table()
	for i := range byExport {
		byExport[i].Since = 0
	}
	require.NoError(t, lib.Bind(byExport))
	for i, s := range asked.table() {
		if s.Since <= lib.Version() {
			require.Equal(t, *byExport[i].Proc, *s.Proc, "%s at version %d", s.Name, s.Since)
		}
	}
}
