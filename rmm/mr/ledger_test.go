package mr

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rmm-go/rmm-go/driver"
)

func TestLedgerAnswersAsAMapWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l ledger
		model := map[driver.Ptr]block{}
		// Few addresses, far apart or close together, so that they meet in a shard.
		stride := rapid.SampledFrom([]int{1, 256, 2 << 20, 1 << 30}).Draw(t, "stride")
		address := rapid.Map(rapid.IntRange(1, 400), func(i int) driver.Ptr { return driver.Ptr(i * stride) })
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				p, b := address.Draw(t, "p"), newBlock(rapid.IntRange(1, 9).Draw(t, "size"), 0, 256)
				l.put(p, b)
				model[p] = b
			},
			"take": func(t *rapid.T) {
				p, size := address.Draw(t, "p"), rapid.IntRange(1, 9).Draw(t, "size")
				want, exists := model[p]
				got, known, taken := l.take(p, size, 256)
				require.Equal(t, exists, known)
				require.Equal(t, want, got)
				require.Equal(t, exists && want.size == size, taken)
				if taken {
					delete(model, p)
				}
			},
			"": func(t *rapid.T) {
				bytes := 0
				for _, b := range model {
					bytes += b.size
				}
				gotCount, gotBytes := l.total()
				require.Equal(t, len(model), gotCount)
				require.Equal(t, bytes, gotBytes)
			},
		})
	})
}

func TestLedgerKeepsAllOfMany(t *testing.T) {
	var l ledger
	const n = 100_000
	for i := 1; i <= n; i++ {
		l.put(driver.Ptr(i<<8), newBlock(i, i%7, 1<<(i%12)))
	}
	count, bytes := l.total()
	require.Equal(t, n, count)
	require.Equal(t, n*(n+1)/2, bytes)
	for _, i := range rand.Perm(n) {
		i++
		b, _, taken := l.take(driver.Ptr(i<<8), i, 1<<(i%12))
		require.True(t, taken)
		require.Equal(t, i%7, b.shift)
	}
	count, bytes = l.total()
	require.Zero(t, count)
	require.Zero(t, bytes)
}

func TestLedgerReplacesAnAddressThatCameBack(t *testing.T) {
	var l ledger
	l.put(256, newBlock(10, 0, 256))
	l.put(256, newBlock(20, 0, 512))
	count, bytes := l.total()
	require.Equal(t, 1, count)
	require.Equal(t, 20, bytes)
	_, known, taken := l.take(256, 10, 256)
	require.True(t, known)
	require.False(t, taken)
	_, _, taken = l.take(256, 20, 512)
	require.True(t, taken)
}

func TestLedgerFromManyGoroutines(t *testing.T) {
	var l ledger
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 2_000 {
				p := driver.Ptr(1 + g + 8*(i%50))
				l.put(p, newBlock(i, 0, 256))
				if _, _, taken := l.take(p, i, 256); !taken {
					t.Errorf("goroutine %d lost address %v", g, p)
				}
			}
		})
	}
	all.Wait()
	count, bytes := l.total()
	require.Zero(t, count)
	require.Zero(t, bytes)
}

func TestLedgerShardsShareNoCacheLine(t *testing.T) {
	require.Zero(t, unsafe.Sizeof(shard{})%64)
}

func TestLedgerNeedsNoHeapInSteadyState(t *testing.T) {
	var l ledger
	require.Zero(t, testing.AllocsPerRun(1_000, func() {
		l.put(1<<20, newBlock(1, 0, 256))
		l.take(1<<20, 1, 256)
	}))
}

func BenchmarkLedgerPair(b *testing.B) {
	for _, live := range []int{0, 1_000, 1_000_000} {
		b.Run(fmt.Sprintf("live=%d", live), func(b *testing.B) {
			b.ReportAllocs()
			var l ledger
			for i := range live {
				l.put(driver.Ptr((i+1)<<9), newBlock(1, 0, 256))
			}
			i := 0
			for b.Loop() {
				i++
				p := driver.Ptr((i&1023)<<9 + 1<<40)
				l.put(p, newBlock(512, 0, 256))
				l.take(p, 512, 256)
			}
		})
	}
}

func BenchmarkLedgerPairParallel(b *testing.B) {
	b.ReportAllocs()
	var l ledger
	b.RunParallel(func(pb *testing.PB) {
		base := driver.Ptr(rand.Uint32()) << 16
		for i := 0; pb.Next(); i++ {
			p := base + driver.Ptr(i&1023)<<9
			l.put(p, newBlock(512, 0, 256))
			l.take(p, 512, 256)
		}
	})
}
