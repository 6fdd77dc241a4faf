package driver

import (
	"fmt"
	"time"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Event marks a point in a stream.
type Event struct {
	dev    *Device
	raw    api.Event
	timing bool
	gate   gate
}

// EventOptions describes an event to create.
type EventOptions struct {
	// Timing lets Elapsed measure; it makes recording slower. Default: off.
	Timing bool
	// BlockingSync lets Synchronize sleep instead of spinning. Default: off.
	BlockingSync bool
	// Interprocess lets IpcHandle export the event; it excludes Timing. Default:
	// off.
	Interprocess bool
}

// NewEvent creates an event on the device. Close it after use.
func (d *Device) NewEvent(opts EventOptions) (*Event, error) {
	const call = "Device.NewEvent"
	if opts.Interprocess && opts.Timing {
		return nil, badArgument(call, "an event is either Interprocess or has Timing: leave one out")
	}
	if err := d.register(call); err != nil {
		return nil, err
	}
	raw, err := d.raw.EventCreate(opts.flags())
	if err != nil {
		d.drv.open.Add(-1)
		return nil, err
	}
	return &Event{dev: d, raw: raw, timing: opts.Timing, gate: newGate()}, nil
}

func (o EventOptions) flags() (flags api.EventFlags) {
	if !o.Timing {
		flags |= api.EventDisableTiming
	}
	if o.BlockingSync {
		flags |= api.EventBlockingSync
	}
	if o.Interprocess {
		flags |= api.EventInterprocess
	}
	return flags
}

// Device is the device that the event belongs to.
func (e *Event) Device() *Device { return e.dev }

// Handle is the CUevent, for C libraries in the same process.
func (e *Event) Handle() uintptr { return uintptr(e.raw) }

// Record makes the event stand for all work enqueued on s so far. The stream
// must belong to the event's device (ErrWrongDevice).
func (e *Event) Record(s *Stream) error {
	const call = "Event.Record"
	if err := s.enterWith(call, e); err != nil {
		return err
	}
	var err error
	if s.dev == e.dev {
		err = e.dev.raw.EventRecord(e.raw, s.raw)
	} else {
		err = wrongDevice(call, s.String(), s.dev, e.dev)
	}
	s.gate.leave()
	e.gate.leave()
	return err
}

// Query reports whether the work that the event last recorded is complete; true
// if it never recorded anything.
func (e *Event) Query() (bool, error) { return e.query("Event.Query") }

func (e *Event) query(call string) (bool, error) {
	if err := e.enter(call); err != nil {
		return false, err
	}
	defer e.gate.leave()
	return e.dev.raw.EventQuery(e.raw)
}

// Synchronize blocks until the work that the event last recorded is complete.
func (e *Event) Synchronize() error {
	if err := e.enter("Event.Synchronize"); err != nil {
		return err
	}
	defer e.gate.leave()
	return e.dev.raw.EventSynchronize(e.raw)
}

// Elapsed is the time on the device from start to e, to about half a
// microsecond. Both events must have been created with Timing and have
// recorded completed work (ErrNotReady otherwise).
func (e *Event) Elapsed(start *Event) (time.Duration, error) {
	if err := e.enter("Event.Elapsed"); err != nil {
		return 0, err
	}
	defer e.gate.leave()
	if err := start.enter("Event.Elapsed"); err != nil {
		return 0, err
	}
	defer start.gate.leave()
	if e.dev != start.dev {
		return 0, wrongDevice("Event.Elapsed", "the start", start.dev, e.dev)
	}
	if !e.timing || !start.timing {
		return 0, badArgument("Event.Elapsed", "both events need EventOptions{Timing: true}")
	}
	ms, err := e.dev.raw.EventElapsed(start.raw, e.raw)
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// Close destroys the event; work that waits for it still does. A second Close
// is ErrClosed.
func (e *Event) Close() error {
	if e == nil {
		return badArgument("Event.Close", "the event is nil")
	}
	if !e.gate.shut() {
		return e.closedError("Event.Close")
	}
	defer e.dev.drv.open.Add(-1)
	return e.dev.raw.EventDestroy(e.raw)
}

// enter holds the event open for one call; the caller leaves e.gate.
func (e *Event) enter(call string) error {
	if e == nil {
		return nilEvent(call)
	}
	if !e.gate.enter() {
		return e.closedError(call)
	}
	return nil
}

func (e *Event) closedError(call string) error {
	return fmt.Errorf("%s: the event is %w", call, ErrClosed)
}

func nilEvent(call string) error {
	return badArgument(call, "the event is nil: make one with Device.NewEvent")
}
