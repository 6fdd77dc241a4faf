package eventlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// headerLine is the first line of every log.
var headerLine = func() string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return strings.Join(names, ",")
}()

// Writer writes a log byte for byte as RMM does. It is buffered: nothing is
// sure to be written before Flush or Close. Not safe for concurrent use.
type Writer struct {
	buffer *bufio.Writer
	file   io.Closer // nil if the caller closes it
	closed bool
}

// NewWriter begins a log with its header. Close does not close w.
func NewWriter(w io.Writer) *Writer {
	lw := &Writer{buffer: bufio.NewWriter(w)}
	_, _ = lw.buffer.WriteString(headerLine + "\n") // a failure shows at Flush
	return lw
}

// Create begins a log in a file, which is truncated if it exists. Close closes
// the file.
func Create(path string) (*Writer, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create event log: %w", err)
	}
	w := NewWriter(f)
	w.file = f
	return w, nil
}

// WriteEvent writes one row, without allocating memory. An event that fails its
// Check is not written. After a failed write every later one, Flush and Close
// fail the same way; after Close the error is os.ErrClosed.
func (w *Writer) WriteEvent(e Event) error {
	if w.closed {
		return fmt.Errorf("write event: %w", os.ErrClosed)
	}
	if err := e.Check(); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	_, err := w.buffer.Write(appendRow(w.buffer.AvailableBuffer(), e))
	return err
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	if w.closed {
		return fmt.Errorf("flush event log: %w", os.ErrClosed)
	}
	return w.buffer.Flush()
}

// Close writes what is buffered and closes a file that Create opened. A second
// Close is os.ErrClosed.
func (w *Writer) Close() error {
	err := w.Flush()
	if w.closed {
		return err
	}
	w.closed = true
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	return err
}

func appendRow(b []byte, e Event) []byte {
	b = append(strconv.AppendUint(b, e.Thread, 10), ',')
	b = append(appendTime(b, e.Time), ',')
	b = append(append(b, actionNames[e.Action]...), ',')
	b = append(appendHex(b, e.Ptr, "(nil)"), ',')
	b = append(strconv.AppendInt(b, int64(e.Size), 10), ',')
	return append(appendHex(b, e.Stream, "0"), '\n')
}

// appendTime writes HH:MM:SS.ffffff, without what is finer.
func appendTime(b []byte, t time.Duration) []byte {
	b = append(appendPadded(b, int(t/time.Hour), 10), ':')
	b = append(appendPadded(b, int(t/time.Minute%60), 10), ':')
	b = append(appendPadded(b, int(t/time.Second%60), 10), '.')
	return appendPadded(b, int(t/time.Microsecond%1e6), 1e5)
}

// appendPadded writes n with as many digits as unit has.
func appendPadded(b []byte, n, unit int) []byte {
	for ; unit > 0; unit /= 10 {
		b = append(b, byte('0'+n/unit%10))
	}
	return b
}

func appendHex(b []byte, n uint64, zero string) []byte {
	if n == 0 {
		return append(b, zero...)
	}
	return strconv.AppendUint(append(b, "0x"...), n, 16)
}
