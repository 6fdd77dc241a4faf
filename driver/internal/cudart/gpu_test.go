//go:build linux && !rmm_nocuda

package cudart

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// work is a device with something to call it on.
type work struct {
	*device
	s api.Stream
	e api.Event
}

// openGPU opens the machine's GPU, or skips.
func openGPU(t testing.TB) work {
	t.Helper()
	b, err := Open(Options{})
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	d, err := b.(*backend).device(0)
	require.NoError(t, err)
	s, err := d.StreamCreate(api.StreamNonBlocking, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.StreamDestroy(s)) })
	e, err := d.EventCreate(api.EventDisableTiming)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.EventDestroy(e)) })
	return work{d, s, e}
}

// openNothing is a device whose libraries are one C function that returns 0:
// what is left of a call is this package's own part.
func openNothing(t testing.TB) work {
	t.Helper()
	lib, err := loader.Open(loader.Spec{Name: "libm", Files: []string{"libm.so.6"}}, "")
	require.NoError(t, err)
	zero := bind(t, lib, loader.Symbol{Name: "fegetround"})
	b := &backend{libraries: make([]api.Library, 2)}
	for _, s := range append(b.rt.table(cuda13), b.drv.table()...) {
		*s.Proc = *zero
	}
	return work{&device{b: b}, stream, event}
}

// hotCalls are the calls that allocators make for every allocation.
func (w work) hotCalls() error {
	if err := w.EventRecord(w.e, w.s); err != nil {
		return err
	}
	if err := w.StreamWaitEvent(w.s, w.e); err != nil {
		return err
	}
	if _, err := w.EventQuery(w.e); err != nil {
		return err
	}
	p, err := w.MemAllocAsync(1<<20, w.s)
	if err != nil {
		return err
	}
	if _, err := w.PointerInfo(p); err != nil {
		return err
	}
	return w.MemFreeAsync(p, w.s)
}

func requireNoAllocations(t *testing.T, w work) {
	t.Helper()
	if raceEnabled {
		t.Skip("needs a GPU: and a build without the race detector, which allocates")
	}
	require.NoError(t, w.hotCalls())
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if err := w.hotCalls(); err != nil {
			t.Error(err)
		}
	}))
}

func TestHotCallsDoNotAllocate(t *testing.T) { requireNoAllocations(t, openNothing(t)) }

func TestHotCallsDoNotAllocateOnTheGPU(t *testing.T) { requireNoAllocations(t, openGPU(t)) }

func TestDeviceOnTheGPU(t *testing.T) {
	w := openGPU(t)
	require.NotEmpty(t, w.Info().Name)
	require.NotZero(t, w.Info().UUID)
	free, total, err := w.MemInfo()
	require.NoError(t, err)
	require.Equal(t, w.Info().TotalMemory, total)
	require.Positive(t, free)
	least, greatest, err := w.StreamPriorities()
	require.NoError(t, err)
	require.LessOrEqual(t, greatest, least)
	major, err := w.Attribute(api.AttrComputeCapabilityMajor)
	require.NoError(t, err)
	require.Positive(t, major)
}

func TestEveryCopyAndFillOnTheGPU(t *testing.T) {
	w := openGPU(t)
	p, err := w.MemAlloc(64)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.MemFree(p)) }()
	got := make([]byte, 64)

	require.NoError(t, w.Memset(p, 0x0201, 2, 32))
	require.NoError(t, w.Synchronize(), "a non-blocking stream does not wait for the default one")
	require.NoError(t, w.MemsetAsync(p, 0x06050403, 4, 2, w.s))
	require.NoError(t, w.MemcpyHtoDAsync(p+8, []byte{7, 8}, w.s))
	require.NoError(t, w.MemcpyDtoDAsync(p+32, p, 10, w.s))
	require.NoError(t, w.MemcpyPeerAsync(p+48, 0, p, 0, 4, w.s))
	require.NoError(t, w.StreamSynchronize(w.s))
	require.NoError(t, w.MemcpyDtoH(got, p))
	require.Equal(t, []byte{3, 4, 5, 6, 3, 4, 5, 6, 7, 8, 1, 2}, got[:12])
	require.Equal(t, []byte{3, 4, 5, 6, 3, 4, 5, 6, 7, 8, 1, 2}, got[32:44])
	require.Equal(t, []byte{3, 4, 5, 6, 1, 2}, got[48:54])

	require.NoError(t, w.MemsetAsync(p, 9, 1, 1, api.StreamDefault))
	require.NoError(t, w.MemcpyDtoHAsync(got[:1], p, api.StreamLegacy))
	require.NoError(t, w.Synchronize())
	require.EqualValues(t, 9, got[0])
}

