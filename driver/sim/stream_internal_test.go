package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// TestDestroyedStreamsAreForgotten: a program that makes streams all the time
// does not make every later call slower.
func TestDestroyedStreamsAreForgotten(t *testing.T) {
	m, err := New(Config{})
	require.NoError(t, err)
	d := m.devices[0]
	gate := make(chan struct{})
	for i := range 10 {
		s, err := d.StreamCreate(api.StreamNonBlocking, 0)
		require.NoError(t, err)
		if i%2 == 0 {
			require.NoError(t, d.LaunchHostFunc(s, func() { <-gate }))
		}
		require.NoError(t, d.StreamDestroy(s))
	}
	require.Len(t, d.streams, 2+5, "the default streams, and those with pending work")
	close(gate)
	require.NoError(t, m.Close())
	require.Len(t, d.streams, 2)
}
