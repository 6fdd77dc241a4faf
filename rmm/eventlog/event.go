package eventlog

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
)

// Action is what a row of a log reports.
type Action uint8

// The actions. The zero Action is none of them.
const (
	// Allocate is an allocation that succeeded.
	Allocate Action = iota + 1
	// AllocateFailure is an allocation that failed; its pointer is 0.
	AllocateFailure
	// Free is a deallocation.
	Free
)

// ErrInvalidEvent means that an event contradicts itself or cannot be written.
var ErrInvalidEvent = errors.New("invalid event")

var actionNames = [...]string{Allocate: "allocate", AllocateFailure: "allocate failure", Free: "free"}

// String is the action as logs write it: "allocate", "allocate failure" or
// "free".
func (a Action) String() string {
	if !a.valid() {
		return fmt.Sprintf("Action(%d)", uint8(a))
	}
	return actionNames[a]
}

func (a Action) valid() bool { return a >= Allocate && a <= Free }

// Event is one row of a log.
type Event struct {
	// Thread is the identifier of the operating system's thread that made the
	// call.
	Thread uint64
	// Time is the local time of day of the call. Logs keep microseconds.
	Time time.Duration
	// Ptr is the address; 0 is written (nil).
	Ptr uint64
	// Size is the number of bytes asked for, without any rounding.
	Size int
	// Stream is the handle of the CUDA stream: 0 and 1 are the legacy default
	// stream, 2 the per-thread one.
	Stream uint64
	// Action tells which call it was.
	Action Action
}

// day bounds Event.Time.
const day = 24 * time.Hour

// Check returns an error that is ErrInvalidEvent if no call can have left this
// event: an unknown action, a time outside the day, a negative size, memory
// that reaches past the end of the address space, or a successful allocation of
// memory at 0.
func (e Event) Check() error {
	if f := e.fault(); f.reason != "" {
		return fmt.Errorf("%w: %s %s", ErrInvalidEvent, columns[f.column].name, f.reason)
	}
	return nil
}

// fault is what is wrong with one field; the zero fault is none.
type fault struct {
	column int // index into columns
	reason string
}

func (e Event) fault() fault {
	switch {
	case !e.Action.valid():
		return fault{columnAction, fmt.Sprintf("%d is none of allocate, allocate failure and free", uint8(e.Action))}
	case e.Time < 0 || e.Time >= day:
		return fault{columnTime, fmt.Sprintf("%v is not a time of day: it must be at least 0 and below 24 h", e.Time)}
	case e.Size < 0:
		return fault{columnSize, fmt.Sprintf("%d is negative", e.Size)}
	case uint64(e.Size) > math.MaxUint64-e.Ptr:
		return fault{columnSize, fmt.Sprintf("%d bytes at %#x reach past the end of the address space", e.Size, e.Ptr)}
	case e.Action == Allocate && e.Ptr == 0 && e.Size > 0:
		return fault{columnPointer, fmt.Sprintf("is nil for %d bytes: write a failed allocation as %q", e.Size, AllocateFailure)}
	}
	return fault{}
}

// Values is a log that lies in memory.
func Values(events []Event) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}
