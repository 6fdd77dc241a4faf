package driver_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// BenchmarkWait compares a wait that holds a thread with one that holds none.
// Beside the time of a whole wait it reports how long after the end of the work
// the waiter was told (late-ns, the median; the launch, a few microseconds, is
// in it) and the processor time, user and system, that launch and wait took of
// the whole process (cpu-ns).
func BenchmarkWait(b *testing.B) {
	ways := []struct {
		name string
		wait func(*driver.Event) error
	}{
		{"Synchronize", (*driver.Event).Synchronize},
		{"Wait", func(e *driver.Event) error { return e.Wait(context.Background()) }},
	}
	for _, way := range ways {
		for _, work := range []struct {
			name string
			long time.Duration
		}{
			{"100us", 100 * time.Microsecond}, {"1ms", time.Millisecond}, {"4ms", 4 * time.Millisecond}, {"20ms", 20 * time.Millisecond},
		} {
			b.Run(way.name+"/"+work.name, func(b *testing.B) { benchmarkWait(b, work.long, way.wait) })
		}
	}
}

func benchmarkWait(b *testing.B, long time.Duration, wait func(*driver.Event) error) {
	dev := drivertest.Device(b)
	s := drivertest.Stream(b, dev)
	begin := drivertest.EventWith(b, dev, driver.EventOptions{Timing: true})
	end := drivertest.EventWith(b, dev, driver.EventOptions{Timing: true})
	busy := busyWork(b, s, long)
	var late []time.Duration
	cpu := processorTime()
	for b.Loop() {
		from := time.Now()
		must(begin.Record(s), busy(), end.Record(s), wait(end))
		took := time.Since(from)
		worked, err := end.Elapsed(begin)
		must(err)
		late = append(late, took-worked)
	}
	b.ReportMetric(float64(processorTime()-cpu)/float64(b.N), "cpu-ns/op")
	slices.Sort(late)
	b.ReportMetric(float64(late[len(late)/2]), "late-ns")
}

// busyWork returns a function that keeps s busy for so long: with a spinning
// kernel on a GPU, with a host function on the simulator.
func busyWork(b *testing.B, s *driver.Stream, long time.Duration) func() error {
	if s.Device().Driver().Backend() == driver.Sim {
		return func() error { return s.LaunchHostFunc(func() { time.Sleep(long) }) }
	}
	spin := drivertest.Kernel(b, s.Device(), drivertest.KernelSpin)
	run := func(ticks uint64) error { return s.Launch(spin, driver.LaunchConfig{}, ticks) }
	const sample = 20_000_000
	require.NoError(b, run(sample)) // the clock speeds up at the beginning
	ticks := uint64(float64(sample) * float64(long) / float64(elapsed(b, s, func() error { return run(sample) })))
	return func() error { return run(ticks) }
}

// elapsed is how long the stream takes for f.
func elapsed(t testing.TB, s *driver.Stream, f func() error) time.Duration {
	t.Helper()
	begin := drivertest.EventWith(t, s.Device(), driver.EventOptions{Timing: true})
	end := drivertest.EventWith(t, s.Device(), driver.EventOptions{Timing: true})
	require.NoError(t, begin.Record(s))
	require.NoError(t, f())
	require.NoError(t, end.Record(s))
	require.NoError(t, end.Synchronize())
	took, err := end.Elapsed(begin)
	require.NoError(t, err)
	return took
}
