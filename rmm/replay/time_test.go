package replay

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// slow is a resource whose calls take a given time each. In a bubble of
// synctest, where nothing else takes any, measurements of it are exact.
type slow struct {
	*limit
	takes []time.Duration // of the calls to come
}

func (s *slow) sleep() {
	time.Sleep(s.takes[0])
	s.takes = s.takes[1:]
}

func (s *slow) Allocate(size, align int, stream *driver.Stream) (driver.Ptr, error) {
	s.sleep()
	return s.limit.Allocate(size, align, stream)
}

func (s *slow) Deallocate(p driver.Ptr, size, align int, stream *driver.Stream) error {
	s.sleep()
	return s.limit.Deallocate(p, size, align, stream)
}

// timed replays allocate, allocate, free in a bubble; the fourth call of each
// pass frees what is left and is no operation.
func timed(t *testing.T, opts Options, takes ...time.Duration) (got Result) {
	t.Helper()
	dev := drivertest.Device(t)
	synctest.Test(t, func(t *testing.T) {
		resource := &slow{&limit{dev: dev, size: 1 << 20}, takes}
		var err error
		got, err = Run(t.Context(), compile(t, allocRow(1, 0x1000, 9, 0), allocRow(1, 0x2000, 9, 1), freeRow(1, 0x1000, 1)), resource, opts)
		require.NoError(t, err)
		require.Empty(t, resource.takes)
	})
	return got
}

func TestTimesOfOnePass(t *testing.T) {
	got := timed(t, Options{}, 10, 40, 100, time.Hour)
	require.Equal(t, []float64{50, 50}, []float64{got.ColdNsPerOpMean, got.NsPerOpMean})
	require.Equal(t, []int64{40, 100, 100}, []int64{got.NsPerOpMedian, got.NsPerOpP99, got.NsPerOpMax})
}

func TestTimesOfWarmPassesAreTogetherAndWithoutTheColdOne(t *testing.T) {
	got := timed(t, Options{Repeat: 3, Mode: Parallel},
		1000, 2000, 3000, time.Hour,
		10, 20, 30, time.Hour,
		40, 50, 210, time.Hour)
	require.Equal(t, []float64{2000, 60}, []float64{got.ColdNsPerOpMean, got.NsPerOpMean})
	require.Equal(t, []int64{30, 210, 210}, []int64{got.NsPerOpMedian, got.NsPerOpP99, got.NsPerOpMax})
}

func TestProgressIsToldDuringAPass(t *testing.T) {
	var told []int
	timed(t, Options{Progress: func(done, _ int) { told = append(told, done) }},
		reportEvery+1, reportEvery, reportEvery, time.Hour)
	require.Equal(t, []int{0, 1, 2, 3}, told)
}
