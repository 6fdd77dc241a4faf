//go:build linux && !rmm_nocuda

package cuda

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

func TestOpenWithoutTheLibrary(t *testing.T) {
	_, err := Open(Options{LibraryPath: "/nowhere/libcuda.so.1"})
	require.ErrorIs(t, err, loader.ErrLibraryNotFound)
	require.ErrorContains(t, err, "/nowhere/libcuda.so.1 (given path): no such file")
}

func TestOldDriversAreRefused(t *testing.T) {
	require.NoError(t, checkVersion(11040, "/l"))
	err := checkVersion(11020, "/l")
	require.ErrorIs(t, err, api.ErrNotSupported)
	require.EqualError(t, err, "the GPU driver /l is not supported: it is for CUDA 11.2 and CUDA 11.4 or newer is needed: update the driver")
}

func TestDevicesAreRetainedOnceAndReleased(t *testing.T) {
	fake, b := newFake(t)
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

func TestDeviceOutOfRange(t *testing.T) {
	_, b := newFake(t)
	for _, ordinal := range []int{-1, fakeDevices} {
		_, err := b.Device(ordinal)
		require.ErrorIs(t, err, api.ErrInvalidDevice)
		require.ErrorContains(t, err, "there are 2")
	}
}

func TestNoDevices(t *testing.T) {
	fake, b := newFake(t)
	fake.answers["cuDeviceGetCount"] = func(a fakeArgs) int32 { return poke32(a[0], 0) }
	_, err := b.start()
	require.ErrorIs(t, err, api.ErrNoDevice)
	require.ErrorContains(t, err, "CUDA_VISIBLE_DEVICES")
}

func TestErrorsSpeakTheDriversWords(t *testing.T) {
	fake, d := openFake(t)
	fake.answerText("CUDA_ERROR_OUT_OF_MEMORY", "out of memory")
	fake.answer("cuMemAllocAsync", api.CodeOutOfMemory)
	_, err := d.MemAllocAsync(1, stream)
	require.EqualError(t, err, "cuMemAllocAsync: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory")
}

func TestQueriesAnswerFalseWhileWorkIsPending(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuStreamQuery", api.CodeNotReady)
	fake.answer("cuEventQuery", api.CodeNotReady)
	done, err := d.StreamQuery(stream)
	require.NoError(t, err)
	require.False(t, done)
	done, err = d.EventQuery(event)
	require.NoError(t, err)
	require.False(t, done)

	fake.answer("cuEventQuery", api.CodeIllegalAddress)
	_, err = d.EventQuery(event)
	require.ErrorIs(t, err, api.ErrFault)
}

func TestStreamIDNeverTouchesACapture(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cuStreamGetId"] = func(a fakeArgs) int32 { return poke(a[1], 1<<40) }
	id, err := d.StreamID(stream)
	require.NoError(t, err)
	require.EqualValues(t, 1<<40, id)

	fake.take()
	fake.answers["cuStreamIsCapturing"] = func(a fakeArgs) int32 { return poke32(a[1], 1) }
	_, err = d.StreamID(stream)
	require.ErrorIs(t, err, api.ErrCapture)
	require.NotContains(t, names(fake.take()), "cuStreamGetId")
}

func TestStreamIDOfAnOldDriver(t *testing.T) {
	_, d := openFake(t)
	d.b.fn.streamGetID = loader.Proc{}
	_, err := d.StreamID(stream)
	require.ErrorIs(t, err, api.ErrNotSupported)
}

func TestPoolPropsLayout(t *testing.T) {
	requireOffsets[poolProps](t, 88, 0, 4, 8, 16, 24, 32, 34)
}

func TestPoolCreateFillsTheStruct(t *testing.T) {
	fake, b := newFake(t)
	d, err := b.device(1)
	require.NoError(t, err)
	got := remember[poolProps](fake, "cuMemPoolCreate", 1)
	_, err = d.PoolCreate(api.PoolProps{HandleTypes: 1, MaxSize: 1 << 30})
	require.NoError(t, err)
	require.Equal(t, poolProps{allocationType: 1, handleTypes: 1, location: memLocation{kind: 1, id: 1}, maxSize: 1 << 30}, *got)
}

func TestPoolAttributesOfEitherWidth(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cuMemPoolGetAttribute"] = func(a fakeArgs) int32 {
		if api.PoolAttribute(a[1]) < api.PoolReleaseThreshold {
			return poke32(a[2], 1)
		}
		return poke(a[2], ^uint64(0))
	}
	flag, err := d.PoolAttribute(pool, api.PoolReuseAllowOpportunistic)
	require.NoError(t, err)
	require.EqualValues(t, 1, flag)
	bytes, err := d.PoolAttribute(pool, api.PoolReleaseThreshold)
	require.NoError(t, err)
	require.Equal(t, ^uint64(0), bytes)

	set := remember[uint64](fake, "cuMemPoolSetAttribute", 2)
	require.NoError(t, d.PoolSetAttribute(pool, api.PoolReleaseThreshold, 1<<63))
	require.EqualValues(t, uint64(1<<63), *set)
}

