package sim_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		config sim.Config
		text   string
	}{
		{sim.Config{Devices: -1}, "Config.Devices is -1"},
		{sim.Config{MemoryPerDevice: 1000}, "at least 2097152 bytes"},
		{sim.Config{MemoryPerDevice: -1}, "at least 2097152 bytes"},
		{sim.Config{UsedByOthers: -1}, "Config.UsedByOthers is -1"},
		{sim.Config{UsedByOthers: 1 << 40}, "between 0 and"},
		{sim.Config{Devices: 17}, "too many"},
		{sim.Config{MemoryPerDevice: 1 << 62}, "too many"},
	} {
		_, err := sim.New(c.config)
		require.ErrorContains(t, err, c.text)
	}
	for _, config := range []sim.Config{{Devices: 16}, {MemoryPerDevice: 1 << 42}, {MemoryPerDevice: 2 * mib, Devices: 64}} {
		newRig(t, config)
	}
}

func TestIdentity(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2, Attributes: map[sim.Attribute]int{api.AttrComputeCapabilityMajor: 7, 1000: 5}})
	require.Equal(t, "sim", r.machine.Name())
	require.Equal(t, 13000, r.machine.DriverVersion())
	require.Empty(t, r.machine.Libraries())
	require.Equal(t, 2, r.machine.DeviceCount())
	require.Same(t, r.device(1), r.device(1))
	require.NotEqual(t, r.Info().UUID, r.on(1).Info().UUID)
	for a, want := range map[api.Attribute]int{api.AttrComputeCapabilityMajor: 7, 1000: 5, api.AttrMultiprocessorCount: 132, api.AttrPCIBusID: 1} {
		got, err := r.Attribute(a)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := r.Attribute(1001)
	code(t, api.CodeInvalidValue, "Config.Attributes", err)
	_, err = r.machine.Device(2)
	code(t, api.CodeInvalidDevice, "there are 2", err)
}

func TestCloseWaitsAndEndsEverything(t *testing.T) {
	m, err := sim.New(sim.Config{})
	require.NoError(t, err)
	d, err := m.Device(0)
	require.NoError(t, err)
	ran := false
	require.NoError(t, d.LaunchHostFunc(0, func() { ran = true }))
	p, err := d.MemHostAlloc(100, 0)
	require.NoError(t, err)
	_, err = d.StreamCreate(0, 0)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	require.True(t, ran)
	require.Equal(t, []sim.Outstanding{{Allocations: 1, Bytes: 100, Streams: 1}}, m.Outstanding())
	_, err = m.Device(0)
	code(t, api.CodeDeinitialized, "sim.New", err)
	for _, err := range []error{
		d.MemHostFree(p), d.Synchronize(), d.StreamSynchronize(0), d.EventDestroy(1), d.MemFreeAsync(p, 0),
		d.MemcpyHtoD(p, make([]byte, 8)), d.MemcpyDtoH(make([]byte, 8), p), d.MemcpyDtoD(p, p, 8), d.MemcpyPeerAsync(p, 0, p, 0, 8, 0),
		d.MemcpyDtoDAsync(p, p, 8, 0), d.Memset(p, 0, 1, 1), d.PrefetchAsync(p, 1, 0, 0), d.MemFree(p), d.PoolTrim(0, 0),
	} {
		code(t, api.CodeDeinitialized, "closed", err)
	}
}

func TestOutstanding(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	far := r.on(1)
	far.alloc(1000)
	far.pinned(24)
	far.event(0)
	far.hold(far.stream(0))
	require.Equal(t, []sim.Outstanding{
		{Device: 0},
		{Device: 1, Allocations: 2, Bytes: 1024, Streams: 1, Events: 1, Operations: 1},
	}, r.machine.Outstanding())
}

// TestHotCallsDoNotAllocate: what an allocator calls on an idle stream costs
// the collector nothing.
func TestHotCallsDoNotAllocate(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, e := r.stream(1), r.event(0)
	for name, f := range map[string]func() error{
		"record": func() error { return r.EventRecord(e, s) },
		"wait":   func() error { return r.StreamWaitEvent(s, e) },
		"query":  func() error { _, err := r.EventQuery(e); return err },
		"sync":   func() error { return r.StreamSynchronize(s) },
		"async": func() error {
			p, err := r.MemAllocAsync(1000, s)
			if err != nil {
				return err
			}
			return r.MemFreeAsync(p, s)
		},
	} {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if err := f(); err != nil {
				panic(err)
			}
		}), name)
	}
}

// TestManyGoroutines: 64 streams, each written and read by its own goroutine,
// over memory that all of them share through the pool and free across streams.
func TestManyGoroutines(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2, MemoryPerDevice: 128 * mib})
	var wg sync.WaitGroup
	for i := range 64 {
		d := r.on(i % 2)
		s, e := d.stream(api.StreamFlags(i%3%2)), d.event(api.EventDisableTiming)
		wg.Go(func() {
			if err := churn(d, s, e, byte(i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// churn allocates, fills, copies back, checks and frees; every other free is on
// the legacy stream.
func churn(d *rig, s api.Stream, e api.Event, seed byte) error {
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	for round := range 60 {
		n := 1 + random.IntN(100*kib)
		p, err := d.MemAllocAsync(n, s)
		if err != nil {
			return err
		}
		value := seed + byte(round)
		got := make([]byte, n)
		err = first(
			func() error { return d.MemsetAsync(p, uint32(value), 1, n, s) },
			func() error { return d.EventRecord(e, s) },
			func() error { return d.StreamWaitEvent(api.StreamLegacy, e) },
			func() error { return d.MemcpyDtoHAsync(got, p, s) },
			func() error { return check(got, value) },
			func() error { return d.MemFreeAsync(p, []api.Stream{s, api.StreamLegacy}[round%2]) },
		)
		if err != nil {
			return err
		}
	}
	return d.StreamSynchronize(s)
}

func first(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func check(got []byte, want byte) error {
	for i, b := range got {
		if b != want {
			return fmt.Errorf("byte %d is %#x, not %#x", i, b, want)
		}
	}
	return nil
}
