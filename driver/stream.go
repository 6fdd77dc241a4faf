package driver

import (
	"fmt"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// streamKind says who made a stream and what may be done with it.
type streamKind uint8

const (
	ownedStream   streamKind = iota // NewStream made it, Close destroys it
	defaultStream                   // the device's legacy default stream
	foreignStream                   // WrapStream: somebody else destroys it
	perThread                       // handle 2: another queue on every OS thread
)

// Stream is a queue of work on one device. Its ID, unlike its CUDA handle, is
// never used again.
type Stream struct {
	dev      *Device
	raw      api.Stream
	id       uint64
	kind     streamKind
	driverID uint64 // CUDA's own identifier, 0 if it has none
	gate     gate
	end      atomic.Pointer[ending] // set once Close has begun
	host     keepAlive
	capture  atomic.Uint64 // the ID of the capture that BeginCapture began, 0 if none
}

var lastStreamID atomic.Uint64

func newStream(dev *Device, raw api.Stream, kind streamKind) *Stream {
	return &Stream{dev: dev, raw: raw, id: lastStreamID.Add(1), kind: kind, gate: newGate()}
}

// StreamOptions describes a stream to create.
type StreamOptions struct {
	// Blocking makes the stream synchronise with the legacy default stream, as
	// CUDA's plain streams do. Default: non-blocking.
	Blocking bool
	// Priority is the scheduling priority; lower is more urgent, out-of-range
	// values are clamped by CUDA (see Device.StreamPriorities). Default: 0.
	Priority int
}

// NewStream creates a stream on the device. Close it after use.
func (d *Device) NewStream(opts StreamOptions) (*Stream, error) {
	if err := d.register("Device.NewStream"); err != nil {
		return nil, err
	}
	flags := api.StreamNonBlocking
	if opts.Blocking {
		flags = api.StreamBlocking
	}
	raw, err := d.raw.StreamCreate(flags, opts.Priority)
	if err != nil {
		d.drv.open.Add(-1)
		return nil, err
	}
	s := newStream(d, raw, ownedStream)
	s.driverID, _ = d.raw.StreamID(raw) // 0 where the driver has no IDs
	d.streams.add(s).retire()
	return s, nil
}

// StreamPriorities returns the least and the most urgent priority that NewStream
// tells apart (on most GPUs 0 and -5).
func (d *Device) StreamPriorities() (least, greatest int, err error) {
	if err := d.enter("Device.StreamPriorities"); err != nil {
		return 0, 0, err
	}
	defer d.drv.gate.leave()
	return d.raw.StreamPriorities()
}

// DefaultStream is the device's legacy default stream, CUDA's handles 0 and 1:
// it synchronises with every blocking stream. It cannot be closed.
func (d *Device) DefaultStream() *Stream { return d.defaultStream }

// Device is the device that the stream belongs to.
func (s *Stream) Device() *Device { return s.dev }

// ID identifies the stream within the process; no other stream ever has it.
func (s *Stream) ID() uint64 { return s.id }

// Handle is the CUstream, for C libraries in the same process. The legacy
// default stream is 1. A handle may name another stream after Close.
func (s *Stream) Handle() uintptr { return uintptr(s.raw) }

// String names the stream in messages.
func (s *Stream) String() string {
	switch {
	case s == nil:
		return "no stream"
	case s.kind == defaultStream:
		return fmt.Sprintf("default stream of %v", s.dev)
	case s.kind == perThread:
		return fmt.Sprintf("per-thread default stream of %v", s.dev)
	}
	return fmt.Sprintf("stream %d (%#x) of %v", s.id, uintptr(s.raw), s.dev)
}

// Closed reports whether Close or Forget has begun.
func (s *Stream) Closed() bool { return s.gate.isShut() }

// Query reports whether all work enqueued on the stream is complete.
func (s *Stream) Query() (bool, error) {
	if err := s.enter("Stream.Query"); err != nil {
		return false, err
	}
	defer s.gate.leave()
	mark := s.host.mark()
	done, err := s.dev.raw.StreamQuery(s.raw)
	if done && err == nil {
		s.host.release(mark)
	}
	return done, err
}

// Synchronize blocks until all work enqueued on the stream is complete. Errors
// of that work (a fault in a kernel) appear here.
func (s *Stream) Synchronize() error {
	if err := s.enter("Stream.Synchronize"); err != nil {
		return err
	}
	defer s.gate.leave()
	mark := s.host.mark()
	err := s.dev.raw.StreamSynchronize(s.raw)
	if err == nil {
		s.host.release(mark)
	}
	return err
}

// WaitEvent makes later work on the stream wait, on the device, for what e last
// recorded. The event may belong to another device. An event that never
// recorded anything is not waited for.
func (s *Stream) WaitEvent(e *Event) error {
	const call = "Stream.WaitEvent"
	if err := s.enterWith(call, e); err != nil {
		return err
	}
	err := s.dev.sameDriver(call, e.dev)
	if err == nil {
		err = s.dev.raw.StreamWaitEvent(s.raw, e.raw)
	}
	s.gate.leave()
	e.gate.leave()
	return err
}

// LaunchHostFunc runs f on a thread of the driver's once earlier work on the
// stream is complete; later work waits for f to return. On a stream that is
// being captured it runs at each launch of the graph. f must not use CUDA, and
// should be short: it holds up the stream.
func (s *Stream) LaunchHostFunc(f func()) error {
	if f == nil {
		return badArgument("Stream.LaunchHostFunc", "the function is nil")
	}
	if err := s.enter("Stream.LaunchHostFunc"); err != nil {
		return err
	}
	defer s.gate.leave()
	return s.dev.raw.LaunchHostFunc(s.raw, f)
}

// enter holds the stream open for one call; the caller leaves s.gate.
func (s *Stream) enter(call string) error {
	if s == nil {
		return nilStream(call)
	}
	if !s.gate.enter() {
		return s.closedError(call)
	}
	return nil
}

// enterWith holds the stream and an event open for one call; the caller leaves
// both gates.
func (s *Stream) enterWith(call string, e *Event) error {
	if s == nil || e == nil || !e.gate.enter() {
		return s.refuseWith(call, e)
	}
	if !s.gate.enter() {
		e.gate.leave()
		return s.closedError(call)
	}
	return nil
}

func (s *Stream) refuseWith(call string, e *Event) error {
	switch {
	case s == nil:
		return nilStream(call)
	case e == nil:
		return nilEvent(call)
	}
	return e.closedError(call)
}

func (s *Stream) closedError(call string) error {
	return fmt.Errorf("%s: %v: %w", call, s, ErrStreamClosed)
}

func nilStream(call string) error {
	return badArgument(call, "the stream is nil: use Device.DefaultStream or Device.NewStream")
}
