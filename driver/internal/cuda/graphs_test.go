//go:build linux && !rmm_nocuda

package cuda

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// capturing makes every stream part of capture id, in the given state.
func capturing(fake *fakeDriver, status api.CaptureStatus, id uint64) {
	fake.answers["cuStreamIsCapturing"] = func(a fakeArgs) int32 { return poke32(a[1], uint32(status)) }
	fake.answers["cuStreamGetCaptureInfo"] = func(a fakeArgs) int32 {
		poke32(a[1], uint32(status))
		return poke(a[2], id)
	}
}

func TestStreamCapture(t *testing.T) {
	fake, d := openFake(t)
	status, id, err := d.StreamCapture(stream)
	require.NoError(t, err)
	require.Equal(t, api.CaptureNone, status)
	require.Zero(t, id)
	capturing(fake, api.CaptureInvalidated, 77)
	status, id, err = d.StreamCapture(stream)
	require.NoError(t, err)
	require.Equal(t, api.CaptureInvalidated, status)
	require.EqualValues(t, 77, id)
}

func TestEndCaptureReturnsTheGraph(t *testing.T) {
	fake, d := openFake(t)
	write(fake, "cuStreamEndCapture", 1, uint64(graph))
	write(fake, "cuGraphInstantiateWithFlags", 0, uint64(launchable))
	g, err := d.StreamEndCapture(stream)
	require.NoError(t, err)
	require.Equal(t, graph, g)
	e, err := d.GraphInstantiate(g)
	require.NoError(t, err)
	require.Equal(t, launchable, e)
	require.NotContains(t, names(fake.take()), "UserObject", "there is nothing to own")
}

func TestCaptureErrorsAreTold(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuStreamEndCapture", api.CodeCaptureWrongThread)
	_, err := d.StreamEndCapture(stream)
	require.ErrorIs(t, err, api.ErrCapture)
}

// exchangesModes gives the fake a thread with a capture mode.
func exchangesModes(fake *fakeDriver, mode api.CaptureMode) *api.CaptureMode {
	fake.answers["cuThreadExchangeStreamCaptureMode"] = func(a fakeArgs) int32 {
		wanted := api.CaptureMode(at[int32](a[0]))
		poke32(a[0], uint32(mode))
		mode = wanted
		return api.Success
	}
	return &mode
}

func TestTheThreadHasItsCaptureModeBack(t *testing.T) {
	fake, d := openFake(t)
	mode := exchangesModes(fake, api.CaptureGlobal)
	failure := errors.New("by f")
	err := d.WithCaptureMode(api.CaptureRelaxed, func() error {
		require.Equal(t, api.CaptureRelaxed, *mode)
		return d.WithCaptureMode(api.CaptureThreadLocal, func() error {
			require.Equal(t, api.CaptureThreadLocal, *mode)
			return failure
		})
	})
	require.Same(t, failure, err)
	require.Equal(t, api.CaptureGlobal, *mode)
}

func TestTheCaptureModeComesBackFromAPanic(t *testing.T) {
	fake, d := openFake(t)
	mode := exchangesModes(fake, api.CaptureThreadLocal)
	require.Panics(t, func() { d.WithCaptureMode(api.CaptureRelaxed, func() error { panic("by f") }) })
	require.Equal(t, api.CaptureThreadLocal, *mode)
}

func TestWithoutTheModeNothingRuns(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuThreadExchangeStreamCaptureMode", api.CodeNotPermitted)
	err := d.WithCaptureMode(api.CaptureRelaxed, func() error { t.Error("must not run"); return nil })
	require.ErrorIs(t, err, api.ErrNotPermitted)
}

func TestAModeThatCannotBePutBackIsReported(t *testing.T) {
	fake, d := openFake(t)
	failure := errors.New("by f")
	err := d.WithCaptureMode(api.CaptureRelaxed, func() error {
		fake.answer("cuThreadExchangeStreamCaptureMode", api.CodeIllegalAddress)
		return failure
	})
	require.ErrorIs(t, err, failure)
	require.ErrorIs(t, err, api.ErrFault)
}
