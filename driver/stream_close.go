package driver

import (
	"errors"
	"fmt"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// ending is what remains of a closed stream: an event that completes when the
// stream's last work does.
//
// Close makes it and holds mu from before the stream's gate is shut until the
// event is recorded, so that a free that comes in between waits for the event.
// Invariant: whoever else holds mu sees event 0 only if the work is known to be
// complete. Lock order: ending before afterlife.
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
	var done bool
	err := relaxed(dev, func() (err error) {
		done, err = dev.EventQuery(e.event)
		return err
	})
	if err != nil || !done {
		return false, err
	}
	return true, e.destroy(dev)
}

// destroy gives the event back. The caller holds mu.
func (e *ending) destroy(dev api.Device) error {
	if e.event == 0 {
		return nil
	}
	event := e.event
	e.event = 0
	return dev.EventDestroy(event)
}

// Close destroys the stream without waiting for its work. Allocating on a
// closed stream is ErrStreamClosed; memory freed on one is ordered after the
// work that was enqueued before Close. The default stream cannot be closed; a
// foreign stream is ended by Forget; one that is being captured is ErrCapture and
// stays open. A second Close is ErrStreamClosed.
func (s *Stream) Close() error {
	if s == nil {
		return badArgument("Stream.Close", "the stream is nil")
	}
	if s.kind != ownedStream {
		return badArgument("Stream.Close", "%v was not made by NewStream: its owner destroys it (Forget ends a wrap)", s)
	}
	if err := s.closable(); err != nil {
		return err
	}
	end := &ending{}
	end.mu.Lock()
	defer end.mu.Unlock()
	if !s.end.CompareAndSwap(nil, end) {
		return s.closedError("Stream.Close")
	}
	defer s.dev.drv.open.Add(-1)
	s.gate.shut()
	s.dev.streams.remove(s)
	s.dev.endings.sweep(s.dev.raw)
	kept := s.host.handOver(s)
	recorded := s.recordEnding(end)
	return errors.Join(kept, recorded, s.dev.raw.StreamDestroy(s.raw))
}

// closable refuses a stream that is being captured: its closing event would
// become part of the capture and never complete. A stream that cannot be asked,
// after a fault, can still be closed.
func (s *Stream) closable() error {
	if !s.gate.enter() {
		return nil // Close says so itself
	}
	defer s.gate.leave()
	if captured, err := s.captured(); err != nil || !captured {
		return nil
	}
	return s.capturedError("Stream.Close")
}

// recordEnding leaves the closing event behind. If none can be recorded it
// waits for the work instead: what is freed later must still be safe.
func (s *Stream) recordEnding(end *ending) error {
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
		s.dev.endings.add(end)
	}
	return err
}

// endings are the closing events of a device that were not complete when last
// asked, the oldest first. Each later Close sweeps up those that are.
type endings struct {
	mu   sync.Mutex
	list []*ending
}

func (e *endings) add(end *ending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, end)
}

// oldest returns the first of the list; nil if it is empty.
func (e *endings) oldest() *ending {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.list) == 0 {
		return nil
	}
	return e.list[0]
}

// drop takes end off the list if it is still the first.
func (e *endings) drop(end *ending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.list) > 0 && e.list[0] == end {
		e.list[0] = nil
		e.list = e.list[1:]
	}
}

// sweep destroys completed events up to the first that is not complete, which
// costs a Close about one query. An event that cannot be asked stays: the
// caller's own calls will report the fault.
func (e *endings) sweep(dev api.Device) {
	for end := e.oldest(); end != nil; end = e.oldest() {
		end.mu.Lock()
		done, _ := end.complete(dev)
		end.mu.Unlock()
		if !done {
			return
		}
		e.drop(end)
	}
}

// destroy gives all events back, once the device is idle and nobody else is
// left.
func (e *endings) destroy(dev api.Device) error {
	var errs []error
	for end := e.oldest(); end != nil; end = e.oldest() {
		end.mu.Lock()
		errs = append(errs, end.destroy(dev))
		end.mu.Unlock()
		e.drop(end)
	}
	return errors.Join(errs...)
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
	end.mu.Lock()
	defer end.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.wait(s.dev.raw, end); err != nil {
		return fmt.Errorf("%s: order after closed %v: %w", call, s, err)
	}
	return f(a.raw)
}

// wait orders the afterlife stream after an ending. The caller holds both locks.
func (a *afterlife) wait(dev api.Device, end *ending) (err error) {
	if a.raw == 0 {
		if a.raw, err = dev.StreamCreate(api.StreamNonBlocking, 0); err != nil {
			return err
		}
	}
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
