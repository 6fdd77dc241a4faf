package sim_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// busy is a program of a few goroutines that share a lock, streams and memory.
func busy(t testing.TB, seed uint64) []sim.Step {
	m, err := sim.New(sim.Config{Seed: seed})
	require.NoError(t, err)
	d, err := m.Device(0)
	require.NoError(t, err)
	var mu sync.Mutex
	shared, err := d.StreamCreate(api.StreamNonBlocking, 0)
	require.NoError(t, err)
	for i := range uint64(4) {
		m.Go(func() { busyMember(d, shared, rand.New(rand.NewPCG(i, 7)), &mu) })
	}
	m.Wait()
	_ = d.StreamDestroy(shared)
	require.NoError(t, m.Close())
	require.Zero(t, m.Outstanding()[0].Allocations)
	return m.Trace()
}

func busyMember(d api.Device, shared api.Stream, r *rand.Rand, mu *sync.Mutex) {
	own, _ := d.StreamCreate(api.StreamBlocking, 0)
	e, _ := d.EventCreate(api.EventDisableTiming)
	for range 12 {
		s := []api.Stream{own, shared, api.StreamLegacy}[r.IntN(3)]
		p, _ := d.MemAllocAsync(256+r.IntN(4096), s)
		_ = d.MemsetAsync(p, 1, 1, 256, s)
		locked := r.IntN(4) == 0
		if locked {
			mu.Lock() // held across calls: others are held up by it
		}
		_ = d.EventRecord(e, s)
		_ = d.StreamWaitEvent(own, e)
		if locked {
			mu.Unlock()
		}
		_ = d.MemFreeAsync(p, own)
		if r.IntN(3) == 0 {
			_ = d.StreamSynchronize(own)
		}
	}
	_ = d.StreamSynchronize(own)
	_ = d.EventDestroy(e)
	_ = d.StreamDestroy(own)
}

func text(steps []sim.Step) []string {
	lines := make([]string, len(steps))
	for i, s := range steps {
		lines[i] = s.String()
	}
	return lines
}

// TestTheSameSeedGivesTheSameExecution a hundred times, on one processor and on
// many.
func TestTheSameSeedGivesTheSameExecution(t *testing.T) {
	want := text(busy(t, 42))
	require.Greater(t, len(want), 300)
	for _, processors := range []int{1, 8} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			for range 50 {
				require.Equal(t, want, text(busy(t, 42)))
			}
		})
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(20) {
		seen[fmt.Sprint(text(busy(t, seed+1)))] = true
	}
	require.Len(t, seen, 20)
}

// TestSeedsExploreWhatNothingOrders: a missing wait shows in some executions and
// not in others.
func TestSeedsExploreWhatNothingOrders(t *testing.T) {
	results := map[byte]int{}
	for seed := range uint64(50) {
		r := newRig(t, sim.Config{Seed: seed + 1})
		a, b, p := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking), r.alloc(1)
		require.NoError(t, r.MemsetAsync(p, 1, 1, 1, a))
		require.NoError(t, r.MemsetAsync(p, 2, 1, 1, b))
		require.NoError(t, r.Synchronize())
		results[r.read(p, 1, a)[0]]++
	}
	require.Len(t, results, 2)
	require.Greater(t, results[1], 5)
	require.Greater(t, results[2], 5)
}

func TestSeededWorkIsInOrder(t *testing.T) {
	for seed := range uint64(50) {
		r := newRig(t, sim.Config{Seed: seed + 1, Check: true})
		a, b, p, e := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking), r.alloc(1), r.event(0)
		for i := range byte(10) {
			require.NoError(t, r.MemsetAsync(p, uint32(i), 1, 1, a))
			require.NoError(t, r.EventRecord(e, a))
			require.NoError(t, r.StreamWaitEvent(b, e))
			require.Equal(t, []byte{i}, r.read(p, 1, b))
		}
		require.Empty(t, r.machine.Hazards())
	}
}

// TestAStallEndsWhenNothingElseIsLeft: in a seeded machine nobody else could end
// it.
func TestAStallEndsWhenNothingElseIsLeft(t *testing.T) {
	r := newRig(t, sim.Config{Seed: 3})
	slow, other, p := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking), r.alloc(2)
	_, err := r.machine.Stall(0, uintptr(slow))
	require.NoError(t, err)
	require.NoError(t, r.MemsetAsync(p, 1, 1, 1, slow))
	require.NoError(t, r.MemsetAsync(p+1, 2, 1, 1, other))
	r.sync(other)
	require.False(t, r.idle(slow))
	r.sync(slow)
	require.True(t, r.idle(slow))
}

func TestVirtualTime(t *testing.T) {
	latency := func(call string, bytes int) time.Duration {
		if call == "cuLaunchHostFunc" {
			return time.Hour
		}
		return time.Duration(bytes) * time.Millisecond
	}
	r := newRig(t, sim.Config{Seed: 5, Latency: latency})
	a, b, p := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking), r.alloc(64)
	begin, end, far := r.event(0), r.event(0), r.event(0)
	require.NoError(t, r.EventRecord(begin, a))
	require.NoError(t, r.MemsetAsync(p, 0, 1, 10, a))
	require.NoError(t, r.MemsetAsync(p+32, 0, 1, 5, b)) // at the same time
	require.NoError(t, r.MemsetAsync(p, 0, 1, 20, a))
	require.NoError(t, r.EventRecord(end, a))
	require.NoError(t, r.StreamWaitEvent(b, end))
	require.NoError(t, r.LaunchHostFunc(b, func() {}))
	require.NoError(t, r.EventRecord(far, b))
	r.sync(b)
	ms := func(to api.Event) float32 {
		elapsed, err := r.EventElapsed(begin, to)
		require.NoError(t, err)
		return elapsed
	}
	require.EqualValues(t, 30, ms(end))
	require.EqualValues(t, 30+3_600_000, ms(far))

	require.NoError(t, r.EventRecord(end, a)) // the host has seen b's work: time has passed on a too
	require.NoError(t, r.EventSynchronize(end))
	require.EqualValues(t, 30+3_600_000, ms(end))
}

