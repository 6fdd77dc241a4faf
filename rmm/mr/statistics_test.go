package mr_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// statisticsOn puts a Statistics in front of a Cuda.
func statisticsOn(t *testing.T) (*mr.Statistics, *driver.Stream) {
	t.Helper()
	dev := drivertest.Device(t)
	return newStatistics(t, newCuda(t, dev)), drivertest.Stream(t, dev)
}

func several(t *testing.T, r mr.Resource, n, size int, s *driver.Stream) []driver.Ptr {
	t.Helper()
	ptrs := make([]driver.Ptr, n)
	for i := range ptrs {
		ptrs[i] = allocate(t, r, size, s)
	}
	return ptrs
}

func giveAll(t *testing.T, r mr.Resource, ptrs []driver.Ptr, size int, s *driver.Stream) {
	t.Helper()
	for _, p := range ptrs {
		give(t, r, p, size, s)
	}
}

func TestStatisticsBeginAtZero(t *testing.T) {
	a, _ := statisticsOn(t)
	require.Equal(t, mr.Counters{}, a.Counters())
}

func TestStatisticsAllGivenBack(t *testing.T) {
	a, s := statisticsOn(t)
	giveAll(t, a, several(t, a, 10, 10*mib, s), 10*mib, s)
	require.Equal(t, mr.Counters{
		Bytes:       mr.Counter{Value: 0, Peak: 100 * mib, Total: 100 * mib},
		Allocations: mr.Counter{Value: 0, Peak: 10, Total: 10},
	}, a.Counters())
}

func TestStatisticsPeakAndTotal(t *testing.T) {
	a, s := statisticsOn(t)
	first := several(t, a, 10, 10*mib, s)
	for i := 0; i < 10; i += 2 {
		give(t, a, first[i], 10*mib, s)
	}
	require.Equal(t, mr.Counters{
		Bytes:       mr.Counter{Value: 50 * mib, Peak: 100 * mib, Total: 100 * mib},
		Allocations: mr.Counter{Value: 5, Peak: 10, Total: 10},
	}, a.Counters())
	second := several(t, a, 10, 10*mib, s)
	require.Equal(t, mr.Counters{
		Bytes:       mr.Counter{Value: 150 * mib, Peak: 150 * mib, Total: 200 * mib},
		Allocations: mr.Counter{Value: 15, Peak: 15, Total: 20},
	}, a.Counters())
	for i := 1; i < 10; i += 2 {
		give(t, a, first[i], 10*mib, s)
	}
	giveAll(t, a, second, 10*mib, s)
}

func TestStatisticsNested(t *testing.T) {
	inner, s := statisticsOn(t)
	outer := newStatistics(t, inner)
	few := several(t, inner, 10, 10*mib, s)
	more := several(t, outer, 5, 10*mib, s)
	require.Equal(t, 15, inner.Counters().Allocations.Value)
	require.Equal(t, 150*mib, inner.Counters().Bytes.Value)
	require.Equal(t, 5, outer.Counters().Allocations.Value)
	require.Equal(t, 50*mib, outer.Counters().Bytes.Value)
	giveAll(t, inner, more, 10*mib, s)
	require.Equal(t, 50*mib, outer.Counters().Bytes.Value, "what goes around the adaptor is not seen")
	giveAll(t, inner, few, 10*mib, s)
}

func TestStatisticsGivenBackElsewhereIsNegative(t *testing.T) {
	inner, s := statisticsOn(t)
	outer := newStatistics(t, inner)
	giveAll(t, inner, several(t, outer, 10, 10*mib, s), 10*mib, s)
	require.Equal(t, mr.Counter{Value: 100 * mib, Peak: 100 * mib, Total: 100 * mib}, outer.Counters().Bytes)
	before := inner.PushCounters()
	require.Zero(t, before.Bytes.Value)
	ptrs := several(t, inner, 1, mib, s)
	inner.PushCounters()
	giveAll(t, inner, ptrs, mib, s)
	require.Equal(t, mr.Counter{Value: -mib}, inner.Counters().Bytes)
}

