package drivertest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// watched is a test under test: it takes down what the helpers say, and runs
// clean-ups when asked.
type watched struct {
	testing.TB
	cleanups []func()
	errors   []string
	fatal    bool
	skipped  string
}

// stop ends a watched test, as FailNow and SkipNow do.
type stop struct{}

func (w *watched) Helper()          {}
func (w *watched) Cleanup(f func()) { w.cleanups = append(w.cleanups, f) }
func (w *watched) Failed() bool     { return len(w.errors) > 0 }
func (w *watched) Errorf(format string, args ...any) {
	w.errors = append(w.errors, fmt.Sprintf(format, args...))
}
func (w *watched) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	w.fatal = true
	panic(stop{})
}
func (w *watched) Skipf(format string, args ...any) { w.Skip(fmt.Sprintf(format, args...)) }
func (w *watched) Skip(args ...any)                 { w.skipped = fmt.Sprint(args...); panic(stop{}) }

// watch runs f as a test of its own, clean-ups included.
func watch(t *testing.T, f func(t testing.TB)) *watched {
	w := &watched{TB: t}
	ended := func() {
		if r := recover(); r != nil && r != any(stop{}) {
			panic(r)
		}
	}
	func() { defer ended(); f(w) }()
	for i := len(w.cleanups) - 1; i >= 0; i-- {
		func() { defer ended(); w.cleanups[i]() }()
	}
	return w
}

func TestATidyTestPasses(t *testing.T) {
	w := watch(t, func(t testing.TB) {
		dev := drivertest.Device(t)
		s, e := drivertest.Stream(t, dev), drivertest.Event(t, dev)
		p, err := s.MemAllocAsync(1024)
		require.NoError(t, err)
		require.NoError(t, e.Record(s))
		require.NoError(t, s.MemFreeAsync(p))
	})
	require.Empty(t, w.errors)
}

// TestWhatIsLeftFailsTheTest leaves one thing of each kind behind.
func TestWhatIsLeftFailsTheTest(t *testing.T) {
	drivertest.NeedSim(t) // what is left on a GPU stays
	for name, leave := range map[string]func(dev *driver.Device) error{
		"stream": func(dev *driver.Device) error {
			_, err := dev.NewStream(driver.StreamOptions{})
			return err
		},
		"event": func(dev *driver.Device) error {
			_, err := dev.NewEvent(driver.EventOptions{})
			return err
		},
		"pool": func(dev *driver.Device) error {
			_, err := dev.NewPool(driver.PoolOptions{})
			return err
		},
		"device memory": func(dev *driver.Device) error {
			_, err := dev.MemAlloc(1024)
			return err
		},
		"stream-ordered memory": func(dev *driver.Device) error {
			_, err := dev.DefaultStream().MemAllocAsync(1024)
			return err
		},
		"pinned memory": func(dev *driver.Device) error {
			_, err := dev.MemHostAlloc(1024)
			return err
		},
		"managed memory": func(dev *driver.Device) error {
			_, err := dev.MemAllocManaged(1024)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, func(inner testing.TB) { require.NoError(t, leave(drivertest.Device(inner))) })
			require.NotEmpty(t, w.errors)
			require.Contains(t, w.errors[0], "leaves")
		})
	}
}

func TestAFailedTestIsNotBlamedTwice(t *testing.T) {
	drivertest.NeedSim(t)
	w := watch(t, func(inner testing.TB) {
		_, err := drivertest.Device(inner).NewStream(driver.StreamOptions{})
		require.NoError(t, err)
		inner.Fatalf("the test's own failure")
	})
	require.Equal(t, []string{"the test's own failure"}, w.errors)
}

func TestTheTestMayCloseItself(t *testing.T) {
	w := watch(t, func(t testing.TB) {
		dev := drivertest.Device(t)
		require.NoError(t, drivertest.Stream(t, dev).Close())
		require.NoError(t, drivertest.Event(t, dev).Close())
		require.NoError(t, dev.Driver().Close())
	})
	require.Empty(t, w.errors)
}

