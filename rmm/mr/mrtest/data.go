package mrtest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

var data = []check{
	{"LiveBlocksAreApart", liveBlocksAreApart},
	{"RandomSizes", randomSizes},
	{"RandomOrder", randomOrder},
	{"ReleaseIsOrdered", releaseIsOrdered},
	{"ReuseOnAnotherStreamIsOrdered", reuseOnAnotherStreamIsOrdered},
}

// held is a live allocation.
type held struct {
	p           driver.Ptr
	size, align int
	seed        uint64
}

// requireApart checks that no two blocks share a byte.
func requireApart(t *testing.T, blocks []held) {
	t.Helper()
	sorted := slices.Clone(blocks)
	slices.SortFunc(sorted, func(a, b held) int { return int(a.p) - int(b.p) })
	for i := 1; i < len(sorted); i++ {
		a, b := sorted[i-1], sorted[i]
		require.LessOrEqual(t, a.p+driver.Ptr(a.size), b.p, "%d bytes at %v and %d bytes at %v overlap", a.size, a.p, b.size, b.p)
	}
}

func liveBlocksAreApart(t *testing.T, r subject) {
	s := r.stream(t)
	var live []held
	for i := range 64 {
		b := held{size: 8 + i*i, seed: uint64(i)}
		b.p = r.allocate(t, b.size, 0, s)
		require.NoError(t, stamp(s, b.p, b.size, b.seed))
		live = append(live, b)
	}
	requireApart(t, live)
	for _, b := range live {
		require.NoError(t, checkStamp(s, b.p, b.size, b.seed))
		r.give(t, b.p, b.size, 0, s)
	}
}

func randomSizes(t *testing.T, r subject) {
	s := r.stream(t)
	random := rand.New(rand.NewPCG(1, 2))
	var live []held
	for range 100 {
		size := 1 + random.IntN(5<<20)
		live = append(live, held{p: r.allocate(t, size, 0, s), size: size})
	}
	requireApart(t, live)
	for _, b := range live {
		r.give(t, b.p, b.size, 0, s)
	}
}

func randomOrder(t *testing.T, r subject) {
	for _, s := range []*driver.Stream{r.stream(t), r.Device().DefaultStream()} {
		require.NoError(t, churn(r, s, rand.New(rand.NewPCG(3, 4)), 100, 5<<20))
	}
}

// churn allocates n blocks and frees them, in random order (a little more than
// half of the steps allocate, as in RMM's suite), and checks their data. It runs
// on any goroutine.
func churn(r mr.Resource, s *driver.Stream, random *rand.Rand, n, maxSize int) error {
	var live []held
	for allocated := 0; allocated < n || len(live) > 0; {
		if allocated < n && (len(live) == 0 || random.IntN(100) < 53) {
			b, err := take(r, s, random, maxSize)
			if err != nil {
				return err
			}
			live = append(live, b)
			allocated++
			continue
		}
		i := random.IntN(len(live))
		if err := release(r, s, live[i]); err != nil {
			return err
		}
		live = slices.Delete(live, i, i+1)
	}
	return nil
}

// take allocates and stamps a block of random size and alignment.
func take(r mr.Resource, s *driver.Stream, random *rand.Rand, maxSize int) (held, error) {
	b := held{size: 1 + random.IntN(maxSize), align: 1 << random.IntN(9), seed: random.Uint64()}
	var err error
	if b.p, err = r.Allocate(b.size, b.align, s); err != nil {
		return b, err
	}
	return b, stamp(s, b.p, b.size, b.seed)
}

// release checks the stamp of a block and gives it back.
func release(r mr.Resource, s *driver.Stream, b held) error {
	if err := checkStamp(s, b.p, b.size, b.seed); err != nil {
		return err
	}
	return r.Deallocate(b.p, b.size, b.align, s)
}

// releaseIsOrdered frees a block while a copy from it is still to come: whoever
// gets the memory next must not be able to change what the copy reads.
func releaseIsOrdered(t *testing.T, r subject) {
	const size = 1 << 20
	s := r.stream(t)
	kept := r.allocate(t, size, 0, s)
	for seed := range uint64(20) {
		p := r.allocate(t, size, 0, s)
		require.NoError(t, stamp(s, p, size, seed))
		require.NoError(t, s.MemcpyDtoDAsync(kept, p, size))
		r.give(t, p, size, 0, s)
		q := r.allocate(t, size, 0, s)
		require.NoError(t, stamp(s, q, size, seed+1000))
		require.NoError(t, checkStamp(s, kept, size, seed))
		r.give(t, q, size, 0, s)
	}
	r.give(t, kept, size, 0, s)
}

// patience is how long a resource may take to reuse memory before it is taken to
// be waiting, as it should, for the stream that was held up. A correct resource
// passes whatever the value.
var patience = 20 * time.Millisecond

// reuseOnAnotherStreamIsOrdered is the same with the memory taken by a stream
// that knows nothing of the one that freed it, while that one is held up.
func reuseOnAnotherStreamIsOrdered(t *testing.T, r subject) {
	const size = 1 << 20
	from, to := r.stream(t), r.stream(t)
	// Device memory, whatever the resource gives: a copy between two blocks of
	// pinned memory would not return before it is done.
	kept, err := r.Device().MemAlloc(size)
	require.NoError(t, err)
	p := r.allocate(t, size, 0, from)
	require.NoError(t, stamp(from, p, size, 1))
	require.NoError(t, checkStamp(from, p, size, 1))
	release := drivertest.Hold(t, from)
	require.NoError(t, from.MemcpyDtoDAsync(kept, p, size))

	var q driver.Ptr
	reused := make(chan error, 1)
	go func() {
		var err error
		q, err = reuse(r, p, size, from, to)
		reused <- err
	}()
	select {
	case err = <-reused:
		release()
	case <-time.After(patience):
		release()
		err = <-reused
	}
	require.NoError(t, err)
	require.NoError(t, checkStamp(from, kept, size, 1))
	r.give(t, q, size, 0, to)
	require.NoError(t, r.Device().MemFree(kept))
}

// reuse frees p on one stream, takes as much on another and overwrites it.
func reuse(r mr.Resource, p driver.Ptr, size int, from, to *driver.Stream) (driver.Ptr, error) {
	if err := r.Deallocate(p, size, 0, from); err != nil {
		return 0, err
	}
	q, err := r.Allocate(size, 0, to)
	if err != nil {
		return 0, err
	}
	return q, errors.Join(to.MemsetD8Async(q, 0xff, size), to.Synchronize())
}
