package driver

import (
	"errors"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// streamTable finds the Stream that a CUDA handle names now.
//
// CUDA gives the handle of a destroyed stream to the next one it creates, with
// a new driver ID. Invariant: current[h] is the newest Stream known for h;
// whoever finds another driver ID there replaces it.
type streamTable struct {
	mu      sync.Mutex
	current map[api.Stream]*Stream
}

// add returns what the handle named before, a stream that is no more.
func (t *streamTable) add(s *Stream) (stale *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	stale = t.current[s.raw]
	t.current[s.raw] = s
	return stale
}

// remove forgets s unless its handle already names another stream.
func (t *streamTable) remove(s *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current[s.raw] == s {
		delete(t.current, s.raw)
	}
}

// close ends the wraps that nobody has forgotten.
func (t *streamTable) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.current {
		s.retire()
	}
}

// WrapStream returns the Stream for a CUstream that other code in the process
// created on this device: the same *Stream for as long as the handle names the
// same stream. Handles 0 and 1 are the default stream. Handle 2, the per-thread
// default stream, is a different queue on every OS thread: memory freed on it
// is reused only after the whole device has been synchronised.
//
// The owner may destroy the stream at any time; tell this package by Forget. A
// stream that is being captured cannot be asked for its identity: it is taken
// for the one last seen under that handle.
func (d *Device) WrapStream(handle uintptr) (*Stream, error) {
	if err := d.enter("Device.WrapStream"); err != nil {
		return nil, err
	}
	defer d.drv.gate.leave()
	raw := api.Stream(handle)
	if raw == api.StreamDefault || raw == api.StreamLegacy {
		return d.defaultStream, nil
	}
	s, stale, err := d.lookUp(raw)
	stale.retire() // outside the table's lock: it waits for calls in flight
	return s, err
}

// lookUp finds or makes the Stream of a handle; stale is a wrap of the stream
// that had the handle before.
func (d *Device) lookUp(raw api.Stream) (s, stale *Stream, err error) {
	d.streams.mu.Lock()
	defer d.streams.mu.Unlock()
	known := d.streams.current[raw]
	id, err := d.identify(raw)
	if err != nil {
		return nil, nil, err
	}
	if known != nil && (id == 0 || id == known.driverID) {
		return known, nil, nil
	}
	if known != nil && known.driverID != 0 {
		stale = known // of one wrapped without an ID there is no telling
	}
	return d.wrap(raw, id), stale, nil
}

// identify asks for the driver's ID of a foreign stream; 0 means that there is
// no telling.
func (d *Device) identify(raw api.Stream) (uint64, error) {
	if raw == api.StreamPerThread {
		return 0, nil
	}
	id, err := d.raw.StreamID(raw)
	if errors.Is(err, ErrNotSupported) || errors.Is(err, ErrCapture) {
		return 0, nil
	}
	return id, err
}

// wrap replaces what the table knows of the handle. The caller holds the
// table's lock.
func (d *Device) wrap(raw api.Stream, id uint64) *Stream {
	kind := foreignStream
	if raw == api.StreamPerThread {
		kind = perThread
	}
	s := newStream(d, raw, kind)
	s.driverID = id
	d.streams.current[raw] = s
	return s
}

// Forget ends the wrap of a foreign stream, which its owner is about to destroy
// or has destroyed. Later use of s is ErrStreamClosed. Only streams from
// WrapStream can be forgotten.
func (s *Stream) Forget() error {
	if s == nil || !s.Foreign() {
		return badArgument("Stream.Forget", "%v is not a wrapped stream: close it instead", s)
	}
	s.dev.streams.remove(s)
	if !s.retire() {
		return s.closedError("Stream.Forget")
	}
	return nil
}

// retire ends the use of a wrap; false if there is none to end.
func (s *Stream) retire() bool {
	if s == nil || !s.Foreign() || !s.gate.shut() {
		return false
	}
	for _, memory := range s.host.take() {
		s.dev.limbo.hold(memory) // nobody can ask the stream any more
	}
	return true
}

// Foreign reports whether other code owns the stream and may destroy it at any
// time.
func (s *Stream) Foreign() bool { return s.kind == foreignStream || s.kind == perThread }

// open reports a closed driver without holding it open.
func (d *Device) open(call string) error {
	err := d.enter(call)
	if err == nil {
		d.drv.gate.leave()
	}
	return err
}
