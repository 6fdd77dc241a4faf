package replay

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/rmm/eventlog"
)

func compile(t testing.TB, events ...eventlog.Event) *Log {
	t.Helper()
	log, err := Compile(eventlog.Values(events))
	require.NoError(t, err)
	return log
}

func allocRow(thread, ptr uint64, size int, stream uint64) eventlog.Event {
	return eventlog.Event{Action: eventlog.Allocate, Thread: thread, Ptr: ptr, Size: size, Stream: stream}
}

func freeRow(thread, ptr, stream uint64) eventlog.Event {
	return eventlog.Event{Action: eventlog.Free, Thread: thread, Ptr: ptr, Stream: stream}
}

// waitsOf are the operations that operation i waits for.
func (l *Log) waitsOf(i int) []wait {
	o := l.ops[i]
	return append([]wait{}, l.waits[o.firstWait:o.firstWait+o.waits]...)
}

func TestCompileOperations(t *testing.T) {
	log := compile(t,
		allocRow(7, 0x1000, 10, 0),
		eventlog.Event{Action: eventlog.AllocateFailure, Thread: 9, Size: 5, Stream: 77},
		allocRow(8, 0x2000, 20, 5),
		allocRow(7, 0, 0, 0),
		freeRow(7, 0, 0),
		freeRow(7, 0x3000, 0), // not live
		freeRow(7, 0x2000, 0), // its size, 0 here, is that of the allocation
	)
	require.Equal(t, []op{
		{size: 10, allocation: 0, stream: 0, origin: 0},
		{size: 20, allocation: 1, stream: 1, origin: 1},
		{size: 20, allocation: 1, stream: 0, origin: 1, free: true, waits: 1},
	}, log.ops)
	require.Equal(t, [][]uint32{{0, 2}, {1}}, log.threads)
	require.Equal(t, 2, log.streams, "only those that operations use")
	require.Equal(t, 3, log.Operations())
	require.Equal(t, 7, log.Summary().Rows)
	require.Equal(t, 1, log.Summary().UnmatchedFrees)
}

func TestCompileWaits(t *testing.T) {
	first := func(thread uint32) wait { return wait{thread, 1} }
	for name, c := range map[string]struct {
		events []eventlog.Event
		want   []wait // of the last operation
	}{
		"free in the same thread": {[]eventlog.Event{allocRow(1, 0x1000, 256, 0), freeRow(1, 0x1000, 0)}, []wait{}},
		"free in another thread":  {[]eventlog.Event{allocRow(1, 0x1000, 256, 0), freeRow(2, 0x1000, 0)}, []wait{first(0)}},
		"other address":           {[]eventlog.Event{allocRow(1, 0x1000, 256, 0), freeRow(1, 0x1000, 0), allocRow(2, 0x1100, 256, 0)}, []wait{}},
		"same address":            {[]eventlog.Event{allocRow(1, 0x1000, 256, 0), freeRow(1, 0x1000, 0), allocRow(2, 0x1000, 256, 0)}, []wait{{0, 2}}},
		"its last byte":           {[]eventlog.Event{allocRow(1, 0x1000, 256, 0), freeRow(1, 0x1000, 0), allocRow(2, 0x10ff, 256, 0)}, []wait{{0, 2}}},
		"over its first byte":     {[]eventlog.Event{allocRow(1, 0x1000, 256, 0), freeRow(1, 0x1000, 0), allocRow(2, 0x0fff, 2, 0)}, []wait{{0, 2}}},
		"nothing in the middle":   {[]eventlog.Event{allocRow(1, 0x1000, 256, 0), freeRow(1, 0x1000, 0), allocRow(2, 0x1010, 0, 0)}, []wait{}},
		"overlaps live memory":    {[]eventlog.Event{allocRow(1, 0x1000, 256, 0), allocRow(2, 0x1000, 256, 0)}, []wait{}},
		"only the last of a thread": {[]eventlog.Event{
			allocRow(1, 0x1000, 256, 0), allocRow(1, 0x1100, 256, 0), freeRow(1, 0x1100, 0), freeRow(1, 0x1000, 0),
			allocRow(2, 0x1000, 512, 0)}, []wait{{0, 4}}},
		"of each thread": {[]eventlog.Event{
			allocRow(1, 0x1000, 256, 0), allocRow(2, 0x1100, 256, 0), freeRow(1, 0x1000, 0), freeRow(2, 0x1100, 0),
			allocRow(3, 0x1000, 512, 0)}, []wait{{0, 2}, {1, 2}}},
		"not twice for the same": {[]eventlog.Event{
			allocRow(1, 0x1000, 512, 0), freeRow(1, 0x1000, 0), allocRow(2, 0x1000, 256, 0),
			allocRow(2, 0x1100, 256, 0)}, []wait{}},
		"through a free that overlaps a free": {[]eventlog.Event{ // the log lost a free
			allocRow(1, 0x1000, 256, 0), allocRow(2, 0x1080, 256, 0), freeRow(1, 0x1000, 0), freeRow(2, 0x1080, 0)}, []wait{{0, 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			log := compile(t, c.events...)
			require.Equal(t, c.want, log.waitsOf(len(log.ops)-1))
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	_, err := Compile(eventlog.Values([]eventlog.Event{{}}))
	require.ErrorIs(t, err, eventlog.ErrInvalidEvent)
	_, err = Compile(eventlog.Values([]eventlog.Event{allocRow(1, 1, math.MaxInt-512, 0), allocRow(1, 2, 1024, 0)}))
	require.ErrorIs(t, err, eventlog.ErrTooMuchLive)
	_, err = Compile(eventlog.File("there is no such file"))
	require.ErrorContains(t, err, "there is no such file")
}

func BenchmarkCompile(b *testing.B) {
	events, err := eventlog.ReadFile("../cmd/rmm/testdata/trace.csv.gz")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		compile(b, events...)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(events)), "ns/row")
}
