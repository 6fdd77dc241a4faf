package replay

import (
	"slices"
	"time"
)

// epoch has a monotonic reading, which makes time.Since the cheapest clock that
// Go offers.
var epoch = time.Now()

// now is a monotonic time in nanoseconds.
func now() int64 { return int64(time.Since(epoch)) }

// clockCost is the median distance of two readings with nothing in between.
func clockCost() int64 {
	var distances [1001]int64
	for i := range distances {
		begin := now()
		distances[i] = now() - begin
	}
	slices.Sort(distances[:])
	return distances[len(distances)/2]
}
