package driver_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestWaitForWorkThatIsDone(t *testing.T) {
	dev := drivertest.Device(t)
	s, e := drivertest.Stream(t, dev), drivertest.Event(t, dev)
	require.NoError(t, e.Wait(t.Context()), "never recorded")
	require.NoError(t, e.Record(s))
	require.NoError(t, e.Wait(t.Context()))
	require.NoError(t, s.Wait(t.Context()))
}

func TestWaitEndsWithTheWork(t *testing.T) {
	dev := drivertest.Device(t)
	s, e := drivertest.Stream(t, dev), drivertest.Event(t, dev)
	release := drivertest.Hold(t, s)
	require.NoError(t, e.Record(s))
	results := make(chan error)
	const waiters = 200
	for i := range waiters {
		go func() {
			if i%2 == 0 {
				results <- e.Wait(t.Context())
			} else {
				results <- s.Wait(t.Context())
			}
		}()
	}
	select {
	case err := <-results:
		require.Fail(t, "a wait ended before the work", "%v", err)
	default:
	}
	release()
	for range waiters {
		require.NoError(t, <-results)
	}
	requireIdle(t, s)
}

func TestWaitEndsWithItsContext(t *testing.T) {
	dev := drivertest.Device(t)
	s, e := drivertest.Stream(t, dev), drivertest.Event(t, dev)
	release := drivertest.Hold(t, s)
	require.NoError(t, e.Record(s))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Wait(ctx), context.Canceled)
	require.ErrorIs(t, s.Wait(ctx), context.Canceled)
	requireBusy(t, s)
	release()
	require.NoError(t, s.Wait(t.Context()), "the work goes on")
}

func TestWaitForAnEventThatIsClosed(t *testing.T) {
	dev := drivertest.Device(t)
	s, e := drivertest.Stream(t, dev), drivertest.Event(t, dev)
	release := drivertest.Hold(t, s)
	require.NoError(t, e.Record(s))
	result := make(chan error)
	go func() { result <- e.Wait(t.Context()) }()
	require.NoError(t, e.Close())
	require.ErrorIs(t, <-result, driver.ErrClosed)
	release()
}

func TestWaitRefusesNilAndClosed(t *testing.T) {
	dev := drivertest.Device(t)
	var s *driver.Stream
	var e *driver.Event
	require.ErrorIs(t, s.Wait(t.Context()), driver.ErrInvalidValue)
	require.ErrorIs(t, e.Wait(t.Context()), driver.ErrInvalidValue)
	closed := drivertest.Stream(t, dev)
	require.NoError(t, closed.Close())
	require.ErrorIs(t, closed.Wait(t.Context()), driver.ErrStreamClosed)
}

// TestWaitsComeAndGo has waiters give up, streams finish and new waits begin all
// at once.
func TestWaitsComeAndGo(t *testing.T) {
	dev := drivertest.Device(t)
	var all sync.WaitGroup
	for i := range 32 {
		s := drivertest.Stream(t, dev)
		all.Go(func() {
			for range 20 {
				ctx, cancel := context.WithCancel(t.Context())
				step := make(chan struct{})
				if err := s.LaunchHostFunc(func() { <-step }); err != nil {
					t.Errorf("launch: %v", err)
				}
				if i%2 == 0 {
					go cancel()
				}
				go close(step)
				if err := s.Wait(ctx); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("wait: %v", err)
				}
				cancel()
			}
		})
	}
	all.Wait()
}

func ExampleStream_Wait() {
	dev := exampleDevice()
	s, err := dev.NewStream(driver.StreamOptions{})
	must(err)
	defer s.Close()
	gate := make(chan struct{})
	must(s.LaunchHostFunc(func() { <-gate }))

	ctx, cancel := context.WithCancel(context.Background())
	cancel() // somebody lost patience
	err = s.Wait(ctx)
	close(gate)
	if errors.Is(err, context.Canceled) {
		must(s.Wait(context.Background())) // the work itself went on
	}
	fmt.Println(s.Query())
	// Output: true <nil>
}
