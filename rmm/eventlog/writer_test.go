package eventlog_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/rmm/eventlog"
)

func write(t testing.TB, events []eventlog.Event) string {
	t.Helper()
	var b bytes.Buffer
	w := eventlog.NewWriter(&b)
	for _, e := range events {
		require.NoError(t, w.WriteEvent(e))
	}
	require.NoError(t, w.Close())
	return b.String()
}

func TestWriterIsByteExact(t *testing.T) {
	want, err := os.ReadFile(small)
	require.NoError(t, err)
	events, err := eventlog.ReadFile(small)
	require.NoError(t, err)
	require.Equal(t, string(want), write(t, events))
}

func TestWriterRows(t *testing.T) {
	for want, e := range map[string]eventlog.Event{
		"0,00:00:00.000000,free,(nil),0,0":                                       {Action: eventlog.Free},
		"1,09:08:07.000006,free,0xa,5,0x1":                                       {Thread: 1, Time: 9*time.Hour + 8*time.Minute + 7*time.Second + 6*time.Microsecond, Action: eventlog.Free, Ptr: 10, Size: 5, Stream: 1},
		"18446744073709551615,23:59:59.999999,allocate,0x1,2,0xffffffffffffffff": {Thread: 1<<64 - 1, Time: 24*time.Hour - 1, Action: eventlog.Allocate, Ptr: 1, Size: 2, Stream: 1<<64 - 1},
		"1,12:00:00.100000,allocate failure,(nil),9223372036854775807,0x2":       {Thread: 1, Time: 12*time.Hour + time.Second/10, Action: eventlog.AllocateFailure, Size: 1<<63 - 1, Stream: 2},
	} {
		require.Equal(t, header+want+"\n", write(t, []eventlog.Event{e}))
	}
}

func TestWriterBeginsWithTheHeader(t *testing.T) {
	require.Equal(t, header, write(t, nil))
}

func TestWriterRefusesInvalidEvents(t *testing.T) {
	var b bytes.Buffer
	w := eventlog.NewWriter(&b)
	require.ErrorIs(t, w.WriteEvent(eventlog.Event{}), eventlog.ErrInvalidEvent)
	require.NoError(t, w.WriteEvent(alloc()))
	require.NoError(t, w.Flush())
	require.Equal(t, 2, strings.Count(b.String(), "\n"), "only the header and the valid event")
}

func TestWriterBuffersUntilFlush(t *testing.T) {
	var b bytes.Buffer
	w := eventlog.NewWriter(&b)
	require.NoError(t, w.WriteEvent(alloc()))
	require.Zero(t, b.Len())
	require.NoError(t, w.Flush())
	require.Equal(t, header+"4711,14:00:00.000000,allocate,0x7f2a30000000,1024,0x1\n", b.String())
}

func TestWriterReportsWhatFailed(t *testing.T) {
	r, file := io.Pipe()
	broken := errors.New("disk full")
	require.NoError(t, r.CloseWithError(broken))
	w := eventlog.NewWriter(file)
	require.NoError(t, w.WriteEvent(alloc()), "still in the buffer")
	require.ErrorIs(t, w.Flush(), broken)
	require.ErrorIs(t, w.WriteEvent(alloc()), broken)
	require.ErrorIs(t, w.Close(), broken)
}

func TestWriterClosed(t *testing.T) {
	w := eventlog.NewWriter(io.Discard)
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.WriteEvent(alloc()), os.ErrClosed)
	require.ErrorIs(t, w.Flush(), os.ErrClosed)
	require.ErrorIs(t, w.Close(), os.ErrClosed)
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.csv")
	for range 2 { // the second truncates what the first left
		w, err := eventlog.Create(path)
		require.NoError(t, err)
		require.NoError(t, w.WriteEvent(alloc()))
		require.NoError(t, w.Close())
	}
	events, err := eventlog.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, []eventlog.Event{alloc()}, events)

	_, err = eventlog.Create(filepath.Join(path, "below a file"))
	require.ErrorContains(t, err, "create event log")
}

func TestWriteEventDoesNotAllocate(t *testing.T) {
	w := eventlog.NewWriter(io.Discard)
	events, err := eventlog.ReadFile(small)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		for _, e := range events {
			if err := w.WriteEvent(e); err != nil {
				t.Error(err)
			}
		}
	}))
}

func BenchmarkWriteEvent(b *testing.B) {
	w := eventlog.NewWriter(io.Discard)
	b.ReportAllocs()
	for b.Loop() {
		if err := w.WriteEvent(alloc()); err != nil {
			b.Fatal(err)
		}
	}
}
