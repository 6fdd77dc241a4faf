package drivertest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// race lets two streams write the same memory, without an order. It runs on one
// goroutine, because Go's race detector would have its say too.
func race(t testing.TB) {
	dev, err := drivertest.OpenSim(t, sim.Config{Seed: 1}).DefaultDevice()
	require.NoError(t, err)
	a, b := drivertest.Stream(t, dev), drivertest.Stream(t, dev)
	p, err := dev.MemAlloc(64)
	require.NoError(t, err)
	require.NoError(t, a.MemsetD8Async(p, 1, 64))
	require.NoError(t, b.MemsetD8Async(p, 2, 64))
	require.NoError(t, dev.MemFree(p))
}

func TestARaceFailsTheTest(t *testing.T) {
	drivertest.NeedSim(t)
	w := watch(t, race)
	require.Len(t, w.errors, 1)
	require.Contains(t, w.errors[0], "unordered writes")
	require.Contains(t, w.errors[0], "unchecked_test.go", "the report shows where")
}

func TestUnchecked(t *testing.T) {
	drivertest.NeedSim(t)
	w := watch(t, func(t testing.TB) {
		drivertest.Unchecked(t)
		race(t)
	})
	require.Empty(t, w.errors)
}

// TestAHazardThatTheCallReportsIsTheTestsAffair: it has seen the error.
func TestAHazardThatTheCallReportsIsTheTestsAffair(t *testing.T) {
	drivertest.NeedSim(t)
	w := watch(t, func(t testing.TB) {
		require.ErrorIs(t, drivertest.Device(t).MemFree(4096), driver.ErrInvalidValue)
	})
	require.Empty(t, w.errors)
}
