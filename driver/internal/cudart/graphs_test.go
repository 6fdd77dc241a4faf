//go:build linux && !rmm_nocuda

package cudart

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

const (
	graph  = 0x6a
	object = 0x0b
)

// capturing makes the fake answer that every stream is being captured.
func (f *fakeCUDA) capturing() {
	f.answers["cudaStreamGetCaptureInfo"] = func(a arguments) int32 {
		poke32(a[1], uint32(api.CaptureActive))
		poke(a[2], 1<<40)
		return poke(a[3], graph)
	}
	f.answers["cudaUserObjectCreate"] = func(a arguments) int32 { return poke(a[0], object) }
}

// callBack calls a host function as CUDA does.
func callBack(t *testing.T, address, data uintptr) {
	t.Helper()
	f := loader.Acquire()
	defer f.Release()
	entry := loader.NewProc("host function", address)
	_, err := f.Call(&entry, data)
	require.NoError(t, err)
}

func TestStreamCapture(t *testing.T) {
	fake, d := openFake(t)
	status, id, err := d.StreamCapture(stream)
	require.NoError(t, err)
	require.Equal(t, api.CaptureNone, status)
	require.Zero(t, id)
	fake.capturing()
	status, id, err = d.StreamCapture(stream)
	require.NoError(t, err)
	require.Equal(t, api.CaptureActive, status)
	require.EqualValues(t, 1<<40, id)
}

func TestHostFuncsRunOnce(t *testing.T) {
	fake, d := openFake(t)
	ran := 0
	require.NoError(t, d.LaunchHostFunc(stream, func() { ran++ }))
	launch := find(t, fake.take(), "cudaLaunchHostFunc")
	callBack(t, launch.args[1], launch.args[2])
	callBack(t, launch.args[1], launch.args[2])
	require.Equal(t, 1, ran)
}

func TestHostFuncsAreForgottenWhenRefused(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cudaLaunchHostFunc", api.CodeInvalidHandle)
	require.ErrorIs(t, d.LaunchHostFunc(stream, func() { t.Error("must not run") }), api.ErrInvalidHandle)
	launch := find(t, fake.take(), "cudaLaunchHostFunc")
	callBack(t, launch.args[1], launch.args[2])
}

func TestCapturedHostFuncsLiveAsLongAsTheGraph(t *testing.T) {
	fake, d := openFake(t)
	fake.capturing()
	ran := 0
	require.NoError(t, d.LaunchHostFunc(stream, func() { ran++ }))
	calls := fake.take()
	launch, create := find(t, calls, "cudaLaunchHostFunc").args, find(t, calls, "cudaUserObjectCreate").args
	require.Equal(t, []uintptr{1, userObjectNoSync}, create[3:5])
	require.Equal(t, []uintptr{graph, object, 1, userObjectMove}, find(t, calls, "cudaGraphRetainUserObject").first(4))

	callBack(t, launch[1], launch[2])
	callBack(t, launch[1], launch[2])
	require.Equal(t, 2, ran, "once per launch of the graph")
	callBack(t, create[2], create[1])
	callBack(t, launch[1], launch[2])
	require.Equal(t, 2, ran, "the destructor ends it")
}

func TestCapturedHostFuncsThatCannotBeKept(t *testing.T) {
	for _, name := range []string{"cudaStreamGetCaptureInfo", "cudaUserObjectCreate", "cudaGraphRetainUserObject"} {
		t.Run(name, func(t *testing.T) {
			fake, d := openFake(t)
			fake.capturing()
			fake.answer(name, api.CodeInvalidHandle)
			require.ErrorIs(t, d.LaunchHostFunc(stream, func() { t.Error("must not run") }), api.ErrInvalidHandle)
			calls := fake.take()
			require.NotContains(t, names(calls), "cudaLaunchHostFunc", "the graph would outlive it")
			if name == "cudaGraphRetainUserObject" {
				require.Equal(t, []uintptr{object, 1}, find(t, calls, "cudaUserObjectRelease").first(2))
			}
		})
	}
}

// exchanging makes the fake keep one capture mode, as a thread does.
func (f *fakeCUDA) exchanging(mode *api.CaptureMode) {
	f.answers["cudaThreadExchangeStreamCaptureMode"] = func(a arguments) int32 {
		before := *mode
		*mode = api.CaptureMode(at[int32](a[0]))
		return poke32(a[0], uint32(before))
	}
}

func TestWithCaptureModePutsTheThreadsOwnBack(t *testing.T) {
	fake, d := openFake(t)
	mode := api.CaptureThreadLocal
	fake.exchanging(&mode)
	failure := errors.New("of the function")
	require.Equal(t, failure, d.WithCaptureMode(api.CaptureRelaxed, func() error {
		require.Equal(t, api.CaptureRelaxed, mode)
		return failure
	}))
	require.Equal(t, api.CaptureThreadLocal, mode)

	require.PanicsWithValue(t, "of the function", func() {
		_ = d.WithCaptureMode(api.CaptureGlobal, func() error { panic("of the function") })
	})
	require.Equal(t, api.CaptureThreadLocal, mode)
}

func TestWithCaptureModeReportsBothFailures(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cudaThreadExchangeStreamCaptureMode", api.CodeNotPermitted)
	require.ErrorIs(t, d.WithCaptureMode(api.CaptureRelaxed, func() error {
		t.Error("must not run")
		return nil
	}), api.ErrNotPermitted)

	mode, failure := api.CaptureGlobal, errors.New("of the function")
	fake.exchanging(&mode)
	err := d.WithCaptureMode(api.CaptureRelaxed, func() error {
		fake.answer("cudaThreadExchangeStreamCaptureMode", api.CodeNotPermitted)
		return failure
	})
	require.ErrorIs(t, err, failure)
	require.ErrorIs(t, err, api.ErrNotPermitted)
}
