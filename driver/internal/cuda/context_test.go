//go:build linux && !rmm_nocuda

package cuda

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

const foreignContext uintptr = 0xf0

// onForeignThread runs f on a thread where somebody else's context is current.
func onForeignThread(t *testing.T, fake *fakeDriver, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fake.push(fakeArgs{foreignContext})
	f()
	require.Equal(t, foreignContext, fake.current(), "the thread has its own context back")
}

func TestExplicitHandlesGoStraightThrough(t *testing.T) {
	fake, d := openFake(t)
	onForeignThread(t, fake, func() {
		require.NoError(t, d.EventRecord(event, stream))
		require.NoError(t, d.StreamWaitEvent(stream, event))
		_, err := d.MemAllocAsync(1, stream)
		require.NoError(t, err)
		require.NoError(t, d.MemFreeAsync(1, stream))
	})
	require.Equal(t, "cuEventRecord cuStreamWaitEvent cuMemAllocAsync cuMemFreeAsync", names(fake.take()))
}

func TestEverythingElseRunsInTheDevicesContext(t *testing.T) {
	for name, do := range map[string]func(*device) error{
		"cuMemAlloc":                 func(d *device) error { _, err := d.MemAlloc(1); return err },
		"cuStreamCreateWithPriority": func(d *device) error { _, err := d.StreamCreate(0, 0); return err },
		"cuEventCreate":              func(d *device) error { _, err := d.EventCreate(0); return err },
		"cuMemcpyHtoD":               func(d *device) error { return d.MemcpyHtoD(1, []byte{1}) },
		"cuMemsetD8":                 func(d *device) error { return d.Memset(1, 0, 1, 1) },
		"cuMemGetInfo":               func(d *device) error { _, _, err := d.MemInfo(); return err },
		"cuCtxSynchronize":           func(d *device) error { return d.Synchronize() },
		"cuEventRecord":              func(d *device) error { return d.EventRecord(event, api.StreamDefault) },
		"cuMemAllocAsync":            func(d *device) error { _, err := d.MemAllocAsync(1, api.StreamLegacy); return err },
		"cuStreamSynchronize":        func(d *device) error { return d.StreamSynchronize(api.StreamPerThread) },
	} {
		t.Run(name, func(t *testing.T) {
			fake, d := openFake(t)
			onForeignThread(t, fake, func() { require.NoError(t, do(d)) })
			calls := fake.take()
			require.Equal(t, "cuCtxPushCurrent "+name+" cuCtxPopCurrent", names(calls))
			require.Equal(t, contextOf(0), calls[1].current)
		})
	}
}

func TestDefaultStreamIsTheLegacyOne(t *testing.T) {
	fake, d := openFake(t)
	require.NoError(t, d.StreamSynchronize(api.StreamDefault))
	require.EqualValues(t, api.StreamLegacy, fake.take()[1].args[0])
}

func TestInvalidContextIsRetriedWithOne(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cuEventRecord"] = func(fakeArgs) int32 {
		if fake.current() == contextOf(0) {
			return api.Success
		}
		return api.CodeInvalidContext
	}
	onForeignThread(t, fake, func() { require.NoError(t, d.EventRecord(event, stream)) })
	calls := fake.take()
	require.Equal(t, "cuEventRecord cuCtxPushCurrent cuEventRecord cuCtxPopCurrent", names(calls))
	require.Equal(t, calls[0].args[:2], calls[2].args[:2], "with the same arguments")
}

func TestFailuresLeaveTheContextAlone(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuMemAlloc", api.CodeOutOfMemory)
	onForeignThread(t, fake, func() {
		_, err := d.MemAlloc(1)
		require.ErrorIs(t, err, api.ErrOutOfMemory)
	})
	fake.take()

	fake.answer("cuCtxPushCurrent", api.CodeContextIsDestroyed)
	_, err := d.MemAlloc(1)
	var failure *api.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "cuCtxPushCurrent", failure.Call)
	require.NotContains(t, names(fake.take()), "cuMemAlloc", "not without its context")
}

func TestConcurrentCallsEachHaveTheirContext(t *testing.T) {
	fake, b := newFake(t)
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
		if c.name == "cuMemAlloc" {
			require.Equal(t, contextOf(int(c.args[1])-1), c.current, "the size says which device was meant")
		}
	}
}
