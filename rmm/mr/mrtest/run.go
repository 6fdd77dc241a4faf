package mrtest

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// Options says what is special about a resource. The zero value is a resource
// that keeps the whole contract.
type Options struct {
	// MaxSize is the largest allocation to try, in bytes. Allocations of 1 MiB and
	// less always take place. Default: 1 GiB, which may fail for lack of memory.
	MaxSize int
	// MaxAlignment is the largest alignment that the resource honours; it must
	// refuse larger ones with mr.ErrInvalidAlignment. Default: no limit.
	MaxAlignment int
	// Trusting is for a resource that believes what it is told when memory is given
	// back: it is not tried with foreign pointers and wrong sizes. Default: a wrong
	// Deallocate is an error.
	Trusting bool
	// Unbounded is for a resource that can hand out more memory than there is. It is
	// not tried with 1 PiB. Default: that is out of memory.
	Unbounded bool
}

// subject is the resource under test in one subtest.
type subject struct {
	mr.Resource
	opts Options
}

// Run checks the resources that newResource makes, one for each subtest. The
// suite closes those that are io.Closers, and checks that they report no
// allocation at the end; newResource opens a device (as drivertest.Device does)
// and cleans up whatever else it makes.
func Run(t *testing.T, newResource func(t *testing.T) mr.Resource, opts Options) {
	if opts.MaxSize == 0 {
		opts.MaxSize = 1 << 30
	}
	for _, group := range [][]check{basics, data, mistakes, closing, threads} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				r := newResource(t)
				require.NotNil(t, r, "the function made no resource")
				t.Cleanup(func() { requireAllGivenBack(t, r) })
				c.run(t, subject{r, opts})
			})
		}
	}
}

// check is one subtest.
type check struct {
	name string
	run  func(*testing.T, subject)
}

func requireAllGivenBack(t *testing.T, r mr.Resource) {
	if u, ok := r.(mr.UsageReporter); ok && !t.Failed() {
		usage := u.Usage()
		require.Zero(t, usage.Allocations, "allocations are left")
		require.Zero(t, usage.Allocated, "allocated bytes are left")
	}
	if c, ok := r.(io.Closer); ok {
		if err := c.Close(); !errors.Is(err, mr.ErrClosed) && !t.Failed() {
			require.NoError(t, err)
		}
	}
}

// stream is a new stream of the resource's device.
func (r subject) stream(t *testing.T) *driver.Stream {
	t.Helper()
	return drivertest.Stream(t, r.Device())
}

// allocate takes memory that must be there.
func (r subject) allocate(t *testing.T, size, align int, s *driver.Stream) driver.Ptr {
	t.Helper()
	p, err := r.Allocate(size, align, s)
	require.NoError(t, err)
	require.NotZero(t, p)
	return p
}

// give gives memory back, which must work.
func (r subject) give(t *testing.T, p driver.Ptr, size, align int, s *driver.Stream) {
	t.Helper()
	require.NoError(t, r.Deallocate(p, size, align, s))
}

// requireWorks checks that the resource can still be used.
func (r subject) requireWorks(t *testing.T, s *driver.Stream) {
	t.Helper()
	p := r.allocate(t, 1000, 0, s)
	require.NoError(t, stamp(s, p, 1000, 1))
	require.NoError(t, checkStamp(s, p, 1000, 1))
	r.give(t, p, 1000, 0, s)
}
