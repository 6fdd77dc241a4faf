package eventlog_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rmm-go/rmm-go/rmm/eventlog"
)

func TestSummarize(t *testing.T) {
	got, err := eventlog.Summarize(eventlog.File(small))
	require.NoError(t, err)
	require.Equal(t, eventlog.Summary{
		Rows: 12, Allocations: 6, Frees: 5, Failures: 1, Threads: 2, Streams: 4,
		PeakLiveBytes: 1024 + 256 + 65536, LiveAtEnd: 1, LiveBytesAtEnd: 100,
	}, got)
}

func TestSummarizeRealTrace(t *testing.T) {
	got, err := eventlog.Summarize(eventlog.File(trace))
	require.NoError(t, err)
	require.Equal(t, eventlog.Summary{
		Rows: 4788, Allocations: 2394, Frees: 2394, Threads: 9, Streams: 8, PeakLiveBytes: 588751104,
	}, got)
}

func TestSummarizeStopsAtAnError(t *testing.T) {
	got, err := eventlog.Summarize(eventlog.Read(strings.NewReader(header+"1,00:00:00.000000,free,0x1,1,0\nx\n"), ""))
	require.ErrorAs(t, err, new(*eventlog.SyntaxError))
	require.Equal(t, eventlog.Summary{Rows: 1, Frees: 1, Threads: 1, Streams: 1, UnmatchedFrees: 1}, got)
}

func allocate(ptr uint64, size int) eventlog.Event {
	return eventlog.Event{Action: eventlog.Allocate, Ptr: ptr, Size: size}
}

func free(ptr uint64) eventlog.Event { return eventlog.Event{Action: eventlog.Free, Ptr: ptr} }

func TestLedgerPairs(t *testing.T) {
	var l eventlog.Ledger
	for i, step := range []struct {
		event eventlog.Event
		want  int
	}{
		{allocate(0x100, 10), 0},
		{allocate(0x200, 10), 1},
		{free(0x200), 1},
		{free(0x200), eventlog.Unpaired}, // not live any more
		{free(0x300), eventlog.Unpaired}, // never was
		{free(0), eventlog.Unpaired},
		{allocate(0, 0), eventlog.Unpaired},
		{eventlog.Event{Action: eventlog.AllocateFailure, Size: 1}, eventlog.Unpaired},
		{allocate(0x200, 0), 2},
		{allocate(0x100, 300), 3}, // the log lost a free
		{free(0x100), 3},
		{free(0x100), eventlog.Unpaired},
	} {
		got, err := l.Enter(step.event)
		require.NoError(t, err, "step %d", i)
		require.Equal(t, step.want, got, "step %d", i)
	}
	require.Equal(t, eventlog.Summary{
		Rows: 12, Allocations: 5, Frees: 6, Failures: 1, Threads: 1, Streams: 1,
		UnmatchedFrees: 3, PeakLiveBytes: 256 + 512, LiveAtEnd: 2, LiveBytesAtEnd: 10,
	}, l.Summary())
}

func TestLedgerRefuses(t *testing.T) {
	var l eventlog.Ledger
	_, err := l.Enter(eventlog.Event{})
	require.ErrorIs(t, err, eventlog.ErrInvalidEvent)
	_, err = l.Enter(allocate(1, math.MaxInt-512))
	require.NoError(t, err)
	_, err = l.Enter(allocate(2, 1024))
	require.ErrorIs(t, err, eventlog.ErrTooMuchLive)
	got := l.Summary()
	require.Equal(t, 1, got.Rows, "what is refused is not entered")
	require.Positive(t, got.PeakLiveBytes)

	_, err = eventlog.Summarize(eventlog.Values([]eventlog.Event{{}}))
	require.ErrorIs(t, err, eventlog.ErrInvalidEvent)
}

// TestLedgerAgainstModel compares with sums made the slow way.
func TestLedgerAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l eventlog.Ledger
		type block struct {
			ptr  uint64
			size int
			free bool
		}
		var blocks []block
		peak := 0
		for range rapid.IntRange(0, 60).Draw(t, "rows") {
			ptr := uint64(rapid.IntRange(1, 8).Draw(t, "ptr"))
			if rapid.Bool().Draw(t, "allocate") {
				size := rapid.IntRange(0, 1000).Draw(t, "size")
				number, err := l.Enter(allocate(ptr, size))
				require.NoError(t, err)
				require.Equal(t, len(blocks), number)
				blocks = append(blocks, block{ptr: ptr, size: size})
			} else {
				number, err := l.Enter(free(ptr))
				require.NoError(t, err)
				last := eventlog.Unpaired // the latest allocation at ptr decides
				for i, b := range blocks {
					if b.ptr == ptr {
						last = i
					}
				}
				if last >= 0 && blocks[last].free {
					last = eventlog.Unpaired
				}
				require.Equal(t, last, number)
				if number >= 0 {
					blocks[number].free = true
				}
			}
			round, live, count := 0, 0, 0
			for _, b := range blocks {
				if !b.free {
					round, live, count = round+(b.size+255)&^255, live+b.size, count+1
				}
			}
			peak = max(peak, round)
			got := l.Summary()
			require.Equal(t, []int{peak, live, count}, []int{got.PeakLiveBytes, got.LiveBytesAtEnd, got.LiveAtEnd})
		}
	})
}
