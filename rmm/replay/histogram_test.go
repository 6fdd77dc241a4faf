package replay

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBucketsAreDenseAndNarrow(t *testing.T) {
	for ns := range int64(1 << 12) {
		require.Contains(t, []int{0, 1}, bucketOf(ns+1)-bucketOf(ns), "after %d ns", ns)
	}
	require.Equal(t, histogramBuckets-1, bucketOf(math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(0, math.MaxInt64).Draw(t, "ns") >> rapid.IntRange(0, 62).Draw(t, "shift")
		off := math.Abs(float64(middle(bucketOf(ns)) - ns))
		require.LessOrEqual(t, off, float64(ns)/256)
		if ns < 256 {
			require.Zero(t, off)
		}
	})
}

func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(-10, 1<<40), 1, 200).Draw(t, "times")
		cut := rapid.IntRange(0, len(times)).Draw(t, "cut")
		var all, rest histogram
		sum := 0.0
		for i, ns := range times {
			if i < cut {
				all.add(ns)
			} else {
				rest.add(ns)
			}
			times[i] = max(ns, 0)
			sum += float64(ns)
		}
		all.merge(&rest)
		slices.Sort(times)
		require.InDelta(t, max(sum, 0)/float64(len(times)), all.mean(), 1e-6)
		require.Equal(t, times[len(times)-1], all.max)
		for _, q := range []float64{0.5, 0.99, 1} {
			exact := times[int(math.Ceil(q*float64(len(times))))-1]
			require.InDelta(t, exact, all.quantile(q), float64(exact)/256, "quantile %v", q)
		}
	})
}

func TestEmptyHistogram(t *testing.T) {
	var h histogram
	require.Zero(t, h.mean())
	require.Zero(t, h.quantile(0.5))
}

func TestClock(t *testing.T) {
	begin := now()
	require.GreaterOrEqual(t, clockCost(), int64(0))
	require.Greater(t, now(), begin)
}
