package cudart

import (
	"math"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// EventCreate makes an event of this device.
func (d *device) EventCreate(flags api.EventFlags) (api.Event, error) {
	e, err := d.callOut(&d.b.rt.eventCreate, uintptr(flags))
	return api.Event(e), err
}

// EventDestroy returns at once, also while e is recorded but not complete.
func (d *device) EventDestroy(e api.Event) error {
	return d.call(&d.b.rt.eventDestroy, uintptr(e))
}

// EventRecord makes e stand for the work on s so far.
func (d *device) EventRecord(e api.Event, s api.Stream) error {
	return d.call(&d.b.rt.eventRecord, uintptr(e), handle(s))
}

// EventQuery reports whether what e last recorded is complete.
func (d *device) EventQuery(e api.Event) (bool, error) {
	return d.query(&d.b.rt.eventQuery, uintptr(e))
}

// EventSynchronize waits for what e last recorded.
func (d *device) EventSynchronize(e api.Event) error {
	return d.call(&d.b.rt.eventSynchronize, uintptr(e))
}

// EventElapsed is the time between two events in milliseconds.
func (d *device) EventElapsed(start, end api.Event) (float32, error) {
	bits, err := d.callOut(&d.b.rt.eventElapsed, uintptr(start), uintptr(end))
	return math.Float32frombits(uint32(bits)), err
}
