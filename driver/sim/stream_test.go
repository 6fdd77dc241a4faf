package sim_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func TestStreamRunsInOrder(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	var order []int
	for i := range 100 {
		require.NoError(t, r.LaunchHostFunc(s, func() { order = append(order, i) }))
	}
	r.sync(s)
	require.Len(t, order, 100)
	require.True(t, slices.IsSorted(order))
	require.True(t, r.idle(s))
}

func TestHeldBackWorkIsNotVisibleUntilSynchronised(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	p := r.alloc(kib)
	release := r.hold(s)
	require.NoError(t, r.MemsetAsync(p, 7, 1, kib, s))
	require.False(t, r.idle(s))
	require.Equal(t, repeated(0xA5, kib), r.read(p, kib, other), "never written yet")
	release()
	r.sync(s)
	require.Equal(t, repeated(7, kib), r.read(p, kib, other))
}

func TestStreamsOverlap(t *testing.T) {
	r := newRig(t, sim.Config{})
	a, b := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	ping, pong := make(chan struct{}), make(chan struct{})
	// Each waits for the other: this ends only if both run at the same time.
	require.NoError(t, r.LaunchHostFunc(a, func() { ping <- struct{}{}; <-pong }))
	require.NoError(t, r.LaunchHostFunc(b, func() { <-ping; pong <- struct{}{} }))
	r.sync(a)
	r.sync(b)
}

// TestLegacyStreamRules: who waits for whom, by the kinds of the stream with
// pending work and of the stream that gets more.
func TestLegacyStreamRules(t *testing.T) {
	const blocking, nonBlocking, legacy, perThread = "blocking", "non-blocking", "legacy", "per-thread"
	for _, c := range []struct {
		busy, next string
		waits      bool
	}{
		{legacy, blocking, true},
		{legacy, perThread, true},
		{legacy, nonBlocking, false},
		{blocking, legacy, true},
		{perThread, legacy, true},
		{nonBlocking, legacy, false},
		{blocking, blocking, false},
		{blocking, perThread, false},
		{nonBlocking, blocking, false},
	} {
		t.Run(fmt.Sprintf("%s then %s", c.busy, c.next), func(t *testing.T) {
			r := newRig(t, sim.Config{})
			pick := func(kind string) api.Stream {
				switch kind {
				case legacy:
					return api.StreamDefault
				case perThread:
					return api.StreamPerThread
				case blocking:
					return r.stream(api.StreamBlocking)
				}
				return r.stream(api.StreamNonBlocking)
			}
			first, second := pick(c.busy), pick(c.next)
			release := r.hold(first)
			ran := make(chan struct{})
			require.NoError(t, r.LaunchHostFunc(second, func() { close(ran) }))
			if !c.waits {
				<-ran // although the first is still held
				return
			}
			select {
			case <-ran:
				t.Fatal("ran before what it must wait for")
			default:
			}
			require.False(t, r.idle(second))
			release()
			<-ran
		})
	}
}

func TestBlockingStreamsWaitForTheLegacyStreamBetweenThem(t *testing.T) {
	r := newRig(t, sim.Config{})
	a, b := r.stream(api.StreamBlocking), r.stream(api.StreamBlocking)
	var order []string
	step := func(name string) func() { return func() { order = append(order, name) } }
	release := r.hold(a)
	require.NoError(t, r.LaunchHostFunc(a, step("a")))
	require.NoError(t, r.LaunchHostFunc(api.StreamLegacy, step("legacy")))
	require.NoError(t, r.LaunchHostFunc(b, step("b")))
	release()
	r.sync(b)
	require.Equal(t, []string{"a", "legacy", "b"}, order)
}

func TestSynchronisingTheLegacyStreamCoversBlockingStreams(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamBlocking)
	ran := false
	release := r.hold(s)
	require.NoError(t, r.LaunchHostFunc(s, func() { ran = true }))
	require.False(t, r.idle(api.StreamLegacy))
	release()
	r.sync(api.StreamLegacy)
	require.True(t, ran)
}

func TestDestroyedStreamFinishesItsWork(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, err := r.StreamCreate(api.StreamBlocking, 0)
	require.NoError(t, err)
	release := r.hold(s)
	ran := false
	require.NoError(t, r.LaunchHostFunc(s, func() { ran = true }))
	require.NoError(t, r.StreamDestroy(s))
	code(t, api.CodeInvalidHandle, "not a stream", r.StreamSynchronize(s))
	require.False(t, r.idle(api.StreamLegacy), "the legacy stream still waits for it")
	release()
	require.NoError(t, r.Synchronize())
	require.True(t, ran)
}

func TestStreamHandlesAreReusedAndIDsAreNot(t *testing.T) {
	r := newRig(t, sim.Config{})
	seen := map[uint64]bool{}
	var handle api.Stream
	for range 10 {
		s, err := r.StreamCreate(api.StreamNonBlocking, 0)
		require.NoError(t, err)
		id, err := r.StreamID(s)
		require.NoError(t, err)
		require.False(t, seen[id], "ID reused")
		seen[id] = true
		require.True(t, handle == 0 || handle == s, "the newest free handle comes back first")
		handle = s
		require.NoError(t, r.StreamDestroy(s))
	}
	zero, err := r.StreamID(0)
	require.NoError(t, err)
	one, err := r.StreamID(1)
	require.NoError(t, err)
	require.Equal(t, zero, one)
}

func TestBadStreams(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	s := r.stream(0)
	code(t, api.CodeInvalidHandle, "not a stream", r.StreamSynchronize(12345))
	code(t, api.CodeInvalidHandle, "not a stream", r.StreamSynchronize(s+1))
	code(t, api.CodeInvalidHandle, "belongs to device 0", r.on(1).StreamSynchronize(s))
	code(t, api.CodeInvalidHandle, "cannot be destroyed", r.StreamDestroy(api.StreamLegacy))
	code(t, api.CodeInvalidValue, "nil", r.LaunchHostFunc(s, nil))
	_, err := r.StreamCreate(8, 0)
	code(t, api.CodeInvalidValue, "non-blocking", err)
	e := r.event(0)
	code(t, api.CodeInvalidHandle, "not a stream", r.EventRecord(e, api.Stream(e)))
}

func TestStreamPriorities(t *testing.T) {
	least, greatest, err := newRig(t, sim.Config{}).StreamPriorities()
	require.NoError(t, err)
	require.Equal(t, []int{0, -5}, []int{least, greatest})
	least, greatest, err = newRig(t, sim.Config{Attributes: map[sim.Attribute]int{api.AttrStreamPrioritiesSupported: 0}}).StreamPriorities()
	require.NoError(t, err)
	require.Equal(t, []int{0, 0}, []int{least, greatest})
}

func TestHostFunctionThatEndsItsGoroutineDoesNotBlockTheStream(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(0)
	require.NoError(t, r.LaunchHostFunc(s, runtime.Goexit))
	r.sync(s)
}

func TestDeviceSynchroniseCoversAllStreamsAndNoOtherDevice(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	other := r.on(1)
	busy := other.stream(0)
	other.hold(busy)
	var mu sync.Mutex
	n := 0
	for range 8 {
		require.NoError(t, r.LaunchHostFunc(r.stream(api.StreamNonBlocking), func() { mu.Lock(); n++; mu.Unlock() }))
	}
	require.NoError(t, r.Synchronize())
	require.Equal(t, 8, n)
	require.False(t, other.idle(busy))
}