func TestPointersOnTheGPU(t *testing.T) {
	w := openGPU(t)
	device, err := w.MemAlloc(4096)
	require.NoError(t, err)
	managed, err := w.MemAllocManaged(4096)
	require.NoError(t, err)
	pinned, err := w.MemHostAlloc(4096, 0)
	require.NoError(t, err)
	local := make([]byte, 8)
	for p, want := range map[api.Ptr]api.PointerInfo{
		device + 8:                  {Type: api.MemoryDevice, Base: device, Size: 4096},
		managed + 8:                 {Type: api.MemoryManaged, Base: managed, Size: 4096},
		pinned:                      {Type: api.MemoryHost, Base: pinned, Size: 4096},
		api.Ptr(hostAddress(local)): {Type: api.MemoryUnregistered, Device: -1},
	} {
		info, err := w.PointerInfo(p)
		require.NoError(t, err)
		require.Equal(t, want, info)
	}
	require.NoError(t, w.MemFree(device))
	require.NoError(t, w.MemFree(managed))
	require.NoError(t, w.MemHostFree(pinned))
}

func TestPoolsOnTheGPU(t *testing.T) {
	w := openGPU(t)
	pool, err := w.PoolCreate(api.PoolProps{})
	require.NoError(t, err)
	require.NoError(t, w.PoolSetAttribute(pool, api.PoolReleaseThreshold, ^uint64(0)))
	p, err := w.MemAllocFromPoolAsync(1<<20, pool, w.s)
	require.NoError(t, err)
	require.NoError(t, w.MemFreeAsync(p, w.s))
	require.NoError(t, w.StreamSynchronize(w.s))
	for attribute, want := range map[api.PoolAttribute]uint64{
		api.PoolReuseAllowOpportunistic: 1, api.PoolReleaseThreshold: ^uint64(0), api.PoolUsedCurrent: 0,
	} {
		got, err := w.PoolAttribute(pool, attribute)
		require.NoError(t, err)
		require.Equal(t, want, got, "attribute %d", attribute)
	}
	require.NoError(t, w.PoolTrim(pool, 0))
	reserved, err := w.PoolAttribute(pool, api.PoolReservedCurrent)
	require.NoError(t, err)
	require.Zero(t, reserved)
	access, err := w.PoolAccess(pool, 0)
	require.NoError(t, err)
	require.Equal(t, api.AccessReadWrite, access, "its own device always has access")
	require.NoError(t, w.PoolDestroy(pool))
}

func TestStreamsAndHostFuncsOnTheGPU(t *testing.T) {
	w := openGPU(t)
	release, ran := make(chan struct{}), make(chan struct{})
	require.NoError(t, w.LaunchHostFunc(w.s, func() { <-release; close(ran) }))
	require.NoError(t, w.EventRecord(w.e, w.s))
	done, err := w.EventQuery(w.e)
	require.NoError(t, err)
	require.False(t, done, "the host function holds the stream back")
	close(release)
	require.NoError(t, w.EventSynchronize(w.e))
	<-ran
	done, err = w.StreamQuery(w.s)
	require.NoError(t, err)
	require.True(t, done)

	id, err := w.StreamID(w.s)
	require.NoError(t, err)
	zero, err := w.StreamID(api.StreamDefault)
	require.NoError(t, err)
	one, err := w.StreamID(api.StreamLegacy)
	require.NoError(t, err)
	require.Equal(t, zero, one)
	require.NotEqual(t, zero, id)
}

func TestManagedMemoryOnTheGPU(t *testing.T) {
	w := openGPU(t)
	const size = 1 << 20
	p, err := w.MemAllocManaged(size)
	require.NoError(t, err)
	for _, to := range []int{0, -1} {
		require.NoError(t, w.MemAdvise(p, size, api.AdviseSetPreferredLocation, to))
		preferred, err := w.MemRangeAttribute(p, size, api.RangePreferredLocation)
		require.NoError(t, err)
		require.Equal(t, to, preferred)
		require.NoError(t, w.PrefetchAsync(p, size, to, w.s))
		require.NoError(t, w.StreamSynchronize(w.s))
		last, err := w.MemRangeAttribute(p, size, api.RangeLastPrefetchLocation)
		require.NoError(t, err)
		require.Equal(t, to, last)
	}
	require.NoError(t, w.MemFree(p))
}

func TestRegisteredMemoryOnTheGPU(t *testing.T) {
	w := openGPU(t)
	memory := make([]byte, 1<<16)
	require.NoError(t, w.MemHostRegister(memory))
	info, err := w.PointerInfo(api.Ptr(hostAddress(memory)))
	require.NoError(t, err)
	require.Equal(t, api.MemoryHost, info.Type)
	require.NoError(t, w.MemHostUnregister(memory))
}

func TestErrorTextOnTheGPU(t *testing.T) {
	w := openGPU(t)
	_, err := w.MemAlloc(1 << 50)
	require.ErrorIs(t, err, api.ErrOutOfMemory)
	require.ErrorContains(t, err, "cudaMalloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory")
}
