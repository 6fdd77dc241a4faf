package eventlog

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

const (
	gzipMagic = "\x1f\x8b"
	byteOrder = "\uFEFF" // the mark that some editors put in front of a file
)

// plainText undoes gzip, told by its first bytes, and drops a byte order mark.
func plainText(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	if !startsWith(buffered, gzipMagic) {
		return skipMark(buffered), nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, fmt.Errorf("unpack gzip: %w", err)
	}
	return skipMark(bufio.NewReader(unzipped)), nil
}

func skipMark(r *bufio.Reader) io.Reader {
	if startsWith(r, byteOrder) {
		_, _ = r.Discard(len(byteOrder)) // they are in the buffer
	}
	return r
}

// startsWith leaves what it looks at, and any error, to the next reader.
func startsWith(r *bufio.Reader, prefix string) bool {
	head, _ := r.Peek(len(prefix))
	return string(head) == prefix
}

// maxRecord bounds the memory that a hostile file can claim; a row of RMM's has
// less than 150 bytes.
const maxRecord = 1 << 20

var errLongRecord = errors.New("the row is longer than 1 MiB: this is not an allocation log")

// recordLimit refuses to feed one record with more than maxRecord bytes.
type recordLimit struct {
	r    io.Reader
	left int
}

// nextRecord is called before each record.
func (l *recordLimit) nextRecord() { l.left = maxRecord }

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLongRecord
	}
	n, err := l.r.Read(p)
	l.left -= n
	return n, err
}
