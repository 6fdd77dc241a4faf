package driver

import (
	"container/list"
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// resultOf is where a waiter is told.
func resultOf(w *list.Element) chan error { return w.Value.(*waiter).result }

// requireGone waits until the poller has ended.
func requireGone(t *testing.T, p *poller) {
	t.Helper()
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return !p.running
	}, 20*time.Second, time.Millisecond, "the poller goes on with nobody waiting")
	require.Empty(t, p.waiting)
}

// TestPollerAnswersOnlyWhoCameBeforeTheRound: between the query of an event and
// its answer somebody may record it anew and wait for that.
func TestPollerAnswersOnlyWhoCameBeforeTheRound(t *testing.T) {
	p := &poller{running: true} // this test goes round itself
	e := &Event{}
	before := p.add(e)
	events, _ := p.snapshot(nil)
	require.Equal(t, []*Event{e}, events)
	after := p.add(e)

	p.wake(e, nil)
	require.NoError(t, <-resultOf(before))
	require.Empty(t, resultOf(after), "woken for work that it does not wait for")
	p.snapshot(events)
	p.wake(e, ErrClosed)
	require.ErrorIs(t, <-resultOf(after), ErrClosed)
	require.Empty(t, p.waiting)
}

func TestPollerForgetsWhoGaveUp(t *testing.T) {
	p := &poller{running: true}
	e := &Event{}
	first, second := p.add(e), p.add(e)
	p.remove(e, first)
	p.remove(e, first)
	p.snapshot(nil)
	p.wake(e, nil)
	require.NoError(t, <-resultOf(second))
	require.Empty(t, resultOf(first))
	p.remove(e, second)
	p.wake(e, nil)

	p.remove(e, p.add(e))
	require.Empty(t, p.waiting)
	events, _ := p.snapshot(nil)
	require.Empty(t, events)
	require.False(t, p.running, "with nobody waiting the poller ends")
}

func TestPollerWakesInOrder(t *testing.T) {
	p := &poller{running: true}
	e := &Event{}
	var results []reflect.SelectCase
	for range 4 {
		result := make(chan error) // without room, so that one at a time is told
		p.add(e).Value.(*waiter).result = result
		results = append(results, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(result)})
	}
	p.snapshot(nil)
	go p.wake(e, nil)
	for len(results) > 0 {
		next, _, _ := reflect.Select(results)
		require.Zero(t, next, "somebody was told before the one in front")
		results = results[1:]
	}
}

// TestWaitersShareAQuery: an event is asked about once a round, however many
// wait for it.
func TestWaitersShareAQuery(t *testing.T) {
	fake, dev := newFake()
	e := ownEvent(t, dev)
	var woken sync.WaitGroup
	dev.poller.running = true // the round is this test's
	for range 100 {
		woken.Go(func() { assert.NoError(t, e.Wait(t.Context())) })
	}
	require.Eventually(t, func() bool {
		dev.poller.mu.Lock()
		defer dev.poller.mu.Unlock()
		waiters := dev.poller.waiting[e]
		return waiters != nil && waiters.Len() == 100
	}, 20*time.Second, time.Millisecond)
	events, _ := dev.poller.snapshot(nil)
	dev.poller.ask(events)
	woken.Wait()
	require.Equal(t, 1, fake.count("EventQuery"))
}

// TestWaiterComesWhileTheRoundRuns lets somebody wait for another event, and for
// the same, in the middle of a query: neither is lost.
func TestWaiterComesWhileTheRoundRuns(t *testing.T) {
	fake, dev := newFake()
	first, second := ownEvent(t, dev), ownEvent(t, dev)
	late := make(chan error, 2)
	fake.act("EventQuery", func() {
		for _, e := range []*Event{first, second} {
			w := dev.poller.add(e)
			go func() { late <- <-resultOf(w) }()
		}
	})
	require.NoError(t, first.Wait(t.Context()))
	require.NoError(t, <-late)
	require.NoError(t, <-late)
	requireGone(t, &dev.poller)
}

// TestEventClosedWhileWaitedFor: the waiters are told, and by the name of the
// call that they made.
func TestEventClosedWhileWaitedFor(t *testing.T) {
	fake, dev := newFake()
	fake.setPending(true)
	e := ownEvent(t, dev)
	fake.act("EventQuery", func() { go func() { assert.NoError(t, e.Close()) }() })
	err := e.Wait(t.Context())
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorContains(t, err, "Event.Wait: the event is already closed")
	requireGone(t, &dev.poller)
}

