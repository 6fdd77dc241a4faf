//go:build linux && !rmm_nocuda

package loader

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestObserveSeesEveryDecision(t *testing.T) {
	clearEnvironment(t)
	var mu sync.Mutex
	var seen []Decision
	stop := Observe(func(d Decision) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, d)
	})
	_, err := Open(specMath, "/nowhere/libm.so.6")
	require.Error(t, err)
	_, err = Open(specMath, "libm.so.6")
	require.NoError(t, err)
	stop()
	_, err = Open(specMath, "libm.so.6")
	require.NoError(t, err)

	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []Decision{
		{Library: "libm", Candidate: Candidate{Path: "/nowhere/libm.so.6", Source: SourceGiven, Err: errNoSuchFile}},
		{Library: "libm", Candidate: Candidate{Path: "libm.so.6", Source: SourceGiven}},
	}, seen)
}

func TestObserveIsSafeForConcurrentUse(t *testing.T) {
	clearEnvironment(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				stop := Observe(func(Decision) {})
				_, err := Open(specMath, "libm.so.6")
				stop()
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
