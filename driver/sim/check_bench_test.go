package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// BenchmarkChecker is the price of the checker per call: the same calls with 64
// streams and 10^4 allocations, without it and with it.
func BenchmarkChecker(b *testing.B) {
	b.Run("off", func(b *testing.B) { crossStreamWork(b, false) })
	b.Run("on", func(b *testing.B) { crossStreamWork(b, true) })
}

func crossStreamWork(b *testing.B, check bool) {
	const streams, allocations, size = 64, 10_000, 256
	r := newRig(b, sim.Config{Check: check})
	var all [streams]api.Stream
	for i := range all {
		all[i] = r.stream(api.StreamNonBlocking)
	}
	e := r.event(api.EventDisableTiming)
	var memory [allocations]api.Ptr
	for i := range memory {
		memory[i] = r.alloc(size)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() { // a write, an event, a wait: three calls
		i++
		_ = r.MemsetAsync(memory[i*7%allocations], 1, 1, size, all[i%streams])
		_ = r.EventRecord(e, all[i%streams])
		_ = r.StreamWaitEvent(all[(i+1)%streams], e)
		if i%1000 == 0 {
			_ = r.StreamSynchronize(all[(i+1)%streams])
		}
	}
	require.NoError(b, r.Synchronize())
	require.Empty(b, r.machine.Hazards())
}
