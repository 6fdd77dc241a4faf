package eventlog_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/rmm/eventlog"
)

const (
	small  = "../../testdata/traces/small.csv"
	trace  = "../cmd/rmm/testdata/trace.csv.gz"
	header = "Thread,Time,Action,Pointer,Size,Stream\n"
)

func readString(s string) ([]eventlog.Event, error) {
	return eventlog.ReadAll(strings.NewReader(s), "x.csv")
}

func zip(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(s))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

func TestReadFile(t *testing.T) {
	events, err := eventlog.ReadFile(small)
	require.NoError(t, err)
	require.Len(t, events, 12)
	at := 14*time.Hour + 24*time.Minute + 54*time.Second
	require.Equal(t, eventlog.Event{Thread: 4711, Time: at + 628665*time.Microsecond, Action: eventlog.Allocate, Ptr: 0x7f2a30000000, Size: 1024}, events[0])
	require.Equal(t, eventlog.Event{Thread: 4711, Time: at + 628790*time.Microsecond, Action: eventlog.AllocateFailure, Size: 1 << 40}, events[3])
	require.Equal(t, eventlog.Event{Thread: 4712, Time: at + 629187*time.Microsecond, Action: eventlog.Free, Ptr: 0x7f2a30000000, Size: 512, Stream: 0x55d0c8a41710}, events[8])
}

func TestReadRealTrace(t *testing.T) {
	events, err := eventlog.ReadFile(trace)
	require.NoError(t, err)
	require.Len(t, events, 4788)
	for _, e := range events {
		require.NoError(t, e.Check())
	}
}

func TestReadStreams(t *testing.T) {
	for text, want := range map[string]uint64{"0": 0, "0x0": 0, "0x1": 1, "0x2": 2, "0x44c54e40": 0x44c54e40, "0xffffffffffffffff": 1<<64 - 1, "0xAbC": 0xabc} {
		events, err := readString(header + "1,00:00:00.000000,free,0x1,1," + text)
		require.NoError(t, err, text)
		require.Equal(t, want, events[0].Stream, text)
	}
}

func TestReadTolerates(t *testing.T) {
	row := "7,01:02:03.000004,allocate,0x100,5,0x1"
	want := []eventlog.Event{{Thread: 7, Time: time.Hour + 2*time.Minute + 3*time.Second + 4*time.Microsecond, Action: eventlog.Allocate, Ptr: 0x100, Size: 5, Stream: 1}}
	for name, text := range map[string]string{
		"newline at the end":    header + row + "\n",
		"none at the end":       header + row,
		"carriage returns":      strings.ReplaceAll(header+row+"\n", "\n", "\r\n"),
		"blank lines":           header + "\n" + row + "\n\n",
		"byte order mark":       "\uFEFF" + header + row,
		"colon before micros":   header + strings.Replace(row, "03.", "03:", 1),
		"gzip":                  zip(t, header+row),
		"gzip in members":       zip(t, header) + zip(t, row),
		"gzip of a marked file": zip(t, "\uFEFF"+header+row),
		"other order":           "Stream,Size,Pointer,Action,Time,Thread\n0x1,5,0x100,allocate,01:02:03.000004,7",
		"other columns":         "Device,Thread,Time,Action,Pointer,Size,Stream,Location\n0," + row + ",\"a,b\"",
		"other case and spaces": "thread, TIME ,action,pointer,size,stream\n" + row,
		"quoted fields":         header + strings.Replace(row, "allocate", `"allocate"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readString(text)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestReadOnlyHeader(t *testing.T) {
	events, err := readString(header)
	require.NoError(t, err)
	require.Empty(t, events)
}

func TestSyntaxErrors(t *testing.T) {
	const good = "7,01:02:03.000004,allocate,0x100,5,0x1\n"
	for name, c := range map[string]struct {
		text string
		want eventlog.SyntaxError
	}{
		"empty":            {"", at(1, 1, "", "column Thread, Time, Action, Pointer, Size, Stream is missing")},
		"no header":        {good, at(1, 1, "", "the first line must name the columns")},
		"missing column":   {"Thread,Time,Action,Pointer,Size\n", at(1, 1, "", "column Stream is missing")},
		"column twice":     {"Thread,Time,Size,Action,Pointer,Size,Stream\n", at(1, 33, "", "column Size is there twice")},
		"short row":        {header + good + "7,01:02\n", at(3, 1, "", "the row has 2 fields, the header has 6")},
		"long row":         {header + "7,01:02:03.000004,allocate,0x100,5,0x1,9\n", at(2, 1, "", "the row has 7 fields, the header has 6")},
		"stray quote":      {header + good + "7,01:02:03.000004,al\"locate,0x100,5,0x1", at(3, 21, "", "bare \"")},
		"endless quote":    {header + "\"7,01:02\n\n", at(3, 2, "", "quote")},
		"endless row":      {header + good + strings.Repeat("9", 2<<20), at(3, 1, "", "longer than 1 MiB")},
		"endless field":    {header + "\"" + strings.Repeat("9\n", 1<<20), at(2, 1, "", "longer than 1 MiB")},
		"thread":           {header + good + "x,01:02:03.000004,free,0x100,5,0x1", at(3, 1, "Thread", `"x" is not a decimal thread id`)},
		"negative thread":  {header + "-1,01:02:03.000004,free,0x100,5,0x1", at(2, 1, "Thread", `"-1"`)},
		"no micros":        {header + "7,01:02:03,free,0x100,5,0x1", at(2, 3, "Time", "14:24:54.628665")},
		"time separator":   {header + "7,01:02:03;000004,free,0x100,5,0x1", at(2, 3, "Time", "")},
		"hour":             {header + "7,24:00:00.000000,free,0x100,5,0x1", at(2, 3, "Time", "")},
		"minute":           {header + "7,23:60:00.000000,free,0x100,5,0x1", at(2, 3, "Time", "")},
		"second":           {header + "7,23:00:60.000000,free,0x100,5,0x1", at(2, 3, "Time", "")},
		"signed time":      {header + "7,23:00:+0.000000,free,0x100,5,0x1", at(2, 3, "Time", "")},
		"action":           {header + "7,01:02:03.000004,Free,0x100,5,0x1", at(2, 19, "Action", `"allocate failure"`)},
		"decimal pointer":  {header + "7,01:02:03.000004,free,100,5,0x1", at(2, 24, "Pointer", `"100" is not an address`)},
		"65-bit pointer":   {header + "7,01:02:03.000004,free,0x10000000000000000,5,0x1", at(2, 24, "Pointer", "64 bits")},
		"empty pointer":    {header + "7,01:02:03.000004,free,0x,5,0x1", at(2, 24, "Pointer", `"0x"`)},
		"size":             {header + "7,01:02:03.000004,free,0x100,5k,0x1", at(2, 30, "Size", `"5k"`)},
		"negative size":    {header + "7,01:02:03.000004,free,0x100,-5,0x1", at(2, 30, "Size", `"-5"`)},
		"64-bit size":      {header + "7,01:02:03.000004,free,0x100,9223372036854775808,0x1", at(2, 30, "Size", "from 0 to 9223372036854775807")},
		"beyond memory":    {header + "7,01:02:03.000004,allocate,0xffffffffffffff00,256,0x1", at(2, 47, "Size", "past the end of the address space")},
		"nil allocation":   {header + "7,01:02:03.000004,allocate,(nil),256,0x1", at(2, 28, "Pointer", "allocate failure")},
		"stream":           {header + "7,01:02:03.000004,free,0x100,5,17", at(2, 32, "Stream", `"17" is not a stream`)},
		"long field":       {header + "7,01:02:03.000004," + strings.Repeat("a", 100) + ",0x100,5,0", at(2, 19, "Action", strings.Repeat("a", 40)+`"…`)},
		"column of a line": {"Stream,Size,Pointer,Action,Time,Thread\n0,5,0x1,free,01:02:03.000004,seven", at(2, 30, "Thread", `"seven"`)},
		"after gzip":       {zip(t, header+good+"x"), at(3, 1, "", "has 1 fields")},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readString(c.text)
			var got *eventlog.SyntaxError
			require.ErrorAs(t, err, &got)
			require.Contains(t, got.Reason, c.want.Reason)
			c.want.File, c.want.Reason = "x.csv", got.Reason
			require.Equal(t, c.want, *got)
		})
	}
}

