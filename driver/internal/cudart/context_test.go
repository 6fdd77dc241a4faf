//go:build linux && !rmm_nocuda

package cudart

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

const foreignContext uintptr = 0xf0

// onForeignThread runs f on a thread where somebody else's context is current.
func onForeignThread(t *testing.T, fake *fakeCUDA, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fake.push(arguments{foreignContext})
	f()
	require.Equal(t, foreignContext, fake.current(), "the thread has its own context back")
}

func TestCallsPushAndPopAndNothingElse(t *testing.T) {
	fake, d := openFake(t)
	_, err := d.MemAllocAsync(1, stream)
	require.NoError(t, err)
	require.Equal(t, "cuCtxPushCurrent cudaMallocAsync cuCtxPopCurrent", names(fake.take()))
}

func TestFailuresAreTakenBackOnTheirThread(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cudaMalloc", api.CodeOutOfMemory)
	_, err := d.MemAlloc(1)
	require.ErrorIs(t, err, api.ErrOutOfMemory)
	calls := fake.take()
	require.Contains(t, names(calls), "cuCtxPushCurrent cudaMalloc cudaGetLastError cuCtxPopCurrent")
	require.Zero(t, fake.leftErrors())
}

func TestFailuresOfTheDriverAreNotTheRuntimes(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuMemsetD32Async", api.CodeInvalidValue)
	require.ErrorIs(t, d.MemsetAsync(1, 0, 4, 1, stream), api.ErrInvalidValue)
	require.NotContains(t, names(fake.take()), "cudaGetLastError", "a failure that somebody left there stays")
}

func TestDefaultStreamIsTheLegacyOne(t *testing.T) {
	fake, d := openFake(t)
	require.NoError(t, d.StreamSynchronize(api.StreamDefault))
	require.EqualValues(t, api.StreamLegacy, find(t, fake.take(), "cudaStreamSynchronize").args[0])
}

func TestNoCallWithoutItsContext(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuCtxPushCurrent", api.CodeContextIsDestroyed)
	_, err := d.MemAlloc(1)
	var failure *api.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "cuCtxPushCurrent", failure.Call)
	require.NotContains(t, names(fake.take()), "cudaMalloc")
}

func TestFailedPopIsReportedWithTheCall(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuCtxPopCurrent", api.CodeInvalidContext)
	_, err := d.MemAlloc(1)
	require.ErrorIs(t, err, api.ErrInvalidContext)
	fake.answer("cudaMalloc", api.CodeOutOfMemory)
	_, err = d.MemAlloc(1)
	require.ErrorIs(t, err, api.ErrInvalidContext)
	require.ErrorIs(t, err, api.ErrOutOfMemory)
	done, err := d.StreamQuery(stream)
	require.ErrorIs(t, err, api.ErrInvalidContext)
	require.False(t, done)
}

func TestConcurrentCallsEachHaveTheirContext(t *testing.T) {
	fake, b := newFake(t, fakeEntries13())
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			d, err := b.device(i % fakeDevices)
			for range 50 {
				if err == nil {
					_, err = d.MemAlloc(i%fakeDevices + 1)
				}
				runtime.Gosched()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, c := range fake.take() {
		if c.name == "cudaMalloc" {
			require.Equal(t, contextOf(int(c.args[1])-1), c.current, "the size says which device was meant")
		}
	}
}