func TestVirtualTimeOfDefaultAndBlockingStreams(t *testing.T) {
	r := newRig(t, sim.Config{Seed: 6, Latency: func(string, int) time.Duration { return time.Second }})
	a, apart, p := r.stream(api.StreamBlocking), r.stream(api.StreamNonBlocking), r.alloc(3)
	begin, end, elsewhere := r.event(0), r.event(0), r.event(0)
	require.NoError(t, r.EventRecord(begin, a))
	require.NoError(t, r.MemsetAsync(p, 0, 1, 1, a))
	require.NoError(t, r.MemsetAsync(p+1, 0, 1, 1, api.StreamLegacy))
	require.NoError(t, r.MemsetAsync(p, 0, 1, 1, a))
	require.NoError(t, r.EventRecord(end, a))
	require.NoError(t, r.MemsetAsync(p+2, 0, 1, 1, apart))
	require.NoError(t, r.EventRecord(elsewhere, apart))
	require.NoError(t, r.Synchronize())
	elapsed, err := r.EventElapsed(begin, end)
	require.NoError(t, err)
	require.EqualValues(t, 3000, elapsed)
	elapsed, err = r.EventElapsed(begin, elsewhere)
	require.NoError(t, err)
	require.EqualValues(t, 1000, elapsed)
}

// TestLatencyWithoutASeed is real time: an operation lasts at least that long.
func TestLatencyWithoutASeed(t *testing.T) {
	r := newRig(t, sim.Config{Latency: func(string, int) time.Duration { return 20 * time.Millisecond }})
	s, p := r.stream(api.StreamNonBlocking), r.alloc(1)
	begin, end := r.event(0), r.event(0)
	require.NoError(t, r.EventRecord(begin, s))
	require.NoError(t, r.MemsetAsync(p, 0, 1, 1, s))
	require.NoError(t, r.EventRecord(end, s))
	r.sync(s)
	elapsed, err := r.EventElapsed(begin, end)
	require.NoError(t, err)
	require.GreaterOrEqual(t, elapsed, float32(20))
}

// TestGoWithoutASeed is an ordinary goroutine.
func TestGoWithoutASeed(t *testing.T) {
	r := newRig(t, sim.Config{})
	met := make(chan int)
	var got int
	r.machine.Go(func() { met <- 7 })
	r.machine.Go(func() { got = <-met })
	r.machine.Wait()
	require.Equal(t, 7, got)
	require.Nil(t, r.machine.Trace())
}

// TestGoroutinesThatMeet: they may hold each other up by Go's own means.
func TestGoroutinesThatMeet(t *testing.T) {
	for seed := range uint64(20) {
		r := newRig(t, sim.Config{Seed: seed + 1})
		met, got := make(chan int), 0
		call := func() { _, _, _ = r.MemInfo() }
		r.machine.Go(func() { call(); met <- 7; call() })
		r.machine.Go(func() { call(); got = <-met; call() })
		r.machine.Wait()
		require.Equal(t, 7, got)
	}
}

func TestGoFromAGoroutine(t *testing.T) {
	r := newRig(t, sim.Config{Seed: 9})
	calls := 0
	r.machine.Go(func() {
		r.machine.Go(func() { _, _, _ = r.MemInfo(); calls++ })
		_, _, _ = r.MemInfo()
		calls++
	})
	r.machine.Wait()
	r.machine.Wait()
	require.Equal(t, 2, calls)
}

// TestAGoroutineThatEndsItself does not stop the others.
func TestAGoroutineThatEndsItself(t *testing.T) {
	r := newRig(t, sim.Config{Seed: 11})
	ended := 0
	for i := range 3 {
		r.machine.Go(func() {
			_, _, _ = r.MemInfo()
			ended++
			if i == 1 {
				runtime.Goexit()
			}
			_, _, _ = r.MemInfo()
		})
	}
	r.machine.Wait()
	require.Equal(t, 3, ended)
}

func TestSteps(t *testing.T) {
	r := newRig(t, sim.Config{Seed: 1, Devices: 2})
	d := r.on(1)
	s, p := d.stream(0), d.alloc(16)
	require.NoError(t, d.MemsetAsync(p, 1, 1, 16, s))
	require.NoError(t, d.MemsetAsync(p, 1, 1, 8, api.StreamLegacy))
	require.NoError(t, d.Synchronize())
	lines := text(r.machine.Trace())
	require.Contains(t, lines, "host: cuMemsetD8Async")
	require.Contains(t, lines, fmt.Sprintf("stream 0x10000000000 of device 1: cuMemsetD8Async, writes %v (16 bytes)", p))
	require.Contains(t, lines, fmt.Sprintf("default stream of device 1: cuMemsetD8Async, writes %v (8 bytes)", p))
}
