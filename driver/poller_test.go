package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
	require.NoError(t, <-before)
	require.Empty(t, after, "woken for work that it does not wait for")
	p.snapshot(events)
	p.wake(e, ErrClosed)
	require.ErrorIs(t, <-after, ErrClosed)
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
	require.NoError(t, <-second)
	require.Empty(t, first)

	p.remove(e, p.add(e))
	require.Empty(t, p.waiting)
	events, _ := p.snapshot(nil)
	require.Empty(t, events)
	require.False(t, p.running, "with nobody waiting the poller ends")
}
