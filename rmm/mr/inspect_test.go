package mr_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func TestAsWalksTheChain(t *testing.T) {
	dev := drivertest.Device(t)
	async := newAsync(t, dev, mr.CudaAsyncOptions{})
	defer async.Close()
	inner := newLimiting(t, async, mib)
	outer := newStatistics(t, inner)

	stats, ok := mr.As[*mr.Statistics](outer)
	require.True(t, ok)
	require.Same(t, outer, stats)
	limiting, ok := mr.As[*mr.Limiting](outer)
	require.True(t, ok)
	require.Same(t, inner, limiting)
	for _, find := range []func() (any, bool){
		func() (any, bool) { return mr.As[*mr.CudaAsync](outer) },
		func() (any, bool) { return mr.As[mr.Trimmer](outer) },
		func() (any, bool) { return mr.As[mr.UsageReporter](outer) },
		func() (any, bool) { return mr.As[mr.Retirer](outer) },
		func() (any, bool) { return mr.As[io.Closer](outer) },
	} {
		found, ok := find()
		require.True(t, ok)
		require.Same(t, async, found)
	}

	_, ok = mr.As[*mr.Managed](outer)
	require.False(t, ok)
	_, ok = mr.As[mr.HostAccessible](outer)
	require.False(t, ok)
	_, ok = mr.As[*mr.Cuda](nil)
	require.False(t, ok)
	_, ok = mr.As[*mr.Cuda]((*mr.Cuda)(nil))
	require.False(t, ok)
}

// incomparable is a resource that Go cannot compare.
type incomparable struct {
	*fake
	tags []string
}

// twins equal each other as well as themselves.
type twin struct {
	*fake
	family string
}

func (a *twin) Equal(other mr.Resource) bool {
	b, ok := other.(*twin)
	return ok && a.family == b.family
}

func TestEqual(t *testing.T) {
	dev := drivertest.Device(t)
	a, b := newCuda(t, dev), newCuda(t, dev)
	require.True(t, mr.Equal(a, a))
	require.False(t, mr.Equal(a, b), "each knows only its own allocations")
	require.False(t, mr.Equal(a, newStatistics(t, a)))
	require.True(t, mr.Equal(nil, nil))
	require.True(t, mr.Equal(nil, (*mr.Cuda)(nil)))
	require.False(t, mr.Equal(a, nil))
	odd := incomparable{&fake{dev: dev}, []string{"a"}}
	require.False(t, mr.Equal(odd, odd))
	require.True(t, mr.Equal(&twin{nil, "x"}, &twin{nil, "x"}))
	require.False(t, mr.Equal(&twin{nil, "x"}, &twin{nil, "y"}))
	require.False(t, mr.Equal(&twin{nil, "x"}, a))
}
