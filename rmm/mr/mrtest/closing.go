package mrtest

import (
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// closing concerns resources that are io.Closers or mr.Retirers; the others have
// nothing to close.
var closing = []check{
	{"CloseKeepsWhatIsLive", closeKeepsWhatIsLive},
	{"UseAfterClose", useAfterClose},
	{"CloseDuringUse", closeDuringUse},
	{"Retire", retire},
}

func closeKeepsWhatIsLive(t *testing.T, r subject) {
	closer, ok := r.Resource.(io.Closer)
	if !ok {
		return
	}
	s := r.stream(t)
	p := r.allocate(t, 1000, 0, s)
	require.NoError(t, stamp(s, p, 1000, 1))
	require.ErrorIs(t, closer.Close(), mr.ErrOutstanding)
	require.NoError(t, checkStamp(s, p, 1000, 1))
	r.requireWorks(t, s)
	r.give(t, p, 1000, 0, s)
	require.NoError(t, closer.Close())
}

func useAfterClose(t *testing.T, r subject) {
	closer, ok := r.Resource.(io.Closer)
	if !ok {
		return
	}
	s := r.stream(t)
	p := r.allocate(t, 8, 0, s)
	r.give(t, p, 8, 0, s)
	require.NoError(t, closer.Close())
	r.requireRefused(t, mr.ErrClosed, 8, 0, s)
	require.ErrorIs(t, r.Deallocate(p, 8, 0, s), mr.ErrClosed)
	require.ErrorIs(t, closer.Close(), mr.ErrClosed)
	r.give(t, 0, 0, 0, s)
}

// closeDuringUse closes while goroutines allocate: each call either works or is
// ErrClosed, and what was allocated can be freed until then.
func closeDuringUse(t *testing.T, r subject) {
	closer, ok := r.Resource.(io.Closer)
	if !ok {
		return
	}
	s := r.stream(t)
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for errors.Is(pair(t, r, s), nil) {
			}
		})
	}
	err := closer.Close()
	for errors.Is(err, mr.ErrOutstanding) {
		err = closer.Close()
	}
	require.NoError(t, err)
	users.Wait()
}

// pair allocates and frees. It reports errors other than ErrClosed.
func pair(t *testing.T, r mr.Resource, s *driver.Stream) error {
	p, err := r.Allocate(256, 0, s)
	if err == nil {
		err = r.Deallocate(p, 256, 0, s)
	}
	if err != nil && !errors.Is(err, mr.ErrClosed) {
		t.Errorf("use a resource that is being closed: %v", err)
	}
	return err
}

func retire(t *testing.T, r subject) {
	retirer, ok := r.Resource.(mr.Retirer)
	if !ok {
		return
	}
	s := r.stream(t)
	p := r.allocate(t, 8, 0, s)
	q := r.allocate(t, 8, 0, s)
	require.NoError(t, retirer.Retire())
	r.requireRefused(t, mr.ErrClosed, 8, 0, s)
	r.give(t, p, 8, 0, s)
	require.NoError(t, retirer.Retire(), "once more does nothing")
	r.give(t, q, 8, 0, s)
	require.ErrorIs(t, retirer.Retire(), mr.ErrClosed, "the last release has closed it")
}
