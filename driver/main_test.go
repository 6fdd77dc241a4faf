package driver_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	kib = 1 << 10
	mib = 1 << 20
)

// deviceMemory allocates n bytes and frees them at the end of the test.
func deviceMemory(t testing.TB, dev *driver.Device, n int) driver.Ptr {
	t.Helper()
	p, err := dev.MemAlloc(n)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.MemFree(p)) })
	return p
}

// pinnedMemory is n bytes of pinned host memory, seen from both sides.
func pinnedMemory(t testing.TB, dev *driver.Device, n int) (driver.Ptr, []byte) {
	t.Helper()
	p, err := dev.MemHostAlloc(n)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.MemHostFree(p)) })
	view, err := dev.HostView(p, n)
	require.NoError(t, err)
	return p, view
}

// managedMemory allocates n managed bytes and frees them at the end of the test.
func managedMemory(t testing.TB, dev *driver.Device, n int) driver.Ptr {
	t.Helper()
	drivertest.NeedAttribute(t, dev, driver.AttrManagedMemory)
	p, err := dev.MemAllocManaged(n)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.MemFree(p)) })
	return p
}

// requireBusy checks that work on s is still to be done.
func requireBusy(t testing.TB, s *driver.Stream) {
	t.Helper()
	done, err := s.Query()
	require.NoError(t, err)
	require.False(t, done, "%v has nothing left to do", s)
}

// requireIdle checks that all work on s is done.
func requireIdle(t testing.TB, s *driver.Stream) {
	t.Helper()
	done, err := s.Query()
	require.NoError(t, err)
	require.True(t, done, "%v is busy", s)
}

// repeated is n times b.
func repeated(b byte, n int) []byte {
	s := make([]byte, n)
	for i := range s {
		s[i] = b
	}
	return s
}

// newPool makes a pool and closes it at the end of the test.
func newPool(t testing.TB, dev *driver.Device) *driver.Pool {
	t.Helper()
	drivertest.NeedAttribute(t, dev, driver.AttrMemoryPoolsSupported)
	pool, err := dev.NewPool(driver.PoolOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := pool.Close(); !errorIsClosed(err) {
			require.NoError(t, err)
		}
	})
	return pool
}

// errorIsClosed tells whether a call lost a race against Close.
func errorIsClosed(err error) bool { return errors.Is(err, driver.ErrClosed) }
