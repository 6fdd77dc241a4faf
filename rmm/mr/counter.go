package mr

import "sync/atomic"

// counter follows an amount that goes up and down, and its highest value.
//
// added and taken only grow (except for untake), so that an increase costs one
// atomic addition. Invariant: when no call runs, peak is at least the highest
// value that any quiet moment had.
type counter struct {
	added, taken, peak atomic.Int64
}

func (c *counter) value() int64 { return c.added.Load() - c.taken.Load() }

func (c *counter) add(n int) {
	c.raise(c.added.Add(int64(n)) - c.taken.Load())
}

// raise lifts the peak to at least value.
func (c *counter) raise(value int64) {
	for high := c.peak.Load(); value > high; high = c.peak.Load() {
		if c.peak.CompareAndSwap(high, value) {
			return
		}
	}
}

func (c *counter) take(n int) { c.taken.Add(int64(n)) }

// untake undoes take: the memory was not released after all.
func (c *counter) untake(n int) { c.taken.Add(int64(-n)) }

// since is where counting begins: amounts before it do not count. outerPeak is
// the peak of the counters underneath, to be restored.
type since struct{ value, total, outerPeak int64 }

// count is what happened since s.
func (c *counter) count(s since) Counter {
	total := c.added.Load()
	return Counter{
		Value: int(c.value() - s.value),
		Peak:  int(c.peak.Load() - s.value),
		Total: int(total - s.total),
	}
}

// mark begins a new peak at the present value.
func (c *counter) mark() since {
	s := since{value: c.value(), total: c.added.Load()}
	s.outerPeak = c.peak.Swap(s.value)
	return s
}

// unmark goes back to the peak before s, or the one since if that is higher.
func (c *counter) unmark(s since) { c.raise(s.outerPeak) }
