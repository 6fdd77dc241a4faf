package driver

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// ending is what remains of a closed stream: an event that completes when the
// stream's last work does.
//
// Invariant: event is 0 once the work is known to be complete.
type ending struct {
	mu    sync.Mutex
	event api.Event
}

// complete asks whether the stream's work has finished, and forgets the event
// when it has. The caller holds mu.
func (e *ending) complete(dev api.Device) (bool, error) {
	if e.event == 0 {
		return true, nil
	}
	done, err := dev.EventQuery(e.event)
	if err != nil || !done {
		return false, err
	}
	event := e.event
	e.event = 0
	return true, dev.EventDestroy(event)
}

// Close destroys the stream without waiting for its work. Allocating on a
// closed stream is ErrStreamClosed; memory freed on one is ordered after the
// work that was enqueued before Close. The default stream cannot be closed; a
// foreign stream is ended by Forget. A second Close is ErrStreamClosed.
func (s *Stream) Close() error {
	if s == nil {
		return badArgument("Stream.Close", "the stream is nil")
	}
	if s.kind != ownedStream {
		return badArgument("Stream.Close", "%v was not made by NewStream: its owner destroys it (Forget ends a wrap)", s)
	}
	if !s.gate.shut() {
		return s.closedError("Stream.Close")
	}
	defer s.dev.drv.open.Add(-1)
	s.dev.streams.remove(s)
	kept := s.host.handOver(s)
	recorded := s.recordEnding()
	return errors.Join(kept, recorded, s.dev.raw.StreamDestroy(s.raw))
}

// recordEnding leaves the closing event behind. If none can be recorded it
// waits for the work instead: what is freed later must still be safe.
func (s *Stream) recordEnding() error {
	end := &ending{}
	end.mu.Lock()
	defer end.mu.Unlock()
	s.end.Store(end)
	event, err := s.dev.raw.EventCreate(api.EventDisableTiming)
	if err == nil {
		if err = s.dev.raw.EventRecord(event, s.raw); err != nil {
			err = errors.Join(err, s.dev.raw.EventDestroy(event))
		}
	}
	if err != nil {
		return errors.Join(err, s.dev.raw.StreamSynchronize(s.raw))
	}
	end.event = event
	done, err := end.complete(s.dev.raw)
	if !done {
		runtime.AddCleanup(s, destroyEnding, orphan{s.dev, end})
	}
	return err
}

// orphan is what a collected stream leaves to its clean-up.
type orphan struct {
	dev *Device
	end *ending
}

// destroyEnding gives the closing event back when nobody can ask for it any
// more. It touches no memory that work on the stream might use.
func destroyEnding(o orphan) {
	if !o.dev.drv.gate.enter() {
		return // the context is gone, and the event with it
	}
	defer o.dev.drv.gate.leave()
	o.end.mu.Lock()
	defer o.end.mu.Unlock()
	if o.end.event != 0 {
		_ = o.dev.raw.EventDestroy(o.end.event) // nobody is left to tell
		o.end.event = 0
	}
}

// afterlife is a stream of the library's own, on which memory is freed whose
// stream is closed.
type afterlife struct {
	mu  sync.Mutex
	raw api.Stream // 0 until first needed
}

// after runs f on the afterlife stream, ordered after all work of the closed
// stream s.
func (a *afterlife) after(s *Stream, call string, f func(api.Stream) error) error {
	end := s.end.Load()
	if end == nil {
		return s.closedError(call) // a forgotten wrap: nothing orders its work
	}
	if err := s.dev.enter(call); err != nil {
		return err
	}
	defer s.dev.drv.gate.leave()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.wait(s.dev.raw, end); err != nil {
		return fmt.Errorf("%s: order after closed %v: %w", call, s, err)
	}
	return f(a.raw)
}

// wait orders the afterlife stream after an ending. The caller holds a.mu.
func (a *afterlife) wait(dev api.Device, end *ending) (err error) {
	if a.raw == 0 {
		if a.raw, err = dev.StreamCreate(api.StreamNonBlocking, 0); err != nil {
			return err
		}
	}
	end.mu.Lock()
	defer end.mu.Unlock()
	if done, err := end.complete(dev); done || err != nil {
		return err
	}
	return dev.StreamWaitEvent(a.raw, end.event)
}

func (a *afterlife) close(d *Device) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.raw == 0 {
		return nil
	}
	return d.raw.StreamDestroy(a.raw)
}
