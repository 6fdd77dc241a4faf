package mrtest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

var basics = []check{
	{"EqualsItself", equalsItself},
	{"SizeZeroIsNil", sizeZeroIsNil},
	{"Sizes", sizes},
	{"Alignments", alignments},
	{"MoreThanThereIs", moreThanThereIs},
	{"DefaultStream", defaultStream},
	{"Synchronous", synchronous},
	{"PerDevice", perDevice},
}

func equalsItself(t *testing.T, r subject) {
	require.True(t, mr.Equal(r.Resource, r.Resource))
	require.False(t, mr.Equal(r.Resource, nil))
	require.False(t, mr.Equal(nil, r.Resource))
}

func sizeZeroIsNil(t *testing.T, r subject) {
	s := r.stream(t)
	for _, align := range []int{0, 1, 256} {
		p, err := r.Allocate(0, align, s)
		require.NoError(t, err)
		require.Zero(t, p)
		r.give(t, p, 0, align, s)
	}
}

func sizes(t *testing.T, r subject) {
	s := r.stream(t)
	for _, size := range []int{1, 4, 255, 256, 257, 1 << 10, 1 << 20, 1 << 30} {
		if size > r.opts.MaxSize {
			continue
		}
		p, err := r.Allocate(size, 0, s)
		if size > 1<<20 && errors.Is(err, driver.ErrOutOfMemory) {
			require.Zero(t, p)
			continue
		}
		require.NoError(t, err, "%d bytes", size)
		require.Zero(t, p%mr.DefaultAlignment, "%d bytes at %v", size, p)
		require.NoError(t, stamp(s, p, size, 1))
		require.NoError(t, checkStamp(s, p, size, 1))
		r.give(t, p, size, 0, s)
	}
}

func alignments(t *testing.T, r subject) {
	s := r.stream(t)
	const size = 1000
	limit := r.opts.MaxAlignment
	live := map[int]driver.Ptr{}
	for align := 1; align <= 1<<21; align *= 2 {
		p, err := r.Allocate(size, align, s)
		if limit > 0 && align > limit {
			require.ErrorIs(t, err, mr.ErrInvalidAlignment, "alignment %d is above the limit", align)
			continue
		}
		require.NoError(t, err, "alignment %d", align)
		require.Zero(t, p%driver.Ptr(align), "%v is not aligned to %d", p, align)
		require.NoError(t, stamp(s, p, size, uint64(align)))
		live[align] = p
	}
	for align, p := range live {
		require.NoError(t, checkStamp(s, p, size, uint64(align)))
		r.give(t, p, size, align, s)
	}
}

func moreThanThereIs(t *testing.T, r subject) {
	if r.opts.Unbounded {
		return
	}
	s := r.stream(t)
	p, err := r.Allocate(1<<50, 0, s)
	require.ErrorIs(t, err, driver.ErrOutOfMemory)
	require.NotErrorIs(t, err, driver.ErrFault)
	require.Zero(t, p)
	var oom *mr.OutOfMemoryError
	require.ErrorAs(t, err, &oom)
	require.Equal(t, 1<<50, oom.Requested)
	require.ErrorContains(t, err, "out of memory")
	r.requireWorks(t, s)
}

func defaultStream(t *testing.T, r subject) {
	r.requireWorks(t, r.Device().DefaultStream())
}

func synchronous(t *testing.T, r subject) {
	const size = 1 << 16
	p, err := mr.AllocateSync(r.Resource, size, 0)
	require.NoError(t, err)
	// Usable at once on any stream, without an event.
	require.NoError(t, stamp(r.stream(t), p, size, 1))
	require.NoError(t, mr.DeallocateSync(r.Resource, p, size, 0))
	require.NoError(t, mr.DeallocateSync(r.Resource, 0, 0, 0))
}

func perDevice(t *testing.T, r subject) {
	dev := r.Device()
	initial, err := mr.SetPerDevice(dev, r.Resource)
	require.NoError(t, err)
	require.Same(t, dev, mr.PerDevice(dev).Device())
	require.True(t, mr.Equal(r.Resource, mr.PerDevice(dev)))
	subject{mr.PerDevice(dev), r.opts}.requireWorks(t, r.stream(t))
	previous, err := mr.ResetPerDevice(dev)
	require.NoError(t, err)
	require.True(t, mr.Equal(r.Resource, previous))
	require.True(t, mr.Equal(initial, mr.PerDevice(dev)))
}
