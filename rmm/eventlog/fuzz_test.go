package eventlog_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/rmm/eventlog"
)

// FuzzReader reads anything: what it accepts is valid, and what it refuses is
// explained with a place in the file.
func FuzzReader(f *testing.F) {
	log, err := os.ReadFile(small)
	require.NoError(f, err)
	zipped := zip(f, string(log))
	for _, seed := range []string{"", header, string(log), strings.ReplaceAll(string(log), "\n", "\r\n"), "\uFEFF" + string(log), zipped, zipped[:40], header + "\"", header + "1,2,3,4,5,6\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := eventlog.ReadAll(bytes.NewReader(data), "x")
		for _, e := range events {
			require.NoError(t, e.Check())
		}
		if s, ok := err.(*eventlog.SyntaxError); ok {
			require.Positive(t, s.Line)
			require.Positive(t, s.Column)
			require.NotEmpty(t, s.Reason)
		}
		_, _ = eventlog.Summarize(eventlog.Values(events)) // may refuse, must not panic
		again, err := eventlog.ReadAll(strings.NewReader(write(t, events)), "x")
		require.NoError(t, err)
		require.Equal(t, events, again)
	})
}

// FuzzRoundTrip writes any valid event and reads it back.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(4711), int64(time.Hour), uint8(eventlog.Allocate), uint64(0x7f2a30000000), 1024, uint64(1))
	f.Add(uint64(0), int64(0), uint8(eventlog.AllocateFailure), uint64(0), 1<<62, uint64(0))
	f.Add(^uint64(0), int64(24*time.Hour-1), uint8(eventlog.Free), ^uint64(0), 0, ^uint64(0))
	f.Fuzz(func(t *testing.T, thread uint64, at int64, action uint8, ptr uint64, size int, stream uint64) {
		e := eventlog.Event{Thread: thread, Time: time.Duration(at), Action: eventlog.Action(action), Ptr: ptr, Size: size, Stream: stream}
		w := eventlog.NewWriter(new(bytes.Buffer))
		require.Equal(t, e.Check() == nil, w.WriteEvent(e) == nil)
		if e.Check() != nil {
			return
		}
		got, err := eventlog.ReadAll(strings.NewReader(write(t, []eventlog.Event{e})), "x")
		require.NoError(t, err)
		e.Time = e.Time.Truncate(time.Microsecond)
		require.Equal(t, []eventlog.Event{e}, got)
	})
}
