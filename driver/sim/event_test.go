package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func TestEventOrdersStreams(t *testing.T) {
	r := newRig(t, sim.Config{})
	a, b := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	e := r.event(api.EventDisableTiming)
	release := r.hold(a)
	require.NoError(t, r.EventRecord(e, a))
	require.NoError(t, r.StreamWaitEvent(b, e))
	require.False(t, r.done(e))
	require.False(t, r.idle(b))
	release()
	require.NoError(t, r.EventSynchronize(e))
	require.True(t, r.done(e))
	r.sync(b)
}

func TestEventCoversOnlyWhatWasEnqueuedBefore(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(0)
	e := r.event(0)
	require.NoError(t, r.EventRecord(e, s))
	r.hold(s)
	require.NoError(t, r.EventSynchronize(e))
	require.True(t, r.done(e))
}

func TestWaitForWhatWasLastRecordedAtTheTimeOfTheCall(t *testing.T) {
	r := newRig(t, sim.Config{})
	a, b, waiter := r.stream(1), r.stream(1), r.stream(1)
	e := r.event(0)
	releaseA := r.hold(a)
	r.hold(b)
	require.NoError(t, r.EventRecord(e, a))
	require.NoError(t, r.StreamWaitEvent(waiter, e))
	require.NoError(t, r.EventRecord(e, b)) // does not change what waiter waits for
	releaseA()
	r.sync(waiter)
	require.False(t, r.done(e), "the event now marks the other stream")
}

func TestUnrecordedEventIsNotWaitedFor(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(0)
	e := r.event(0)
	require.NoError(t, r.StreamWaitEvent(s, e))
	require.True(t, r.idle(s))
	require.True(t, r.done(e))
	require.NoError(t, r.EventSynchronize(e))
}

func TestDestroyedEventStillOrders(t *testing.T) {
	r := newRig(t, sim.Config{})
	a, b := r.stream(1), r.stream(1)
	e, err := r.EventCreate(0)
	require.NoError(t, err)
	release := r.hold(a)
	require.NoError(t, r.EventRecord(e, a))
	require.NoError(t, r.StreamWaitEvent(b, e))
	require.NoError(t, r.EventDestroy(e))
	code(t, api.CodeInvalidHandle, "not an event", r.EventDestroy(e))
	require.False(t, r.idle(b))
	release()
	r.sync(b)
}

func TestEventsAcrossDevices(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	other := r.on(1)
	e := r.event(0)
	s, far := r.stream(1), other.stream(1)
	code(t, api.CodeInvalidHandle, "device 0", other.EventRecord(e, far))
	release := r.hold(s)
	require.NoError(t, r.EventRecord(e, s))
	require.NoError(t, other.StreamWaitEvent(far, e))
	require.False(t, other.idle(far))
	release()
	other.sync(far)
}

func TestElapsed(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	s := r.stream(0)
	start, end := r.event(0), r.event(api.EventBlockingSync)
	_, err := r.EventElapsed(start, end)
	code(t, api.CodeInvalidHandle, "never recorded", err)
	require.NoError(t, r.EventRecord(start, s))
	release := r.hold(s)
	require.NoError(t, r.EventRecord(end, s))
	_, err = r.EventElapsed(start, end)
	code(t, api.CodeNotReady, "synchronise", err)
	release()
	r.sync(s)
	ms, err := r.EventElapsed(start, end)
	require.NoError(t, err)
	require.Positive(t, ms)
	back, err := r.EventElapsed(end, start)
	require.NoError(t, err)
	require.Equal(t, -ms, back)
}

func TestElapsedRefusals(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	timed, untimed, foreign := r.event(0), r.event(api.EventDisableTiming), r.on(1).event(0)
	require.NoError(t, r.EventRecord(timed, 0))
	require.NoError(t, r.EventRecord(untimed, 0))
	require.NoError(t, r.on(1).EventRecord(foreign, 0))
	_, err := r.EventElapsed(timed, untimed)
	code(t, api.CodeInvalidHandle, "without timing", err)
	_, err = r.EventElapsed(timed, foreign)
	code(t, api.CodeInvalidHandle, "devices 0 and 1", err)
	_, err = r.EventElapsed(timed, 99)
	code(t, api.CodeInvalidHandle, "not an event", err)
}

func TestEventFlags(t *testing.T) {
	r := newRig(t, sim.Config{})
	_, err := r.EventCreate(8)
	code(t, api.CodeInvalidValue, "flags", err)
	_, err = r.EventCreate(api.EventInterprocess)
	code(t, api.CodeInvalidValue, "no timing", err)
	r.event(api.EventInterprocess | api.EventDisableTiming)
}

func TestEventOfTheLegacyStreamCoversBlockingStreams(t *testing.T) {
	r := newRig(t, sim.Config{})
	e := r.event(0)
	release := r.hold(r.stream(api.StreamBlocking))
	require.NoError(t, r.EventRecord(e, api.StreamLegacy))
	require.False(t, r.done(e))
	release()
	require.NoError(t, r.EventSynchronize(e))
}
