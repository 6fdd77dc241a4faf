package eventlog

import (
	"fmt"
	"slices"
	"strings"
)

// column is a field that this package understands.
type column struct {
	name  string // in the header, in any case
	want  string // completes "… is not …"
	parse func(e *Event, text string) bool
}

// The columns of RMM's log, indices into columns.
const (
	columnThread = iota
	columnTime
	columnAction
	columnPointer
	columnSize
	columnStream
)

// columns lists every column that is read, in the order in which they are
// written. All are required.
var columns = [...]column{
	columnThread:  {"Thread", "a decimal thread id", parseThread},
	columnTime:    {"Time", "a time of day like 14:24:54.628665 or 14:24:54:628665", parseTime},
	columnAction:  {"Action", `one of "allocate", "allocate failure" and "free"`, parseAction},
	columnPointer: {"Pointer", "an address like 0x7f2a30000000 or (nil), of at most 64 bits", parsePointer},
	columnSize:    {"Size", "a decimal number of bytes from 0 to 9223372036854775807", parseSize},
	columnStream:  {"Stream", "a stream like 0 or 0x7f2a30000000, of at most 64 bits", parseStream},
}

// ignored marks a column of a file that is not in columns.
const ignored = -1

// layout says for each field of a row which column it is.
type layout []int

// newLayout reads the header. On an error the position is that of the field to
// blame.
func newLayout(header []string) (l layout, position int, reason string) {
	for position, name := range header {
		index := columnIndex(name)
		if index != ignored && slices.Contains(l, index) {
			return nil, position, fmt.Sprintf("column %s is there twice", columns[index].name)
		}
		l = append(l, index)
	}
	if missing := l.missing(); len(missing) > 0 {
		return nil, 0, fmt.Sprintf("column %s is missing: the first line must name the columns, in any order: %s",
			strings.Join(missing, ", "), headerLine)
	}
	return l, 0, ""
}

func columnIndex(name string) int {
	name = strings.TrimSpace(name)
	for i, c := range columns {
		if strings.EqualFold(c.name, name) {
			return i
		}
	}
	return ignored
}

func (l layout) missing() (names []string) {
	for i, c := range columns {
		if !slices.Contains(l, i) {
			names = append(names, c.name)
		}
	}
	return names
}

// parse fills e from a row with as many fields as the header.
func (l layout) parse(e *Event, record []string) fault {
	for position, text := range record {
		index := l[position]
		if index != ignored && !columns[index].parse(e, text) {
			return fault{index, fmt.Sprintf("%s is not %s", quote(text), columns[index].want)}
		}
	}
	return e.fault()
}

// quote keeps hostile fields out of messages.
func quote(text string) string {
	const most = 40
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
