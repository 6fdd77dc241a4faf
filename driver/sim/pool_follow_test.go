package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// TestReuseFollowsEvents: memory whose free is pending goes to the streams that
// wait for the free, and to no others.
func TestReuseFollowsEvents(t *testing.T) {
	type streams struct{ freer, taker, third api.Stream }
	for name, c := range map[string]struct {
		before, after func(r *rig, s streams) error // the free
		allowed       uint64
		reused        bool
	}{
		"waits for the free": {
			after:   func(r *rig, s streams) error { return r.fork(s.freer, s.taker) },
			allowed: 1, reused: true,
		},
		"waits for who waits for the free": {
			after: func(r *rig, s streams) error {
				require.NoError(r.t, r.fork(s.freer, s.third))
				return r.fork(s.third, s.taker)
			},
			allowed: 1, reused: true,
		},
		"waits for work before the free": {
			before:  func(r *rig, s streams) error { return r.fork(s.freer, s.taker) },
			allowed: 1,
		},
		"another stream waits": {
			after:   func(r *rig, s streams) error { return r.fork(s.freer, s.third) },
			allowed: 1,
		},
		"nobody waits":    {allowed: 1},
		"is switched off": {after: func(r *rig, s streams) error { return r.fork(s.freer, s.taker) }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sim.Config{})
			r.set(r.defaultPool(), api.PoolReuseFollowEventDependencies, c.allowed)
			s := streams{r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)}
			p := r.asyncAlloc(32*mib, s.freer)
			release := r.hold(s.freer)
			if c.before != nil {
				require.NoError(t, c.before(r, s))
			}
			r.asyncFree(p, s.freer)
			if c.after != nil {
				require.NoError(t, c.after(r, s))
			}
			q := r.asyncAlloc(32*mib, s.taker)
			require.Equal(t, c.reused, p == q)
			release()
			r.asyncFree(q, s.taker)
			r.sync(s.taker)
		})
	}
}

// TestReuseAlongEventsTakesWhatWasFreedInTime, of two frees that the taker waits
// for one of, and leaves the rest of it to its stream.
func TestReuseAlongEventsTakesWhatWasFreedInTime(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.set(r.defaultPool(), api.PoolReleaseThreshold, math.MaxUint64)
	s, taker := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	early, gap, late := r.asyncAlloc(8*mib, s), r.asyncAlloc(8*mib, s), r.asyncAlloc(16*mib, s)
	release := r.hold(s)
	r.asyncFree(early, s)
	require.NoError(t, r.fork(s, taker))
	r.asyncFree(late, s)
	half := r.asyncAlloc(4*mib, taker)
	require.Equal(t, early, half)
	rest := r.asyncAlloc(4*mib, s)
	require.Equal(t, early+4*mib, rest)
	far := r.asyncAlloc(4*mib, taker)
	require.NotEqual(t, late, far, "the taker does not wait for the later free")
	release()
	for _, p := range []api.Ptr{half, rest, far, gap} {
		r.asyncFree(p, taker)
	}
	r.sync(taker)
}
