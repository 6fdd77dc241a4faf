package mr

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func newLifetime(live *int, destroyed *int, err error) *lifetime {
	return &lifetime{
		owner:       "Test",
		outstanding: func() (int, int) { return *live, 100 * *live },
		destroy: func() error {
			*destroyed++
			return err
		},
	}
}

func TestAFailedDestroyClosesAllTheSame(t *testing.T) {
	failure := errors.New("a fault")
	var live, destroyed int
	l := newLifetime(&live, &destroyed, failure)
	require.ErrorIs(t, l.Close(), failure)
	require.ErrorIs(t, l.Close(), ErrClosed)
	require.ErrorIs(t, l.checkOpen("Allocate"), ErrClosed)
	require.Equal(t, 1, destroyed)
}

func TestRetiredEndsOnce(t *testing.T) {
	live, destroyed := 2, 0
	l := newLifetime(&live, &destroyed, nil)
	require.NoError(t, l.Retire())
	for ; live > 0; live-- {
		require.NoError(t, l.endIfRetired())
		require.Zero(t, destroyed)
	}
	require.NoError(t, l.endIfRetired())
	require.NoError(t, l.endIfRetired(), "another release came first")
	require.Equal(t, 1, destroyed)
	require.ErrorIs(t, l.Retire(), ErrClosed)
}