func TestPointerInfo(t *testing.T) {
	fake, d := openFake(t)
	answers := map[int32]uint64{}
	fake.answers["cuPointerGetAttributes"] = func(a fakeArgs) int32 {
		for i := range a[0] {
			slot := at[uintptr](a[2] + 8*i)
			if value, ok := answers[at[int32](a[1]+4*i)]; ok {
				poke(slot, value)
			}
		}
		return api.Success
	}
	info, err := d.PointerInfo(0x1234)
	require.NoError(t, err)
	require.Equal(t, api.PointerInfo{Type: api.MemoryUnregistered, Device: -1}, info)

	answers = map[int32]uint64{2: 2, 8: 0, 9: 1, 11: 0x1000, 12: 512, 17: 0xb0}
	info, err = d.PointerInfo(0x1234)
	require.NoError(t, err)
	require.Equal(t, api.PointerInfo{Type: api.MemoryDevice, Device: 1, Base: 0x1000, Size: 512, Pool: 0xb0}, info)

	answers[8] = 1
	info, err = d.PointerInfo(0x1234)
	require.NoError(t, err)
	require.Equal(t, api.MemoryManaged, info.Type)

	answers = map[int32]uint64{2: 1}
	info, err = d.PointerInfo(0x1234)
	require.NoError(t, err)
	require.Equal(t, api.MemoryHost, info.Type)
}

func TestMemsetRefusesOtherWidths(t *testing.T) {
	fake, d := openFake(t)
	for _, err := range []error{d.Memset(1, 0, 3, 1), d.MemsetAsync(1, 0, 8, 1, stream)} {
		require.ErrorIs(t, err, api.ErrInvalidValue)
		require.ErrorContains(t, err, "use 1, 2 or 4")
	}
	require.NotContains(t, names(fake.take()), "cuMemset")
}

func TestPeerCopyNamesAnUnknownDevice(t *testing.T) {
	_, d := openFake(t)
	require.ErrorIs(t, d.MemcpyPeerAsync(1, 7, 2, 0, 1, stream), api.ErrInvalidDevice)
	require.ErrorIs(t, d.MemcpyPeerAsync(1, 0, 2, 7, 1, stream), api.ErrInvalidDevice)
	require.ErrorIs(t, d.PrefetchAsync(1, 1, 7, stream), api.ErrInvalidDevice)
}

func TestEmptyCopiesHaveNoAddress(t *testing.T) {
	fake, d := openFake(t)
	require.NoError(t, d.MemcpyHtoDAsync(1, nil, stream))
	require.Equal(t, []uintptr{1, 0, 0, uintptr(stream)}, fake.take()[0].args[:4])
}
