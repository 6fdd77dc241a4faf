package mrtest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

var mistakes = []check{
	{"BadSize", badSize},
	{"BadAlignment", badAlignment},
	{"NilStream", nilStream},
	{"StreamOfAnotherDevice", streamOfAnotherDevice},
	{"ClosedStream", closedStream},
	{"WrongDeallocate", wrongDeallocate},
}

// requireRefused checks that an allocation fails for the right reason, gives
// nothing, and does no harm.
func (r subject) requireRefused(t *testing.T, reason error, size, align int, s *driver.Stream) {
	t.Helper()
	p, err := r.Allocate(size, align, s)
	require.ErrorIs(t, err, reason)
	require.Zero(t, p)
}

func badSize(t *testing.T, r subject) {
	s := r.stream(t)
	r.requireRefused(t, mr.ErrInvalidSize, -1, 0, s)
	r.requireRefused(t, mr.ErrInvalidSize, math.MinInt, 0, s)
	r.requireRefused(t, mr.ErrSizeOverflow, math.MaxInt, 0, s)
	r.requireRefused(t, mr.ErrSizeOverflow, math.MaxInt-255, 256, s)
	require.ErrorIs(t, r.Deallocate(0, -1, 0, s), mr.ErrInvalidSize)
	require.ErrorIs(t, r.Deallocate(0, 8, 0, s), mr.ErrNilPointer)
	r.requireWorks(t, s)
}

func badAlignment(t *testing.T, r subject) {
	s := r.stream(t)
	for _, align := range []int{3, 255, 768, -1, -256, math.MinInt, math.MaxInt} {
		r.requireRefused(t, mr.ErrInvalidAlignment, 8, align, s)
		r.requireRefused(t, mr.ErrInvalidAlignment, 0, align, s)
	}
	r.requireWorks(t, s)
}

func nilStream(t *testing.T, r subject) {
	s := r.stream(t)
	r.requireRefused(t, mr.ErrNilStream, 8, 0, nil)
	p := r.allocate(t, 8, 0, s)
	require.ErrorIs(t, r.Deallocate(p, 8, 0, nil), mr.ErrNilStream)
	r.give(t, p, 8, 0, s)
}

func streamOfAnotherDevice(t *testing.T, r subject) {
	s := r.stream(t)
	// A device of another driver is another device, even on the same GPU.
	other := drivertest.Stream(t, drivertest.Device(t))
	r.requireRefused(t, driver.ErrWrongDevice, 8, 0, other)
	p := r.allocate(t, 8, 0, s)
	err := r.Deallocate(p, 8, 0, other)
	require.ErrorIs(t, err, driver.ErrWrongDevice)
	require.ErrorContains(t, err, other.String())
	require.ErrorContains(t, err, r.Device().String())
	r.give(t, p, 8, 0, s)
}

// closedStream frees on a stream that was closed with work pending. RMM leaves
// that undefined.
func closedStream(t *testing.T, r subject) {
	s, err := r.Device().NewStream(driver.StreamOptions{})
	require.NoError(t, err)
	kept := r.allocate(t, 1<<20, 0, s)
	p := r.allocate(t, 1<<20, 0, s)
	require.NoError(t, stamp(s, p, 1<<20, 7))
	require.NoError(t, s.MemcpyDtoDAsync(kept, p, 1<<20))
	require.NoError(t, s.Close())
	r.requireRefused(t, driver.ErrStreamClosed, 8, 0, s)
	r.give(t, p, 1<<20, 0, s)

	require.NoError(t, r.Device().Synchronize())
	open := r.stream(t)
	require.NoError(t, checkStamp(open, kept, 1<<20, 7))
	r.give(t, kept, 1<<20, 0, s)
	r.requireWorks(t, open)
}

// wrongDeallocate gives memory back wrongly in every way, then rightly.
func wrongDeallocate(t *testing.T, r subject) {
	if r.opts.Trusting {
		return
	}
	s := r.stream(t)
	align := 512
	if r.opts.MaxAlignment > 0 {
		align = min(align, r.opts.MaxAlignment)
	}
	p := r.allocate(t, 1000, align, s)
	require.NoError(t, stamp(s, p, 1000, 1))
	for _, wrong := range []struct {
		p           driver.Ptr
		size, align int
		reason      error
	}{
		{p, 999, align, mr.ErrSizeMismatch},
		{p, 0, align, mr.ErrSizeMismatch},
		{p, math.MaxInt - align, align, mr.ErrSizeMismatch},
		{p, 1000, align / 2, mr.ErrAlignmentMismatch},
		{p, 1000, 3, mr.ErrInvalidAlignment},
		{p + 1, 1000, align, mr.ErrForeignPointer},
		{p + 256, 1000, align, mr.ErrForeignPointer},
		{0x1000, 1000, align, mr.ErrForeignPointer},
		{^driver.Ptr(0), 1, 1, mr.ErrForeignPointer},
	} {
		err := r.Deallocate(wrong.p, wrong.size, wrong.align, s)
		require.ErrorIs(t, err, wrong.reason, "deallocate %v, %d bytes, alignment %d", wrong.p, wrong.size, wrong.align)
	}
	require.NoError(t, checkStamp(s, p, 1000, 1), "the block stays valid")
	r.give(t, p, 1000, align, s)
	require.ErrorIs(t, r.Deallocate(p, 1000, align, s), mr.ErrForeignPointer, "freed twice")
	r.requireWorks(t, s)
}