func TestStatisticsCountersStack(t *testing.T) {
	a, s := statisticsOn(t)
	_, err := a.PopCounters()
	require.ErrorIs(t, err, mr.ErrNotPushed)
	require.Equal(t, mr.Counters{}, a.PushCounters())

	p := several(t, a, 2, 10*mib, s)
	before := a.PushCounters()
	require.Equal(t, mr.Counter{Value: 20 * mib, Peak: 20 * mib, Total: 20 * mib}, before.Bytes)
	require.Equal(t, mr.Counters{}, a.Counters())
	q := several(t, a, 1, 5*mib, s)
	giveAll(t, a, q, 5*mib, s)
	give(t, a, p[0], 10*mib, s)

	inner, err := a.PopCounters()
	require.NoError(t, err)
	require.Equal(t, mr.Counter{Value: -10 * mib, Peak: 5 * mib, Total: 5 * mib}, inner.Bytes)
	require.Equal(t, mr.Counter{Value: -1, Peak: 1, Total: 1}, inner.Allocations)
	require.Equal(t, mr.Counter{Value: 10 * mib, Peak: 25 * mib, Total: 25 * mib}, a.Counters().Bytes)

	outer, err := a.PopCounters()
	require.NoError(t, err)
	require.Equal(t, a.Counters(), outer, "all that ever happened was since the first push")
	_, err = a.PopCounters()
	require.ErrorIs(t, err, mr.ErrNotPushed)
	give(t, a, p[1], 10*mib, s)
}

func TestStatisticsCountsSizeZero(t *testing.T) {
	a, s := statisticsOn(t)
	require.Zero(t, allocate(t, a, 0, s))
	require.Equal(t, mr.Counter{Value: 1, Peak: 1, Total: 1}, a.Counters().Allocations)
	give(t, a, 0, 0, s)
	require.Zero(t, a.Counters().Allocations.Value)
}

func TestStatisticsDoesNotCountFailures(t *testing.T) {
	a, s := statisticsOn(t)
	p := allocate(t, a, 1000, s)
	before := a.Counters()
	_, err := a.Allocate(1<<50, 0, s)
	require.ErrorIs(t, err, driver.ErrOutOfMemory)
	_, err = a.Allocate(-1, 0, s)
	require.ErrorIs(t, err, mr.ErrInvalidSize)
	require.ErrorIs(t, a.Deallocate(p, 999, 0, s), mr.ErrSizeMismatch)
	require.ErrorIs(t, a.Deallocate(p+256, 1000, 0, s), mr.ErrForeignPointer)
	require.Equal(t, before, a.Counters())
	give(t, a, p, 1000, s)
}

// handOff is an upstream that, while it frees, lets another goroutine have the
// memory: the release must have been counted before.
type handOff struct {
	*fake
	during func()
}

func (h *handOff) Deallocate(p driver.Ptr, size, align int, s *driver.Stream) error {
	if err := h.fake.Deallocate(p, size, align, s); err != nil {
		return err
	}
	h.during()
	return nil
}

func TestStatisticsPeakCountsNoAddressTwice(t *testing.T) {
	f := &fake{dev: drivertest.Device(t)}
	s := drivertest.Stream(t, f.dev)
	h := &handOff{fake: f, during: func() {}}
	a := newStatistics(t, h)
	p := allocate(t, a, mib, s)
	h.during = func() { allocate(t, a, mib, s) }
	give(t, a, p, mib, s)
	require.Equal(t, mr.Counter{Value: mib, Peak: mib, Total: 2 * mib}, a.Counters().Bytes)
}

func TestStatisticsFromManyGoroutines(t *testing.T) {
	f := &fake{dev: drivertest.Device(t)}
	s := drivertest.Stream(t, f.dev)
	a := newStatistics(t, f)
	const users, rounds = 8, 2_000
	var all sync.WaitGroup
	for range users {
		all.Go(func() {
			for i := range rounds {
				p, _ := a.Allocate(i, 0, s)
				_ = a.Deallocate(p, i, 0, s)
				if i%100 == 0 {
					a.PushCounters()
					_, _ = a.PopCounters()
				}
			}
		})
	}
	all.Wait()
	c := a.Counters()
	require.Zero(t, c.Bytes.Value)
	require.Zero(t, c.Allocations.Value)
	require.Equal(t, users*rounds, c.Allocations.Total)
	require.Equal(t, users*rounds*(rounds-1)/2, c.Bytes.Total)
	require.LessOrEqual(t, c.Allocations.Peak, users)
	require.Positive(t, c.Allocations.Peak)
}

func TestNewStatisticsNeedsAnUpstream(t *testing.T) {
	for _, upstream := range []mr.Resource{nil, (*mr.Cuda)(nil), (*mr.Statistics)(nil)} {
		a, err := mr.NewStatistics(upstream)
		require.ErrorIs(t, err, mr.ErrNilResource)
		require.Nil(t, a)
	}
}
