//go:build linux && !rmm_nocuda

package loader

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// nvidiaLibrary opens one of NVIDIA's own files, which needs no GPU; see
// scripts/fetch-nvidia-libs.sh.
func nvidiaLibrary(t *testing.T, spec Spec, variable string) *Library {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("set %s to a real %s (scripts/fetch-nvidia-libs.sh gets one)", variable, spec.Name)
	}
	lib, err := Open(spec, path)
	require.NoError(t, err)
	return lib
}

func TestRealLibcuda(t *testing.T) {
	lib := nvidiaLibrary(t, CUDA(), "RMM_TEST_LIBCUDA")
	require.Equal(t, 12020, lib.Version())

	var init, memFree, prefetch, later Proc
	require.NoError(t, lib.Bind([]Symbol{
		{Proc: &init, Name: "cuInit", Since: 2000, Required: true},
		{Proc: &memFree, Name: "cuMemFree", Export: "cuMemFree_v2", Since: 3020, Required: true},
		{Proc: &prefetch, Name: "cuMemPrefetchAsync", Since: 8000, Required: true},
		{Proc: &later, Name: "cuStreamGetDevice", Since: 12080},
	}))
	require.ErrorContains(t, later.Err(), "cuStreamGetDevice, which came with CUDA 12.8; "+lib.Path()+" is for CUDA 12.2: install a newer one")

	// The version picks the signature: the driver's own and the exported name agree.
	require.Equal(t, dlsym(lib.handle, "cuMemFree_v2"), memFree.address)
	require.Equal(t, dlsym(lib.handle, "cuMemPrefetchAsync"), prefetch.address)
	require.NotEqual(t, dlsym(lib.handle, "cuMemPrefetchAsync_v2"), prefetch.address)
}

func TestRealLibcudart(t *testing.T) {
	lib := nvidiaLibrary(t, CUDART(), "RMM_TEST_LIBCUDART")
	if lib.Version() != 0 { // libcudart 11 tells its version only where there is a GPU
		require.Equal(t, 11080, lib.Version())
	}

	var count, mallocAsync, mempool13 Proc
	require.NoError(t, lib.Bind([]Symbol{
		{Proc: &count, Name: "cudaGetDeviceCount", Since: 2000, Required: true},
		{Proc: &mallocAsync, Name: "cudaMallocAsync", Since: 11020, Required: true},
		{Proc: &mempool13, Name: "cudaMemGetMemPool", Since: 13000},
	}))
	require.ErrorContains(t, mempool13.Err(), "cudaMemGetMemPool, which came with CUDA 13.0")

	f := Acquire()
	defer f.Release()
	f.SetOut()
	code, err := f.Invoke(&count)
	require.NoError(t, err)
	require.Contains(t, []int32{0, codeInsufficientDriver, codeNoDevice}, code)
}

func TestRealLibrariesUnderAnotherName(t *testing.T) {
	nvidiaLibrary(t, CUDA(), "RMM_TEST_LIBCUDA")
	_, err := Open(CUDART(), os.Getenv("RMM_TEST_LIBCUDA"))
	require.ErrorContains(t, err, "is not libcudart: it has no cudaRuntimeGetVersion")
}
