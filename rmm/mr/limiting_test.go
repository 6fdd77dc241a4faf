package mr_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func TestLimitingRefusesMore(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	l := newLimiting(t, newCuda(t, dev), 4*mib)
	_, err := l.Allocate(4*mib+1, 512, s)
	require.ErrorIs(t, err, mr.ErrLimitExceeded)
	require.ErrorIs(t, err, driver.ErrOutOfMemory)
	var oom *mr.OutOfMemoryError
	require.ErrorAs(t, err, &oom)
	require.Equal(t, mr.OutOfMemoryError{
		Resource: "Limiting", Requested: 4*mib + 1, Alignment: 512, Device: dev, Stream: s,
		Limit: 4 * mib, Cause: mr.ErrLimitExceeded,
	}, *oom)
	require.Zero(t, l.Allocated())
	require.Equal(t, 4*mib, l.Limit())
}

func TestLimitingCountsWhatIsLive(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	l := newLimiting(t, newCuda(t, dev), 10*mib)
	p := allocate(t, l, 4*mib, s)
	require.Equal(t, 4*mib, l.Allocated())
	q := allocate(t, l, 4*mib, s)
	require.Equal(t, 8*mib, l.Allocated())
	_, err := l.Allocate(3*mib, 0, s)
	require.ErrorIs(t, err, mr.ErrLimitExceeded)
	require.Equal(t, 8*mib, l.Allocated(), "a refusal takes nothing")
	give(t, l, p, 4*mib, s)
	require.Equal(t, 4*mib, l.Allocated())
	r := allocate(t, l, 6*mib, s)
	require.Equal(t, 10*mib, l.Allocated(), "the limit itself is allowed")
	give(t, l, r, 6*mib, s)
	give(t, l, q, 4*mib, s)
	require.Zero(t, l.Allocated())
}

func TestLimitingInnerLimitHits(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	inner := newLimiting(t, newCuda(t, dev), mib)
	outer := newLimiting(t, inner, 4*mib)
	_, err := outer.Allocate(2*mib, 0, s)
	var oom *mr.OutOfMemoryError
	require.ErrorAs(t, err, &oom)
	require.Equal(t, mib, oom.Limit)
	require.Zero(t, outer.Allocated())
	require.Zero(t, inner.Allocated())
}

func TestLimitingRoundsUp(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	for _, c := range []struct{ alignment, want int }{{0, 256}, {1, 10}, {4096, 4096}} {
		l, err := mr.NewLimiting(newCuda(t, dev), mib, mr.LimitingOptions{Alignment: c.alignment})
		require.NoError(t, err)
		p := allocate(t, l, 10, s)
		require.Equal(t, c.want, l.Allocated())
		give(t, l, p, 10, s)
		require.Zero(t, l.Allocated())
	}
}

func TestLimitingAtTheEndOfTheNumbers(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	l, err := mr.NewLimiting(newCuda(t, dev), math.MaxInt, mr.LimitingOptions{Alignment: 1 << 62})
	require.NoError(t, err)
	for _, size := range []int{math.MaxInt - 256, 1<<62 + 1} {
		_, err = l.Allocate(size, 0, s)
		require.ErrorIs(t, err, driver.ErrOutOfMemory)
		require.Zero(t, l.Allocated())
	}
}

func TestLimitingGivesBackWhatTheUpstreamRefuses(t *testing.T) {
	f := &fake{dev: drivertest.Device(t)}
	s := drivertest.Stream(t, f.dev)
	l := newLimiting(t, f, mib)
	p := allocate(t, l, 1000, s)
	f.failing.Store(true)
	_, err := l.Allocate(1000, 0, s)
	require.ErrorIs(t, err, errFake)
	require.Equal(t, 1024, l.Allocated())
	require.ErrorIs(t, l.Deallocate(p, 1000, 0, s), errFake)
	require.Equal(t, 1024, l.Allocated(), "it is still allocated")
	f.failing.Store(false)
	give(t, l, p, 1000, s)
	require.Zero(t, l.Allocated())
}

// Goroutines that ask for exactly the limit together all succeed, while one that
// asks for too much is refused beside them.
func TestLimitingNeverRefusesWhatFits(t *testing.T) {
	f := &fake{dev: drivertest.Device(t)}
	s := drivertest.Stream(t, f.dev)
	const users, each = 8, 1024
	l := newLimiting(t, f, users*each)
	var all sync.WaitGroup
	for range users {
		all.Go(func() {
			for range 1_000 {
				p, err := l.Allocate(each, 0, s)
				if err == nil {
					err = l.Deallocate(p, each, 0, s)
				}
				if err != nil {
					t.Errorf("allocate what fits: %v", err)
				}
			}
		})
	}
	for range 1_000 {
		_, err := l.Allocate(users*each+1, 0, s)
		require.ErrorIs(t, err, mr.ErrLimitExceeded)
	}
	all.Wait()
	require.Zero(t, l.Allocated())
}

func TestNewLimitingRefusesBadOptions(t *testing.T) {
	r := newCuda(t, drivertest.Device(t))
	_, err := mr.NewLimiting(nil, 0, mr.LimitingOptions{})
	require.ErrorIs(t, err, mr.ErrNilResource)
	_, err = mr.NewLimiting(r, -1, mr.LimitingOptions{})
	require.ErrorIs(t, err, mr.ErrInvalidSize)
	for _, alignment := range []int{-256, 3, 255, math.MinInt} {
		_, err = mr.NewLimiting(r, 1, mr.LimitingOptions{Alignment: alignment})
		require.ErrorIs(t, err, mr.ErrInvalidAlignment)
	}
}
