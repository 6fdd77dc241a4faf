package sim

import (
	"slices"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Stall holds a stream up, as slow work on the device would: what is enqueued on
// it from here on does not begin before release is called, or the machine is
// closed. stream is the handle (driver.Stream.Handle). A second release does
// nothing.
//
// With Config.Seed a stall also ends when nothing else is left to run.
func (m *Machine) Stall(device int, stream uintptr) (release func(), err error) {
	const call = "Machine.Stall"
	if device < 0 || device >= len(m.devices) {
		return nil, fail(call, api.CodeInvalidDevice, "device %d does not exist, there are %d", device, len(m.devices))
	}
	g := m.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	s, err := m.devices[device].stream(call, api.Stream(stream))
	if err != nil {
		return nil, err
	}
	o := g.stall(s)
	return sync.OnceFunc(func() { g.release(o) }), nil
}

// stall makes later work on s wait for an operation that only release completes.
// The caller holds the lock.
func (g *graph) stall(s *stream) *op {
	g.seq++
	o := &op{stream: s, seq: g.seq}
	s.device.pending++
	g.stalled = append(g.stalled, o)
	g.enqueue(s, nil, o)
	return o
}

// release ends a stall, unless it has ended.
func (g *graph) release(o *op) {
	g.mu.Lock()
	i := slices.Index(g.stalled, o)
	if i >= 0 {
		g.stalled = slices.Delete(g.stalled, i, i+1)
	}
	g.mu.Unlock()
	if i >= 0 {
		g.finish(o)
	}
}

// releaseAll ends all stalls.
func (g *graph) releaseAll() {
	g.mu.Lock()
	stalled := slices.Clone(g.stalled)
	g.mu.Unlock()
	for _, o := range stalled {
		g.release(o)
	}
}
