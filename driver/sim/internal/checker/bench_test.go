package checker_test

import (
	"testing"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// BenchmarkOperation is the price of an operation while 64 streams, ordered by
// events and now and then by the host, use 10^4 allocations.
func BenchmarkOperation(b *testing.B) {
	const streams, ranges, step = 64, 10_000, 512
	w := newWorld(b)
	var all []*checker.Thread
	for range streams {
		all = append(all, w.stream())
	}
	for i := range ranges {
		w.Allocated(nil, "alloc", p+api.Ptr(i*step), step, checker.Plain)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		s, next := all[i%streams], all[(i+1)%streams]
		w.write(s, p+api.Ptr(i*7%ranges*step), step)
		w.order(s, next)
		if i%100 == 0 {
			w.sync(next)
		}
	}
	if h := w.Hazards(); len(h) > 0 {
		b.Fatalf("the program is correct, but: %v", h[0])
	}
}
