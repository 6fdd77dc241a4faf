package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// TestHostFunctionsMayNotCall: in CUDA it may be an error, here it always is.
func TestHostFunctionsMayNotCall(t *testing.T) {
	for name, seed := range map[string]uint64{"free": 0, "seeded": 1} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sim.Config{Seed: seed})
			s := r.stream(api.StreamNonBlocking)
			var inside error
			require.NoError(t, r.LaunchHostFunc(s, func() { inside = r.StreamSynchronize(s) }))
			r.sync(s)
			code(t, api.CodeNotPermitted, "another goroutine", inside)
			require.ErrorIs(t, inside, api.ErrNotPermitted)
			r.alloc(1) // nothing is left of the refusal
		})
	}
}

// TestOthersMayCallMeanwhile: while a host function runs, goroutines that are
// not it go on.
func TestOthersMayCallMeanwhile(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, other := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	release := r.hold(s)
	r.sync(other)
	p, err := r.MemAllocAsync(1024, other)
	require.NoError(t, err)
	require.NoError(t, r.MemFreeAsync(p, other))
	release()
	r.sync(s)
}

func TestKernelsMayNotCall(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	var inside error
	launch := r.kernel(func(*sim.Kernel) { _, inside = r.MemAlloc(16) })
	require.NoError(t, launch(s))
	r.sync(s)
	code(t, api.CodeNotPermitted, "kernel", inside)
}
