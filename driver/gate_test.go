package driver

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGateLetsInUntilShut(t *testing.T) {
	g := newGate()
	require.True(t, g.enter())
	require.True(t, g.enter(), "callers share the gate")
	g.leave()
	g.leave()
	require.False(t, g.isShut())

	require.True(t, g.shut())
	require.True(t, g.isShut())
	require.False(t, g.enter())
	require.True(t, g.isShut(), "a refused caller must leave no trace")
}

func TestGateShutsOnce(t *testing.T) {
	g := newGate()
	require.True(t, g.shut())
	require.False(t, g.shut())
}

func TestGateShutWaitsForCallersInside(t *testing.T) {
	g := newGate()
	require.True(t, g.enter())
	var left atomic.Bool
	shut := make(chan bool)
	go func() {
		g.shut()
		shut <- left.Load()
	}()
	for !g.isShut() {
		runtime.Gosched()
	}
	require.False(t, g.enter(), "a gate that is being shut lets nobody in")
	left.Store(true)
	g.leave()
	require.True(t, <-shut, "shut returned before the caller left")
}

// TestGateUnderStress shuts gates in the middle of a crowd: nobody may be inside
// afterwards, exactly one shut may win, and none may hang.
func TestGateUnderStress(t *testing.T) {
	for range 500 {
		var inside, wins atomic.Int64
		g := newGate()
		var crowd sync.WaitGroup
		for range 8 {
			crowd.Go(func() {
				for g.enter() {
					inside.Add(1)
					runtime.Gosched()
					inside.Add(-1)
					g.leave()
				}
			})
		}
		for range 2 {
			crowd.Go(func() {
				if !g.shut() {
					return
				}
				wins.Add(1)
				if n := inside.Load(); n != 0 {
					t.Errorf("%d callers are inside a shut gate", n)
				}
			})
		}
		crowd.Wait()
		require.EqualValues(t, 1, wins.Load())
	}
}

func BenchmarkGate(b *testing.B) {
	g := newGate()
	b.ReportAllocs()
	for b.Loop() {
		if g.enter() {
			g.leave()
		}
	}
}
