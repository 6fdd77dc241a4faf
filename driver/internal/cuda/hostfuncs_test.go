//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// cFunction is a function and its argument as C was given them.
type cFunction struct{ address, data uintptr }

// run calls the function as the driver would.
func (c cFunction) run(t *testing.T) {
	t.Helper()
	f := loader.Acquire()
	defer f.Release()
	entry := loader.NewProc("host function", c.address)
	_, err := f.Call(&entry, c.data)
	require.NoError(t, err)
}

// seeFunction keeps what a function of the fake was last given as a C function.
func seeFunction(fake *fakeDriver, name string, address, data int, code int32) *cFunction {
	seen := new(cFunction)
	fake.answers[name] = func(a fakeArgs) int32 {
		*seen = cFunction{a[address], a[data]}
		return code
	}
	return seen
}

func launched(fake *fakeDriver) *cFunction {
	return seeFunction(fake, "cuLaunchHostFunc", 1, 2, api.Success)
}

func TestHostFuncsRunOnce(t *testing.T) {
	fake, d := openFake(t)
	h, runs := launched(fake), 0
	require.NoError(t, d.LaunchHostFunc(stream, func() { runs++ }))
	h.run(t)
	h.run(t)
	require.Equal(t, 1, runs)
}

func TestHostFuncsAreForgottenWhenRefused(t *testing.T) {
	for _, status := range []api.CaptureStatus{api.CaptureNone, api.CaptureActive, api.CaptureInvalidated} {
		fake, d := openFake(t)
		capturing(fake, status, 5)
		h := seeFunction(fake, "cuLaunchHostFunc", 1, 2, api.CodeInvalidHandle)
		err := d.LaunchHostFunc(stream, func() { t.Error("must not run") })
		require.ErrorIs(t, err, api.ErrInvalidHandle)
		h.run(t)
	}
}

// capturedHostFunc records a counting function in capture 5 and ends it.
func capturedHostFunc(t *testing.T, fake *fakeDriver, d *device) (h *cFunction, runs *int, end error) {
	t.Helper()
	capturing(fake, api.CaptureActive, 5)
	write(fake, "cuStreamEndCapture", 1, uint64(graph))
	h, runs = launched(fake), new(int)
	require.NoError(t, d.LaunchHostFunc(stream, func() { *runs++ }))
	_, end = d.StreamEndCapture(stream)
	return h, runs, end
}

func TestCapturedHostFuncsRunOncePerLaunchUntilTheGraphIsGone(t *testing.T) {
	fake, d := openFake(t)
	destroyed := seeFunction(fake, "cuUserObjectCreate", 2, 1, api.Success)
	h, runs, err := capturedHostFunc(t, fake, d)
	require.NoError(t, err)
	for range 3 {
		h.run(t)
	}
	require.Equal(t, 3, *runs)

	destroyed.run(t)
	h.run(t)
	require.Equal(t, 3, *runs)
}

func TestTheGraphOwnsItsHostFuncs(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cuUserObjectCreate"] = func(a fakeArgs) int32 { return poke(a[0], 0x0b1) }
	_, _, err := capturedHostFunc(t, fake, d)
	require.NoError(t, err)
	calls := map[string][]uintptr{}
	for _, c := range fake.take() {
		calls[c.name] = c.args[:]
	}
	require.Equal(t, []uintptr{1, 1}, calls["cuUserObjectCreate"][3:5], "one reference, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC")
	require.Equal(t, []uintptr{uintptr(graph), 0x0b1, 1, 1}, calls["cuGraphRetainUserObject"][:4], "CU_GRAPH_USER_OBJECT_MOVE")
	require.Empty(t, d.b.captures.byID)
}

func TestHostFuncsOfDifferentCapturesAreApart(t *testing.T) {
	fake, d := openFake(t)
	other, otherRuns := launched(fake), 0
	capturing(fake, api.CaptureActive, 6)
	require.NoError(t, d.LaunchHostFunc(stream, func() { otherRuns++ }))

	destroyed := seeFunction(fake, "cuUserObjectCreate", 2, 1, api.Success)
	_, _, err := capturedHostFunc(t, fake, d)
	require.NoError(t, err)
	destroyed.run(t)
	other.run(t)
	require.Equal(t, 1, otherRuns)
}

func TestHostFuncsOfAFailedCaptureAreForgotten(t *testing.T) {
	fake, d := openFake(t)
	capturing(fake, api.CaptureActive, 5)
	h := launched(fake)
	require.NoError(t, d.LaunchHostFunc(stream, func() { t.Error("must not run") }))
	fake.answers["cuStreamEndCapture"] = func(fakeArgs) int32 {
		capturing(fake, api.CaptureNone, 0)
		return api.CodeCaptureInvalidated
	}
	_, err := d.StreamEndCapture(stream)
	require.ErrorIs(t, err, api.ErrCapture)
	require.Empty(t, d.b.captures.byID)
	h.run(t)
}

func TestHostFuncsStayWhileTheCaptureGoesOn(t *testing.T) {
	fake, d := openFake(t)
	capturing(fake, api.CaptureActive, 5)
	require.NoError(t, d.LaunchHostFunc(stream, func() {}))
	fake.answer("cuStreamEndCapture", api.CodeCaptureUnmatched)
	_, err := d.StreamEndCapture(stream)
	require.ErrorIs(t, err, api.ErrCapture)
	require.Len(t, d.b.captures.byID, 1)
}

func TestAGraphThatCannotOwnIsDestroyed(t *testing.T) {
	for _, name := range []string{"cuUserObjectCreate", "cuGraphRetainUserObject"} {
		fake, d := openFake(t)
		destroyed := seeFunction(fake, "cuUserObjectCreate", 2, 1, api.Success)
		fake.answers["cuUserObjectRelease"] = func(fakeArgs) int32 { destroyed.run(t); return api.Success }
		fake.answer(name, api.CodeOutOfMemory)
		h, runs, err := capturedHostFunc(t, fake, d)
		require.ErrorIs(t, err, api.ErrOutOfMemory)
		require.Equal(t, uintptr(graph), fake.takeCall(t, "cuGraphDestroy").args[0])
		h.run(t)
		require.Zero(t, *runs, name)
	}
}