// TestDriverClosedWhileThePollerNaps: with its events the poller loses the right
// to call the backend, which is gone.
func TestDriverClosedWhileThePollerNaps(t *testing.T) {
	fake, dev := newFake()
	fake.setPending(true)
	e := ownEvent(t, dev)
	waiter := dev.poller.add(e)
	require.Eventually(t, func() bool { return fake.count("EventQuery") > 0 }, 20*time.Second, time.Millisecond)
	require.NoError(t, e.Close())
	require.NoError(t, dev.drv.Close())
	calls := fake.count("WithCaptureMode")
	require.ErrorIs(t, <-resultOf(waiter), ErrClosed)
	requireGone(t, &dev.poller)
	require.Equal(t, calls, fake.count("WithCaptureMode"), "the backend was called after its Close")
}

// TestWaitersHearOfAFault: the error of the work, or of the question, ends the
// wait.
func TestWaitersHearOfAFault(t *testing.T) {
	for _, call := range []string{"EventQuery", "WithCaptureMode"} {
		fake, dev := newFake()
		fault := &api.Error{Call: call, Code: api.CodeIllegalAddress, Name: "CUDA_ERROR_ILLEGAL_ADDRESS"}
		fake.fail(call, fault)
		e := ownEvent(t, dev)
		require.ErrorIs(t, e.Wait(t.Context()), ErrFault, call)
		requireGone(t, &dev.poller)
	}
}

// TestQueriesOfWaitsAreRelaxed: any other query would invalidate somebody's
// global-mode capture.
func TestQueriesOfWaitsAreRelaxed(t *testing.T) {
	fake, dev := newFake()
	s, e, captured := ownStream(t, dev), ownEvent(t, dev), ownStream(t, dev)
	require.NoError(t, e.Record(s))
	require.NoError(t, captured.BeginCapture(CaptureGlobal))
	require.NoError(t, e.Wait(t.Context()))
	require.NoError(t, s.Wait(t.Context()))
	require.Positive(t, fake.count("EventQuery"))
	require.Equal(t, api.CaptureActive, fake.capture)

	require.ErrorIs(t, second(e.Query()), ErrCapture, "the caller's own query is CUDA's affair")
	require.Equal(t, api.CaptureInvalidated, fake.capture)
}

// TestNewcomerEndsANap: a poller that naps for long waits answers a short one at
// once. Nothing but the newcomer can end this nap.
func TestNewcomerEndsANap(t *testing.T) {
	p := &poller{running: true}
	e := &Event{}
	p.add(e)
	<-p.arrived
	done := make(chan struct{})
	go func() {
		p.pause(time.Hour, time.Hour)
		close(done)
	}()
	p.add(e)
	<-done
}

func TestWaitEndsWithItsContextThoughTheEventIsPending(t *testing.T) {
	fake, dev := newFake()
	fake.setPending(true)
	e := ownEvent(t, dev)
	ctx, cancel := context.WithCancelCause(t.Context())
	fake.act("EventQuery", func() { cancel(errors.New("enough")) })
	require.Equal(t, context.Canceled, e.Wait(ctx))
	requireGone(t, &dev.poller)
}

// TestWaitReleasesTheMemoryOfCopies that it has waited for, and no other.
func TestWaitReleasesTheMemoryOfCopies(t *testing.T) {
	fake, dev := newFake()
	s := ownStream(t, dev)
	require.NoError(t, s.MemcpyHtoDAsync(256, make([]byte, 8)))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	fake.setPending(true)
	require.ErrorIs(t, s.Wait(cancelled), context.Canceled)
	require.Len(t, s.host.refs, 1)

	fake.act("EventRecord", func() { s.host.hold(kept{bytes: 16}) }) // another goroutine copies
	fake.setPending(false)
	require.NoError(t, s.Wait(t.Context()))
	require.Len(t, s.host.refs, 1)
	require.Equal(t, 16, s.host.refs[0].bytes)
	require.Equal(t, 2, fake.count("EventDestroy"), "each wait takes its event back")
}

func TestWaitRefusesNoContext(t *testing.T) {
	_, dev := newFake()
	var none context.Context
	for call, err := range map[string]error{"Event.Wait": ownEvent(t, dev).Wait(none), "Stream.Wait": ownStream(t, dev).Wait(none)} {
		require.ErrorIs(t, err, ErrInvalidValue)
		require.ErrorContains(t, err, call+": the context is nil: use context.Background()")
	}
}