func at(line, column int, field, reason string) eventlog.SyntaxError {
	return eventlog.SyntaxError{Line: line, Column: column, Field: field, Reason: reason}
}

func TestSyntaxErrorText(t *testing.T) {
	_, err := readString(header + "x,01:02:03.000004,free,0x100,5,0x1")
	require.EqualError(t, err, `x.csv:2:1: Thread "x" is not a decimal thread id`)
	_, err = eventlog.ReadAll(strings.NewReader("a\n"), "")
	require.ErrorContains(t, err, "log:1:1: column Thread, ")
}

func TestErrorsOfTheFile(t *testing.T) {
	zipped := zip(t, header+strings.Repeat("7,01:02:03.000004,allocate,0x100,5,0x1\n", 9))
	broken := errors.New("disk on fire")
	for name, c := range map[string]struct {
		r    io.Reader
		want error
	}{
		"at once":        {iotest.ErrReader(broken), broken},
		"in the middle":  {io.MultiReader(strings.NewReader(header), iotest.ErrReader(broken)), broken},
		"truncated gzip": {strings.NewReader(zipped[:len(zipped)-4]), io.ErrUnexpectedEOF},
		"broken gzip":    {strings.NewReader("\x1f\x8b" + strings.Repeat("x", 20)), gzip.ErrHeader},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := eventlog.ReadAll(c.r, "x.csv")
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, "read x.csv")
			require.NotErrorAs(t, err, new(*eventlog.SyntaxError))
		})
	}
}

func TestReadFileMissing(t *testing.T) {
	_, err := eventlog.ReadFile(filepath.Join(t.TempDir(), "no.csv"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestReadAllKeepsWhatIsBeforeAnError(t *testing.T) {
	events, err := readString(header + "7,01:02:03.000004,allocate,0x100,5,0x1\nx\n7,01:02:03.000004,free,0x100,5,0x1\n")
	require.Error(t, err)
	require.Len(t, events, 1, "the sequence ends at the error")
}

func TestFileCanBeReadAgainAndLeft(t *testing.T) {
	log := eventlog.File(small)
	for range log {
		break
	}
	rows := 0
	for _, err := range log {
		require.NoError(t, err)
		rows++
	}
	require.Equal(t, 12, rows)
}

func BenchmarkRead(b *testing.B) {
	events, err := eventlog.ReadFile(trace)
	require.NoError(b, err)
	var text bytes.Buffer
	w := eventlog.NewWriter(&text)
	for range 78 { // 373 464 rows
		for _, e := range events {
			require.NoError(b, w.WriteEvent(e))
		}
	}
	require.NoError(b, w.Close())
	for name, log := range map[string]string{"plain": text.String(), "gzip": zip(b, text.String())} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(text.Len()))
			rows := 0
			for b.Loop() {
				rows = 0
				for _, err := range eventlog.Read(strings.NewReader(log), name) {
					if err != nil {
						b.Fatal(err)
					}
					rows++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
		})
	}
}
