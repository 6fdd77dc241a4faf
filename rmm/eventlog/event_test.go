package eventlog_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/rmm/eventlog"
)

// alloc is a valid event to vary.
func alloc() eventlog.Event {
	return eventlog.Event{Thread: 4711, Time: 14 * time.Hour, Action: eventlog.Allocate, Ptr: 0x7f2a30000000, Size: 1024, Stream: 1}
}

func TestActionString(t *testing.T) {
	require.Equal(t, "allocate", eventlog.Allocate.String())
	require.Equal(t, "allocate failure", eventlog.AllocateFailure.String())
	require.Equal(t, "free", eventlog.Free.String())
	require.Equal(t, "Action(0)", eventlog.Action(0).String())
	require.Equal(t, "Action(4)", eventlog.Action(4).String())
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*eventlog.Event)
		want   string // part of the error; empty if the event is valid
	}{
		"valid":                 {func(*eventlog.Event) {}, ""},
		"no action":             {func(e *eventlog.Event) { e.Action = 0 }, "Action 0 is none of"},
		"unknown action":        {func(e *eventlog.Event) { e.Action = 9 }, "Action 9 is none of"},
		"midnight":              {func(e *eventlog.Event) { e.Time = 0 }, ""},
		"before midnight":       {func(e *eventlog.Event) { e.Time = -1 }, "not a time of day"},
		"last of the day":       {func(e *eventlog.Event) { e.Time = 24*time.Hour - 1 }, ""},
		"next day":              {func(e *eventlog.Event) { e.Time = 24 * time.Hour }, "not a time of day"},
		"negative size":         {func(e *eventlog.Event) { e.Size = -1 }, "Size -1 is negative"},
		"up to the last byte":   {func(e *eventlog.Event) { e.Ptr, e.Size = math.MaxUint64-9, 9 }, ""},
		"past the end":          {func(e *eventlog.Event) { e.Ptr, e.Size = math.MaxUint64-9, 10 }, "past the end of the address space"},
		"something at nil":      {func(e *eventlog.Event) { e.Ptr = 0 }, `write a failed allocation as "allocate failure"`},
		"nothing at nil":        {func(e *eventlog.Event) { e.Ptr, e.Size = 0, 0 }, ""},
		"failure":               {func(e *eventlog.Event) { e.Ptr, e.Action = 0, eventlog.AllocateFailure }, ""},
		"free of nothing":       {func(e *eventlog.Event) { e.Ptr, e.Size, e.Action = 0, 0, eventlog.Free }, ""},
		"free of a nil pointer": {func(e *eventlog.Event) { e.Ptr, e.Action = 0, eventlog.Free }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := alloc()
			c.change(&e)
			if c.want == "" {
				require.NoError(t, e.Check())
				return
			}
			require.ErrorIs(t, e.Check(), eventlog.ErrInvalidEvent)
			require.ErrorContains(t, e.Check(), c.want)
		})
	}
}

func TestValuesStopsWhenAsked(t *testing.T) {
	events := []eventlog.Event{alloc(), alloc(), alloc()}
	seen := 0
	for e, err := range eventlog.Values(events) {
		require.NoError(t, err)
		require.Equal(t, alloc(), e)
		if seen++; seen == 2 {
			break
		}
	}
	require.Equal(t, 2, seen)
}
