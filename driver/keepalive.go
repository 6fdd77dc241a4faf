package driver

import (
	"runtime"
	"sync"
)

// keepAlive holds the Go memory of asynchronous copies, and of launched graphs,
// reachable until the stream has surely finished with it.
//
// The Go collector does not move heap memory, so being reachable is enough.
// References are kept in the order of their copies and released as a prefix: a
// completed synchronisation or query of the stream releases what was enqueued
// before it was called. Invariant: a reference enters the list after its work
// was enqueued, so what is before a mark is before the query that follows. A
// stream that is only ever fed is asked for its state now and then (holdCount,
// holdBytes), before the work because after it the stream is never idle; while it
// is busy the list grows with the work in flight.
type keepAlive struct {
	mu       sync.Mutex
	refs     []kept
	released uint64 // number of references released so far
	bytes    int    // sum of those in refs
}

// kept is a reference to Go memory: a pointer to its first element, because that
// makes an interface without an allocation.
type kept struct {
	first any
	bytes int
}

// How much gathers before the stream is asked whether it is idle.
const (
	holdCount = 64
	holdBytes = 16 << 20
)

// due reports whether it is time to ask the stream.
func (k *keepAlive) due() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.refs) >= holdCount || k.bytes >= holdBytes
}

// hold keeps memory, whose work was enqueued, until released.
func (k *keepAlive) hold(memory kept) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refs = append(k.refs, memory)
	k.bytes += memory.bytes
}

// mark is a point in the list for release: everything held before it.
func (k *keepAlive) mark() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.released + uint64(len(k.refs))
}

// release lets go of everything held before mark.
func (k *keepAlive) release(mark uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if mark <= k.released {
		return
	}
	n := int(mark - k.released)
	for _, memory := range k.refs[:n] {
		k.bytes -= memory.bytes
	}
	rest := copy(k.refs, k.refs[n:])
	clear(k.refs[rest:])
	k.refs = k.refs[:rest]
	k.released = mark
}

// take empties the list and returns what was in it.
func (k *keepAlive) take() []kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	refs := k.refs
	k.released += uint64(len(refs))
	k.refs, k.bytes = nil, 0
	return refs
}

// handOver leaves what the stream still holds to a host function at the end of
// its queue, because the Stream itself is about to go.
func (k *keepAlive) handOver(s *Stream) error {
	refs := k.take()
	if len(refs) == 0 {
		return nil
	}
	return s.dev.raw.LaunchHostFunc(s.raw, func() { runtime.KeepAlive(refs) })
}
