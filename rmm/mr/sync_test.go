package mr_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// busy keeps s at work until another goroutine has run, and tells when it is
// done.
func busy(t *testing.T, s *driver.Stream) *atomic.Bool {
	t.Helper()
	var done atomic.Bool
	release := make(chan struct{})
	require.NoError(t, s.LaunchHostFunc(func() {
		<-release
		done.Store(true)
	}))
	go close(release)
	return &done
}

func TestAllocateSyncWaitsForTheDefaultStream(t *testing.T) {
	f := &fake{dev: drivertest.Device(t)}
	done := busy(t, f.dev.DefaultStream())
	p, err := mr.AllocateSync(f, 1000, 0)
	require.NoError(t, err)
	require.NotZero(t, p)
	require.True(t, done.Load())
}

func TestDeallocateSyncWaitsForEveryStream(t *testing.T) {
	f := &fake{dev: drivertest.Device(t)}
	done := busy(t, drivertest.Stream(t, f.dev))
	require.NoError(t, mr.DeallocateSync(f, 1000, 1000, 0))
	require.True(t, done.Load())
}

func TestSyncPassesErrorsOn(t *testing.T) {
	dev := drivertest.Device(t)
	r := newCuda(t, dev)
	_, err := mr.AllocateSync(r, -1, 0)
	require.ErrorIs(t, err, mr.ErrInvalidSize)
	require.ErrorIs(t, mr.DeallocateSync(r, 4096, 8, 0), mr.ErrForeignPointer)
	_, err = mr.AllocateSync(nil, 8, 0)
	require.ErrorIs(t, err, mr.ErrNilResource)
	require.ErrorIs(t, mr.DeallocateSync((*mr.Cuda)(nil), 4096, 8, 0), mr.ErrNilResource)
	require.NoError(t, dev.Driver().Close())
	_, err = mr.AllocateSync(&fake{dev: dev}, 8, 0)
	require.ErrorIs(t, err, driver.ErrStreamClosed)
	require.ErrorIs(t, mr.DeallocateSync(&fake{dev: dev}, 8, 8, 0), driver.ErrClosed)
}
