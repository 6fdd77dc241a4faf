package simtest_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
	"github.com/rmm-go/rmm-go/driver/sim/simtest"
)

// double allocates two buffers and copies between them. A leaky one forgets the
// first when it cannot have the second; a silent one hides what went wrong.
type double struct{ leaky, silent, unordered bool }

func (d double) run(m *sim.Machine) (err error) {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim, Machine: m})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, drv.Close())
		if d.silent && err != nil {
			err = errors.New("something went wrong")
		}
	}()
	dev, err := drv.Device(0)
	if err != nil {
		return err
	}
	return d.copies(dev)
}

func (d double) copies(dev *driver.Device) (err error) {
	s, err := dev.NewStream(driver.StreamOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p, err := s.MemAllocAsync(1024)
	if err != nil {
		return err
	}
	q, err := s.MemAllocAsync(1024)
	if err != nil && d.leaky {
		return err
	}
	defer func() { err = errors.Join(err, s.MemFreeAsync(p)) }()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.MemFreeAsync(q)) }()
	if err := s.MemsetD8Async(p, 1, 1024); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	if d.unordered {
		_ = dev.MemsetD8(p, 2, 1024)
	}
	return errors.Join(s.MemcpyDtoDAsync(q, p, 1024), s.Synchronize())
}

// sweepOf runs on one goroutine: an unordered scenario is a race of Go's too.
func sweepOf(d double) simtest.Sweep {
	return simtest.Sweep{Config: sim.Config{Check: true, Seed: 1}, Run: d.run}
}

func TestSweepPassesATidyScenario(t *testing.T) {
	var calls []string
	s := sweepOf(double{})
	s.Holds = func(t testing.TB, o simtest.Outcome) {
		require.Equal(t, len(calls)+1, o.N)
		calls = append(calls, o.Call)
		if o.Err != nil {
			require.ErrorIs(t, o.Err, driver.ErrOutOfMemory)
		}
	}
	s.Test(t)
	require.Subset(t, calls, []string{"cuStreamCreateWithPriority", "cuMemAllocAsync", "cuMemsetD8Async", "cuMemcpyDtoDAsync_v2", "cuMemFreeAsync", "cuStreamDestroy_v2"})
	require.Greater(t, len(calls), 8)
}

// TestSweepFindsAPlantedLeak: only the second allocation's failure shows it.
func TestSweepFindsAPlantedLeak(t *testing.T) {
	w := watch(t, sweepOf(double{leaky: true}).Test)
	require.Len(t, w.errors, 1)
	require.Contains(t, w.errors[0], "(cuMemAllocAsync) failing the scenario leaves something behind")
	require.Contains(t, w.errors[0], "Allocations:1")
}

func TestSweepFindsAnErrorThatNamesNoCall(t *testing.T) {
	w := watch(t, sweepOf(double{silent: true}).Test)
	require.Contains(t, w.text(), "the scenario's error does not name the call: something went wrong")
}

func TestSweepFindsHazards(t *testing.T) {
	w := watch(t, sweepOf(double{unordered: true}).Test)
	require.Contains(t, w.text(), "without any fault: unordered writes")
}

func TestSweepNeedsAScenarioThatWorks(t *testing.T) {
	s := simtest.Sweep{Run: func(*sim.Machine) error { return errors.New("no") }}
	require.Contains(t, watch(t, s.Test).text(), "fails without any fault: no")
	s = simtest.Sweep{Config: sim.Config{Devices: -1}}
	require.Contains(t, watch(t, s.Test).text(), "Config.Devices")
	s = simtest.Sweep{Run: func(m *sim.Machine) error {
		d, err := m.Device(0)
		if err == nil {
			_, err = d.MemAlloc(1)
		}
		return err
	}}
	require.Contains(t, watch(t, s.Test).text(), "leaves something behind without any fault")
}

// TestSweepTakesTheCode: the failing calls have the code that was asked for.
func TestSweepTakesTheCode(t *testing.T) {
	s := sweepOf(double{})
	s.Code = 999
	n := 0
	s.Holds = func(t testing.TB, o simtest.Outcome) {
		var e *driver.Error
		if errors.As(o.Err, &e) {
			require.Equal(t, 999, e.Code)
			n++
		}
	}
	s.Test(t)
	require.Positive(t, n)
}
