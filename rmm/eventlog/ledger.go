package eventlog

import (
	"errors"
	"fmt"
	"iter"
	"math"
)

// ErrTooMuchLive means that a log claims more live memory than an int counts.
var ErrTooMuchLive = errors.New("more than 9223372036854775807 bytes are live at once: this is not the log of one device")

// Summary is what a log amounts to.
type Summary struct {
	Rows        int
	Allocations int // rows "allocate"
	Frees       int // rows "free", unmatched ones included
	Failures    int // rows "allocate failure"
	Threads     int
	Streams     int

	// UnmatchedFrees are frees of memory that was not live.
	UnmatchedFrees int
	// PeakLiveBytes is the most memory that was live at once, each allocation
	// rounded up to 256 bytes, the alignment of device memory.
	PeakLiveBytes int
	// LiveAtEnd is the number of allocations that the log does not free.
	LiveAtEnd int
	// LiveBytesAtEnd is their size, as requested.
	LiveBytesAtEnd int
}

// Summarize reads a log to its end. On an error the summary is that of the rows
// before it.
func Summarize(log iter.Seq2[Event, error]) (Summary, error) {
	var ledger Ledger
	for event, err := range log {
		if err == nil {
			_, err = ledger.Enter(event)
		}
		if err != nil {
			return ledger.Summary(), err
		}
	}
	return ledger.Summary(), nil
}

// Ledger pairs the frees of a log with its allocations and keeps the sums. The
// zero Ledger is empty. Not safe for concurrent use.
//
// Rows with a nil pointer are counted, but hold no memory and are paired with
// nothing. An address that is allocated again without a free in between belongs
// to the later allocation; the earlier one stays live.
type Ledger struct {
	sums      Summary
	numbered  int
	roundLive int // as Summary.PeakLiveBytes
	live      map[uint64]allocation
	threads   map[uint64]struct{}
	streams   map[uint64]struct{}
}

type allocation struct {
	number int
	size   int
}

// Unpaired is the number of a row that neither makes nor ends an allocation.
const Unpaired = -1

// alignment is what every allocation is rounded up to.
const alignment = 256

// Enter takes the next row and returns the number, from 0, of the allocation
// that it makes or ends, Unpaired for other rows. An event that fails its Check
// is not entered; nor is one that would be ErrTooMuchLive.
func (l *Ledger) Enter(e Event) (number int, err error) {
	if err := e.Check(); err != nil {
		return Unpaired, err
	}
	if e.Action == Allocate && e.Size > math.MaxInt-alignment-l.roundLive {
		return Unpaired, fmt.Errorf("allocation of %d bytes beside %d: %w", e.Size, l.roundLive, ErrTooMuchLive)
	}
	l.count(e)
	switch {
	case e.Action == Free:
		return l.free(e), nil
	case e.Action == Allocate && e.Ptr != 0:
		return l.allocate(e), nil
	}
	return Unpaired, nil
}

// Summary is the sum of what was entered so far.
func (l *Ledger) Summary() Summary {
	s := l.sums
	s.Threads, s.Streams = len(l.threads), len(l.streams)
	return s
}

func (l *Ledger) count(e Event) {
	if l.live == nil {
		l.live = make(map[uint64]allocation)
		l.threads, l.streams = make(map[uint64]struct{}), make(map[uint64]struct{})
	}
	l.sums.Rows++
	l.threads[e.Thread], l.streams[e.Stream] = struct{}{}, struct{}{}
	switch e.Action {
	case Allocate:
		l.sums.Allocations++
	case AllocateFailure:
		l.sums.Failures++
	case Free:
		l.sums.Frees++
	}
}

func (l *Ledger) allocate(e Event) int {
	a := allocation{l.numbered, e.Size}
	l.numbered++
	l.live[e.Ptr] = a
	l.add(1, a)
	l.sums.PeakLiveBytes = max(l.sums.PeakLiveBytes, l.roundLive)
	return a.number
}

func (l *Ledger) free(e Event) int {
	a, ok := l.live[e.Ptr]
	switch {
	case ok:
		delete(l.live, e.Ptr)
		l.add(-1, a)
		return a.number
	case e.Ptr != 0:
		l.sums.UnmatchedFrees++
	}
	return Unpaired
}

// add enters an allocation (sign 1) or takes it out (-1).
func (l *Ledger) add(sign int, a allocation) {
	l.sums.LiveAtEnd += sign
	l.sums.LiveBytesAtEnd += sign * a.size
	l.roundLive += sign * ((a.size + alignment - 1) / alignment * alignment)
}
