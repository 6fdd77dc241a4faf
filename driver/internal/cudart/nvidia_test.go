//go:build linux && !rmm_nocuda

package cudart

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// realLibraries are the paths of NVIDIA's own files, which bind without a GPU.
func realLibraries(t *testing.T) Options {
	t.Helper()
	opts := Options{LibraryPath: os.Getenv("RMM_TEST_LIBCUDART"), DriverPath: os.Getenv("RMM_TEST_LIBCUDA")}
	if opts.LibraryPath == "" || opts.DriverPath == "" {
		t.Skip("set RMM_TEST_LIBCUDA and RMM_TEST_LIBCUDART to real libraries (scripts/fetch-nvidia-libs.sh gets them)")
	}
	return opts
}

func TestEveryFunctionBindsInTheRealLibraries(t *testing.T) {
	opts := realLibraries(t)
	driver, err := loader.Open(loader.CUDA(), opts.DriverPath)
	require.NoError(t, err)
	cudart, err := loader.Open(loader.CUDART(), opts.LibraryPath)
	require.NoError(t, err)
	var drv driverAPI
	require.NoError(t, driver.Bind(drv.table()))
	var rt runtimeAPI
	require.NoError(t, cudart.Bind(rt.table(cudart.Version())))
	for _, s := range rt.table(cudart.Version()) {
		if s.Proc.Err() != nil {
			require.Equal(t, "cudaStreamGetId", s.Name, "all but the one of CUDA 12")
		}
	}
}

func TestOpenWithoutADevice(t *testing.T) {
	opts := realLibraries(t)
	b, err := Open(opts)
	if err == nil {
		require.NoError(t, b.Close())
		t.Skip("this machine has a GPU")
	}
	require.ErrorIs(t, err, api.ErrNoDevice)
	var failure *api.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "cudaGetDeviceCount", failure.Call)
	require.Equal(t, 100, failure.Code)
	require.Equal(t, "CUDA_ERROR_NO_DEVICE", failure.Name)
	require.Equal(t, "no CUDA-capable device is detected", failure.Message)
	require.Contains(t, failure.Detail, opts.LibraryPath)
	require.Contains(t, failure.Detail, "CUDA_VISIBLE_DEVICES")
}

func TestTheDriverIsNoRuntime(t *testing.T) {
	opts := realLibraries(t)
	_, err := Open(Options{LibraryPath: opts.DriverPath, DriverPath: opts.DriverPath})
	require.ErrorIs(t, err, loader.ErrLibraryNotFound)
	require.ErrorContains(t, err, "is not libcudart")
}
