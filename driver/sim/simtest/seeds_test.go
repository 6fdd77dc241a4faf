package simtest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
	"github.com/rmm-go/rmm-go/driver/sim/simtest"
)

// pair is two streams and a byte of memory.
type pair struct {
	t    testing.TB
	dev  *driver.Device
	a, b *driver.Stream
	p    driver.Ptr
}

func newPair(t testing.TB, m *sim.Machine) *pair {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim, Machine: m})
	require.NoError(t, err)
	x := &pair{t: t}
	x.dev, err = drv.Device(0)
	require.NoError(t, err)
	x.a, err = x.dev.NewStream(driver.StreamOptions{})
	require.NoError(t, err)
	x.b, err = x.dev.NewStream(driver.StreamOptions{})
	require.NoError(t, err)
	x.p, err = x.dev.MemAlloc(1)
	require.NoError(t, err)
	return x
}

// read is the byte once everything is done.
func (x *pair) read() byte {
	require.NoError(x.t, x.dev.Synchronize())
	var b [1]byte
	require.NoError(x.t, x.dev.MemcpyDtoH(b[:], x.p))
	return b[0]
}

// TestSeedsFindWhatOneOrderHides: whichever write comes last, some seeds show
// the other.
func TestSeedsFindWhatOneOrderHides(t *testing.T) {
	runs := 0
	w := watch(t, func(t testing.TB) {
		simtest.Seeds(t, sim.Config{}, 100, func(t testing.TB, m *sim.Machine) {
			runs++
			x := newPair(t, m)
			require.NoError(t, x.a.MemsetD8Async(x.p, 1, 1))
			require.NoError(t, x.b.MemsetD8Async(x.p, 2, 1))
			require.EqualValues(t, 2, x.read())
		})
	})
	require.Len(t, w.errors, 1)
	require.Regexp(t, `seed \d+ fails`, w.errors[0])
	require.Contains(t, w.errors[0], "expected: int(2)")
	require.Contains(t, w.errors[0], "cuMemsetD8Async, writes")
	require.Less(t, runs, 100)

	var seed uint64
	_, err := fmt.Sscanf(w.errors[0], "simtest: seed %d fails", &seed)
	require.NoError(t, err)
	again := watch(t, func(t testing.TB) {
		simtest.Seeds(t, sim.Config{Seed: seed}, 1, func(t testing.TB, m *sim.Machine) {
			x := newPair(t, m)
			require.NoError(t, x.a.MemsetD8Async(x.p, 1, 1))
			require.NoError(t, x.b.MemsetD8Async(x.p, 2, 1))
			require.EqualValues(t, 2, x.read())
		})
	})
	require.Len(t, again.errors, 1, "the seed repeats it")
}

func TestSeedsReportHazardsWithTheStepsThatMatter(t *testing.T) {
	w := watch(t, func(t testing.TB) {
		simtest.Seeds(t, sim.Config{Check: true}, 3, func(t testing.TB, m *sim.Machine) {
			x := newPair(t, m)
			other, err := x.dev.MemAlloc(64)
			require.NoError(t, err)
			require.NoError(t, x.a.MemsetD8Async(other, 1, 64))
			require.NoError(t, x.a.MemsetD8Async(x.p, 1, 1))
			require.NoError(t, x.b.MemsetD8Async(x.p, 2, 1))
			x.read()
		})
	})
	require.Len(t, w.errors, 1)
	require.Contains(t, w.errors[0], "seed 1 fails")
	require.Contains(t, w.errors[0], "unordered writes")
	_, trace, _ := strings.Cut(w.errors[0], "trace:")
	require.NotContains(t, trace, "64 bytes")
	require.Equal(t, 2, strings.Count(trace, "cuMemsetD8Async, writes"))
}

func TestSeedsPassWhatIsOrdered(t *testing.T) {
	seeds := map[string]bool{}
	simtest.Seeds(t, sim.Config{Check: true}, 30, func(t testing.TB, m *sim.Machine) {
		x := newPair(t, m)
		e, err := x.dev.NewEvent(driver.EventOptions{})
		require.NoError(t, err)
		require.NoError(t, x.a.MemsetD8Async(x.p, 1, 1))
		require.NoError(t, e.Record(x.a))
		require.NoError(t, x.b.WaitEvent(e))
		require.NoError(t, x.b.MemsetD8Async(x.p, 2, 1))
		require.EqualValues(t, 2, x.read())
		t.Cleanup(func() { seeds[fmt.Sprint(m.Trace())] = true })
	})
	require.Greater(t, len(seeds), 3, "the runs differ")
}

// TestTrialsSpeakForThemselves: every way to fail is reported.
func TestTrialsSpeakForThemselves(t *testing.T) {
	for name, f := range map[string]func(testing.TB){
		"Error":  func(t testing.TB) { t.Error("it", "broke") },
		"Errorf": func(t testing.TB) { t.Errorf("it %s", "broke") },
		"Fatal":  func(t testing.TB) { t.Fatal("it", "broke") },
		"Fatalf": func(t testing.TB) { t.Fatalf("it %s", "broke") },
		"Log":    func(t testing.TB) { t.Log("it", "broke"); t.Fail() },
		"Logf":   func(t testing.TB) { t.Logf("it %s", "broke"); t.FailNow() },
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, func(t testing.TB) {
				simtest.Seeds(t, sim.Config{}, 2, func(t testing.TB, _ *sim.Machine) {
					t.Cleanup(func() { t.Log("failed:", t.Failed()) })
					f(t)
				})
			})
			require.Len(t, w.errors, 1)
			require.Contains(t, w.errors[0], "it broke")
			require.Contains(t, w.errors[0], "failed: true")
		})
	}
}

// TestScriptsAreShrunk: of forty operations, the two that collide are left.
func TestScriptsAreShrunk(t *testing.T) {
	type write struct{ Stream, At int }
	generate := func(r *rand.Rand) []write {
		script := make([]write, 40)
		for i := range script {
			script[i] = write{r.IntN(2), i} // everybody a byte of their own
		}
		script[7], script[31] = write{0, 50}, write{1, 50}
		return script
	}
	run := func(t testing.TB, m *sim.Machine, script []write) {
		x := newPair(t, m)
		p, err := x.dev.MemAlloc(64)
		require.NoError(t, err)
		for _, w := range script {
			require.NoError(t, []*driver.Stream{x.a, x.b}[w.Stream].MemsetD8Async(p+driver.Ptr(w.At), 1, 1))
		}
	}
	w := watch(t, func(t testing.TB) { simtest.Scripts(t, sim.Config{Check: true}, 5, generate, run) })
	require.Len(t, w.errors, 1)
	require.Contains(t, w.errors[0], "seed 1 fails, with 2 of 40 operations:\n\t{0 50}\n\t{1 50}\n")
	require.Contains(t, w.errors[0], "unordered writes")
	simtest.Scripts(t, sim.Config{}, 5, generate, run)
}

// TestShrinkKeepsWhatItNeeds: the result fails, and no part of it can go.
func TestShrinkKeepsWhatItNeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		script := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 60).Draw(t, "script")
		needed := rapid.SliceOfNDistinct(rapid.IntRange(0, 9), 0, 3, rapid.ID).Draw(t, "needed")
		fails := func(s []int) bool {
			return !slices.ContainsFunc(needed, func(n int) bool { return !slices.Contains(s, n) })
		}
		if !fails(script) {
			t.Skip("the script does not fail")
		}
		short := simtest.Shrink(script, fails)
		require.True(t, fails(short))
		require.Len(t, short, len(needed))
	})
}
