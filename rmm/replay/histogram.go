package replay

import (
	"math"
	"math/bits"
)

// histogram counts times in buckets: one for each nanosecond below 2^8, then
// 2^7 equal ones between each two powers of two. The middle of a bucket is
// within 2^-8 of every time in it.
type histogram struct {
	counts [histogramBuckets]uint64
	count  uint64
	sum    float64 // exact up to 2^53 ns, 104 days
	max    int64
}

const (
	exactBits        = 8
	perPower         = 1 << (exactBits - 1)
	histogramBuckets = (64-exactBits)*perPower + perPower
)

// add enters a time in nanoseconds. Subtracting the clock's cost may leave less
// than nothing: that has its weight in the mean, so that a coarse clock does not
// bend it, and is 0 elsewhere.
func (h *histogram) add(ns int64) {
	h.sum += float64(ns)
	ns = max(ns, 0)
	h.counts[bucketOf(ns)]++
	h.count++
	h.max = max(h.max, ns)
}

func bucketOf(ns int64) int {
	shift := max(bits.Len64(uint64(ns))-exactBits, 0)
	return shift*perPower + int(ns>>shift)
}

// middle is the time that stands for a bucket.
func middle(bucket int) int64 {
	shift := max(bucket/perPower-1, 0)
	return int64(bucket-shift*perPower)<<shift + 1<<shift>>1
}

// merge adds what another histogram holds.
func (h *histogram) merge(other *histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.count += other.count
	h.sum += other.sum
	h.max = max(h.max, other.max)
}

// mean is 0 if nothing was entered.
func (h *histogram) mean() float64 {
	return max(h.sum, 0) / float64(max(h.count, 1))
}

// quantile is the smallest time that at least a share q of all did not exceed.
func (h *histogram) quantile(q float64) int64 {
	rank := uint64(math.Ceil(q * float64(h.count)))
	var below uint64
	for bucket, n := range h.counts {
		if below += n; n > 0 && below >= rank {
			return min(middle(bucket), h.max)
		}
	}
	return 0
}
