//go:build linux && !rmm_nocuda

package cudart

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

func TestOpenWithoutTheDriver(t *testing.T) {
	_, err := Open(Options{DriverPath: "/nowhere/libcuda.so.1"})
	require.ErrorIs(t, err, loader.ErrLibraryNotFound)
	require.ErrorContains(t, err, "/nowhere/libcuda.so.1 (given path): no such file")
}

func TestOldDriversAreRefused(t *testing.T) {
	require.NoError(t, checkDriver(11040, "/l"))
	err := checkDriver(11020, "/l")
	require.ErrorIs(t, err, api.ErrNotSupported)
	require.EqualError(t, err, "the GPU driver /l is not supported: it is for CUDA 11.2 and CUDA 11.4 or newer is needed: update the driver")
}

func TestDriversTooOldForTheRuntimeNameBothVersions(t *testing.T) {
	fake, b := newFake(t, fakeEntries13())
	b.libraries[1].Version = 12020
	fake.answer("cudaGetDeviceCount", codeInsufficientDriver)
	_, err := b.start()
	require.ErrorIs(t, err, api.ErrNotSupported)
	require.EqualError(t, err, "fake cudart (CUDA 13.0) is not supported: the GPU driver fake driver is for CUDA 12.2 "+
		"and too old for it: update the driver, or use an older libcudart (RMM_LIBCUDART)")

	b.libraries[0].Version = 0
	_, err = b.start()
	require.ErrorContains(t, err, "fake cudart (CUDA of an unknown version)", "libcudart 11 does not tell without a GPU")
}

func TestDevicesAreRetainedOnceAndReleased(t *testing.T) {
	fake, b := newFake(t, fakeEntries13())
	require.Equal(t, fakeDevices, b.DeviceCount())
	first, err := b.Device(1)
	require.NoError(t, err)
	second, err := b.Device(1)
	require.NoError(t, err)
	require.Same(t, first, second)
	require.Equal(t, 1, strings.Count(names(fake.take()), "cuDevicePrimaryCtxRetain"))
	require.NoError(t, b.Close())
	calls := fake.take()
	require.Equal(t, "cuDevicePrimaryCtxRelease", names(calls))
	require.EqualValues(t, 1, calls[0].args[0])
}

func TestOnlyOpenedDevicesGetContexts(t *testing.T) {
	fake, b := newFake(t, fakeEntries13())
	require.Equal(t, "cudaGetDeviceCount", names(fake.take()), "counting makes none")
	d, err := b.Device(1)
	require.NoError(t, err)
	_, err = d.MemAlloc(1)
	require.NoError(t, err)
	for _, c := range fake.take() {
		require.NotEqual(t, contextOf(0), c.current)
		require.NotContains(t, c.name, "SetDevice")
	}
}

func TestDeviceOutOfRange(t *testing.T) {
	_, d := openFake(t)
	errs := []error{
		d.MemcpyPeerAsync(1, 7, 2, 0, 1, stream),
		d.MemcpyPeerAsync(1, 0, 2, 7, 1, stream),
		d.PrefetchAsync(1, 1, 7, stream),
		d.MemAdvise(1, 1, api.AdviseSetAccessedBy, -2),
		d.EnablePeerAccess(7),
		d.DisablePeerAccess(-1),
		d.PoolSetAccess(pool, 7, api.AccessRead),
	}
	_, err := d.CanAccessPeer(7)
	errs = append(errs, err)
	_, err = d.PoolAccess(pool, 7)
	errs = append(errs, err)
	for _, ordinal := range []int{-1, fakeDevices} {
		_, err := d.b.Device(ordinal)
		errs = append(errs, err)
	}
	for _, err := range errs {
		require.ErrorIs(t, err, api.ErrInvalidDevice)
		require.ErrorContains(t, err, "there are 2")
	}
}

func TestNoDevices(t *testing.T) {
	fake, b := newFake(t, fakeEntries13())
	fake.answers["cudaGetDeviceCount"] = func(a arguments) int32 { return poke32(a[0], 0) }
	_, err := b.start()
	require.ErrorIs(t, err, api.ErrNoDevice)
	require.ErrorContains(t, err, "CUDA_VISIBLE_DEVICES")
	fake.answer("cudaGetDeviceCount", api.CodeNoDevice)
	_, err = b.start()
	require.ErrorIs(t, err, api.ErrNoDevice)
	require.ErrorContains(t, err, "fake cudart")
	require.Zero(t, fake.leftErrors())
}

func TestFailuresWhileOpeningADevice(t *testing.T) {
	for _, name := range []string{"cuDeviceGet", "cuDeviceGetName", "cuDeviceGetUuid", "cuDeviceTotalMem", "cuDevicePrimaryCtxRetain"} {
		t.Run(name, func(t *testing.T) {
			fake, b := newFake(t, fakeEntries13())
			working := fake.answers[name]
			fake.answer(name, api.CodeNotPermitted)
			_, err := b.Device(0)
			require.ErrorIs(t, err, api.ErrNotPermitted)
			fake.answers[name] = working
			_, err = b.Device(0)
			require.NoError(t, err, "a failed open can be tried again")
			require.NoError(t, b.Close())
		})
	}
}

func TestNamesAndVersions(t *testing.T) {
	_, b := newFake(t, fakeEntries12())
	require.Equal(t, "cudart", b.Name())
	require.Equal(t, 13000, b.DriverVersion())
	libraries := b.Libraries()
	require.Equal(t, []string{"libcudart", "libcuda"}, []string{libraries[0].Name, libraries[1].Name})
	require.Equal(t, 12040, libraries[0].Version)
	libraries[0].Version = 1
	require.Equal(t, 12040, b.Libraries()[0].Version, "a copy")
}

func TestErrorsSpeakTheDriversWords(t *testing.T) {
	fake, d := openFake(t)
	fake.answerText("CUDA_ERROR_OUT_OF_MEMORY", "out of memory")
	fake.answer("cudaMallocAsync", api.CodeOutOfMemory)
	_, err := d.MemAllocAsync(1, stream)
	require.EqualError(t, err, "cudaMallocAsync: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory")
}

func TestErrorsThatOnlyTheRuntimeHasKeepTheirNumber(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuGetErrorName", api.CodeInvalidValue)
	fake.answer("cudaMalloc", 98)
	_, err := d.MemAlloc(1)
	require.EqualError(t, err, "cudaMalloc: cudaError (98): error 98 of the CUDA runtime: cudaError in driver_types.h names it")
}

func TestMissingFunctionsAreNotSupported(t *testing.T) {
	fake, d := openFake(t)
	d.b.rt.streamGetID = loader.Proc{}
	onForeignThread(t, fake, func() {
		_, err := d.StreamID(stream)
		require.ErrorIs(t, err, api.ErrNotSupported)
	})
}