func TestOpenFollowsTheEnvironment(t *testing.T) {
	t.Setenv("RMM_BACKEND", "")
	require.Equal(t, driver.Sim, drivertest.Open(t).Backend(), "the default")
	t.Setenv("RMM_BACKEND", "sim")
	require.Equal(t, driver.Sim, drivertest.Open(t).Backend())
	t.Setenv("RMM_BACKEND", "opencl")
	w := watch(t, func(t testing.TB) { drivertest.Open(t) })
	require.True(t, w.fatal)
	require.Contains(t, w.errors[0], "RMM_BACKEND")
}

func TestOpenSimRefusesABadMachine(t *testing.T) {
	w := watch(t, func(t testing.TB) { drivertest.OpenSim(t, sim.Config{Devices: -1}) })
	require.True(t, w.fatal)
}

func TestReasonsToSkip(t *testing.T) {
	t.Setenv("RMM_BACKEND", "cuda")
	require.Equal(t, "simulator only: RMM_BACKEND is cuda", watch(t, drivertest.NeedSim).skipped)
	require.Empty(t, watch(t, drivertest.NeedGPU).skipped)

	t.Setenv("RMM_BACKEND", "sim")
	require.Empty(t, watch(t, drivertest.NeedSim).skipped)
	require.Regexp(t, `^needs a GPU: `, watch(t, drivertest.NeedGPU).skipped)

	t.Setenv("RMM_LONG_TESTS", "")
	require.Regexp(t, `^long: `, watch(t, drivertest.Long).skipped)
	t.Setenv("RMM_LONG_TESTS", "1")
	require.Empty(t, watch(t, drivertest.Long).skipped)
}

func TestNeedDevices(t *testing.T) {
	t.Setenv("RMM_BACKEND", "sim")
	devices := drivertest.NeedDevices(t, 3)
	require.Len(t, devices, 3)
	require.Equal(t, 2, devices[2].Ordinal())
}

func TestNeedAttribute(t *testing.T) {
	lacking := sim.Config{Attributes: map[sim.Attribute]int{driver.AttrManagedMemory: 0}}
	dev, err := drivertest.OpenSim(t, lacking).DefaultDevice()
	require.NoError(t, err)
	w := watch(t, func(t testing.TB) { drivertest.NeedAttribute(t, dev, driver.AttrManagedMemory) })
	require.Regexp(t, `^needs a GPU: `, w.skipped)
	w = watch(t, func(t testing.TB) { drivertest.NeedAttribute(t, dev, driver.AttrMemoryPoolsSupported) })
	require.Empty(t, w.skipped)
}

func TestFillAndCheck(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p, err := s.MemAllocAsync(5000)
	require.NoError(t, err)
	drivertest.Fill(t, s, p, 5000, 7)
	drivertest.Check(t, s, p, 5000, 7)
	drivertest.Check(t, s, p, 100, 7)

	require.NoError(t, s.MemsetD8Async(p+4000, 0, 1))
	w := watch(t, func(t testing.TB) { drivertest.Check(t, s, p, 5000, 7) })
	require.True(t, w.fatal)
	require.Contains(t, w.errors[0], "byte 4000 of 5000 is 0x00")
	require.NoError(t, s.MemFreeAsync(p))
}

func TestPatternTellsSeedsApart(t *testing.T) {
	require.Equal(t, drivertest.Pattern(64, 1), drivertest.Pattern(64, 1))
	require.Equal(t, drivertest.Pattern(64, 1), drivertest.Pattern(100, 1)[:64])
	seen := map[string]uint64{}
	for seed := range uint64(1000) {
		key := string(drivertest.Pattern(8, seed))
		other, ok := seen[key]
		require.False(t, ok, "seeds %d and %d", seed, other)
		seen[key] = seed
	}
}

func TestHold(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	ran := false
	release := drivertest.Hold(t, s)
	require.NoError(t, s.LaunchHostFunc(func() { ran = true }))
	done, err := s.Query()
	require.NoError(t, err)
	require.False(t, done)
	release()
	release()
	require.NoError(t, s.Synchronize())
	require.True(t, ran)
}

func TestHoldEndsWithTheTest(t *testing.T) {
	w := watch(t, func(t testing.TB) {
		s := drivertest.Stream(t, drivertest.Device(t))
		drivertest.Hold(t, s) // a test that fails here must not hang
	})
	require.Empty(t, w.errors)
}
