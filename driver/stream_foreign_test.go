package driver_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// twoOwners opens one GPU through two drivers: streams of the second are
// foreign to the first.
func twoOwners(t *testing.T) (dev, owner *driver.Device) {
	t.Helper()
	dev = drivertest.Device(t)
	opts := driver.Options{Backend: dev.Driver().Backend()}
	if opts.Backend == driver.Sim {
		m, err := sim.New(sim.Config{})
		require.NoError(t, err)
		dev, err = drivertest.OpenMachine(t, m).DefaultDevice()
		require.NoError(t, err)
		opts.Machine = m
	}
	// The second driver stays open: two share the simulated machine, and closing
	// either would close it for both.
	second, err := driver.Open(opts)
	require.NoError(t, err)
	owner, err = second.DefaultDevice()
	require.NoError(t, err)
	return dev, owner
}

func foreignStream(t *testing.T, owner *driver.Device) *driver.Stream {
	t.Helper()
	s, err := owner.NewStream(driver.StreamOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		if !s.Closed() {
			require.NoError(t, s.Close())
		}
	})
	return s
}

func TestWrapStreamIsAnIdentity(t *testing.T) {
	dev, owner := twoOwners(t)
	theirs := foreignStream(t, owner)
	s, err := dev.WrapStream(theirs.Handle())
	require.NoError(t, err)
	again, err := dev.WrapStream(theirs.Handle())
	require.NoError(t, err)
	require.Same(t, s, again)
	require.True(t, s.Foreign())
	require.Equal(t, theirs.Handle(), s.Handle())
	require.Same(t, dev, s.Device())
	require.NoError(t, s.Forget())
}

func TestWrapStreamOfOurOwn(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	wrapped, err := dev.WrapStream(s.Handle())
	require.NoError(t, err)
	require.Same(t, s, wrapped)
	require.ErrorIs(t, s.Forget(), driver.ErrInvalidValue, "a stream of NewStream is closed, not forgotten")
}

func TestWrapStreamOfTheDefaultStream(t *testing.T) {
	dev := drivertest.Device(t)
	for _, handle := range []uintptr{0, 1} {
		s, err := dev.WrapStream(handle)
		require.NoError(t, err)
		require.Same(t, dev.DefaultStream(), s)
	}
}

func TestWrapStreamOfThePerThreadStream(t *testing.T) {
	dev := drivertest.Device(t)
	s, err := dev.WrapStream(2)
	require.NoError(t, err)
	require.True(t, s.Foreign())
	require.NotSame(t, dev.DefaultStream(), s)
	require.Contains(t, s.String(), "per-thread")
	again, err := dev.WrapStream(2)
	require.NoError(t, err)
	require.Same(t, s, again)
	require.ErrorIs(t, s.Close(), driver.ErrInvalidValue)
	require.NoError(t, s.Forget())
}

func TestWrappedStreamWorks(t *testing.T) {
	dev, owner := twoOwners(t)
	s, err := dev.WrapStream(foreignStream(t, owner).Handle())
	require.NoError(t, err)
	p, err := s.MemAllocAsync(kib)
	require.NoError(t, err)
	drivertest.Fill(t, s, p, kib, 4)
	drivertest.Check(t, s, p, kib, 4)
	require.NoError(t, s.MemFreeAsync(p))
	require.NoError(t, s.Synchronize())
	require.ErrorIs(t, s.Close(), driver.ErrInvalidValue, "its owner destroys it")
	require.NoError(t, s.Forget())
}

func TestForgottenStreamIsClosed(t *testing.T) {
	dev, owner := twoOwners(t)
	theirs := foreignStream(t, owner)
	s, err := dev.WrapStream(theirs.Handle())
	require.NoError(t, err)
	require.NoError(t, s.Forget())

	require.True(t, s.Closed())
	require.ErrorIs(t, s.Forget(), driver.ErrStreamClosed)
	require.ErrorIs(t, s.Synchronize(), driver.ErrStreamClosed)
	require.ErrorIs(t, s.MemFreeAsync(256), driver.ErrStreamClosed, "nothing orders a forgotten stream's work")

	again, err := dev.WrapStream(theirs.Handle())
	require.NoError(t, err)
	require.NotSame(t, s, again)
	require.Greater(t, again.ID(), s.ID())
	require.NoError(t, again.Forget())
}

// TestHandleOfAnotherStream lets the owner replace the stream behind a handle
// without a word: the old wrap must not act on the new stream.
func TestHandleOfAnotherStream(t *testing.T) {
	dev, owner := twoOwners(t)
	theirs := foreignStream(t, owner)
	old, err := dev.WrapStream(theirs.Handle())
	require.NoError(t, err)
	require.NoError(t, theirs.Close())
	next := foreignStream(t, owner)
	require.Equal(t, theirs.Handle(), next.Handle(), "handles are reused: without that the test shows nothing")

	s, err := dev.WrapStream(next.Handle())
	require.NoError(t, err)
	require.NotSame(t, old, s)
	require.True(t, old.Closed())
	require.ErrorIs(t, second(old.Query()), driver.ErrStreamClosed)
	require.NoError(t, s.Synchronize())
	require.NoError(t, s.Forget())
}

// TestHandleOfAForeignStreamBecomesOurs is the same, with the handle going to
// NewStream.
func TestHandleOfAForeignStreamBecomesOurs(t *testing.T) {
	dev, owner := twoOwners(t)
	theirs := foreignStream(t, owner)
	old, err := dev.WrapStream(theirs.Handle())
	require.NoError(t, err)
	require.NoError(t, theirs.Close())
	ours := drivertest.Stream(t, dev)
	require.Equal(t, theirs.Handle(), ours.Handle(), "handles are reused: without that the test shows nothing")

	require.True(t, old.Closed())
	wrapped, err := dev.WrapStream(ours.Handle())
	require.NoError(t, err)
	require.Same(t, ours, wrapped)
}

func TestWrappedStreamEndsWithTheDriver(t *testing.T) {
	dev := drivertest.Device(t)
	s, err := dev.WrapStream(2)
	require.NoError(t, err)
	require.NoError(t, dev.Driver().Close())
	require.ErrorIs(t, second(s.MemAllocAsync(kib)), driver.ErrStreamClosed)
	require.ErrorIs(t, s.Synchronize(), driver.ErrStreamClosed)
}

func TestForgetRacesWithUse(t *testing.T) {
	dev, owner := twoOwners(t)
	theirs := foreignStream(t, owner)
	for range 100 {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				s, err := dev.WrapStream(theirs.Handle())
				if err != nil {
					t.Errorf("wrap: %v", err)
					return
				}
				if _, err := s.Query(); err != nil && !s.Closed() {
					t.Errorf("query: %v", err)
				}
				_ = s.Forget() // one of them wins
			})
		}
		all.Wait()
	}
}
