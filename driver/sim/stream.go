package sim

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// stream is a queue of operations on a device.
//
// Invariant: tail is the last operation enqueued, nil once it is complete; the
// stream is in device.streams until it is destroyed and tail is nil.
type stream struct {
	device    *device
	handle    api.Stream
	id        uint64
	blocking  bool
	destroyed bool
	tail      *op
	thread    *checker.Thread // nil without a checker
	at        time.Duration   // when its last operation completed

	capture  *capture // that records it, nil if none does
	frontier []*node
}

var lastStreamID atomic.Uint64 // IDs are unique in the process

// The range of stream priorities of an H200.
const leastPriority, greatestPriority = 0, -5

// newStream adds a stream to the device; one that has no handle yet is to be
// watched when it has. The caller holds the graph's lock or owns the device.
func newStream(d *device, handle api.Stream, flags api.StreamFlags) *stream {
	s := &stream{device: d, handle: handle, id: lastStreamID.Add(1), blocking: flags&api.StreamNonBlocking == 0}
	d.streams = append(d.streams, s)
	if handle != 0 {
		s.watch()
	}
	return s
}

// predecessors appends what a new operation on the stream must wait for.
func (s *stream) predecessors(ops []*op) []*op {
	if s.device.pending == 0 {
		return ops
	}
	if s == s.device.legacy {
		return s.device.blockingTails(ops)
	}
	if s.tail != nil {
		ops = append(ops, s.tail)
	}
	if legacy := s.device.legacy; s.blocking && legacy.tail != nil {
		ops = append(ops, legacy.tail)
	}
	return ops
}

// blockingTails appends the last operations of all streams with which the
// legacy default stream synchronises, itself included.
func (d *device) blockingTails(ops []*op) []*op {
	for _, s := range d.streams {
		if s.blocking && s.tail != nil {
			ops = append(ops, s.tail)
		}
	}
	return ops
}

// retire takes a completed operation off the books.
func (s *stream) retire(o *op) {
	s.device.pending--
	if s.tail != o {
		return
	}
	s.tail = nil
	if s.destroyed {
		s.device.forget(s)
	}
}

func (d *device) forget(s *stream) {
	i := slices.Index(d.streams, s)
	d.streams = slices.Delete(d.streams, i, i+1)
}

// unfinished are the operations whose completion makes the stream idle. The
// legacy default stream includes the blocking streams: it is synchronised with
// them at all times.
func (s *stream) unfinished() []*op {
	switch {
	case s.device.pending == 0 || (s != s.device.legacy && s.tail == nil):
		return nil
	case s == s.device.legacy:
		return s.device.blockingTails(nil)
	}
	return []*op{s.tail}
}

// stream finds the stream of a handle, for work. The caller holds the graph's
// lock.
func (d *device) stream(call string, handle api.Stream) (*stream, error) {
	s, err := d.anyStream(call, handle)
	if err != nil {
		return nil, err
	}
	return s, d.machine.graph.admit(call, s)
}

// anyStream finds the stream of a handle, whatever the state of its capture.
// The caller holds the graph's lock.
func (d *device) anyStream(call string, handle api.Stream) (*stream, error) {
	switch handle {
	case api.StreamDefault, api.StreamLegacy:
		return d.legacy, nil
	case api.StreamPerThread:
		return d.perThread, nil
	}
	s := d.machine.graph.streams.get(uintptr(handle))
	if s == nil {
		return nil, fail(call, api.CodeInvalidHandle, "%#x is not a stream, or not any more", uintptr(handle))
	}
	if s.device != d {
		return nil, fail(call, api.CodeInvalidHandle, "stream %#x belongs to device %d, the call is on device %d", uintptr(handle), s.device.info.Ordinal, d.info.Ordinal)
	}
	return s, nil
}
