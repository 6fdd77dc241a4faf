package sim

import (
	"slices"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var _ api.Contexts = (*device)(nil)

// PrimaryContextReset waits for the work of the device, destroys its streams,
// events, pools, graphs and modules, frees its memory and the pinned and managed memory allocated
// through it, ends its access to peers and theirs to it, and makes a sticky
// fault be forgotten. Physical memory of MemCreate and reserved addresses belong
// to no context and stay.
func (d *device) PrimaryContextReset() error {
	m := d.machine
	if err := m.enter("cuDevicePrimaryCtxReset_v2"); err != nil {
		return err
	}
	d.drain()
	m.graph.reset(d)
	m.modules.reset(d)
	m.host.reset(d)
	m.space.reset(d)
	d.memory.reset()
	m.parted(d)
	d.fault.Store(nil)
	return nil
}

// reset destroys the streams and events of a device, and gives it new default
// streams.
func (g *graph) reset(d *device) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.streams.removeIf(func(s *stream) bool { return s.device == d })
	g.events.removeIf(func(e *event) bool {
		if e.device == d && e.interprocess {
			d.machine.exports.remove(e)
		}
		return e.device == d
	})
	for _, c := range slices.Clone(g.captures) {
		if c.graph.device == d {
			g.end(c)
		}
	}
	g.templates.removeIf(func(t *template) bool { return t.device == d })
	g.execs.removeIf(func(e *executable) bool { return e.device == d })
	d.streams, d.opened, d.events, d.graphs = nil, 0, 0, 0
	d.legacy = newStream(d, api.StreamLegacy, api.StreamBlocking)
	d.perThread = newStream(d, api.StreamPerThread, api.StreamBlocking)
}

func (h *handles[T]) removeIf(gone func(*T) bool) {
	for i, v := range h.live {
		if v != nil && gone(v) {
			h.remove(h.base + uintptr(i)*spacing)
		}
	}
}

// reset frees the memory that was allocated through a device.
func (h *hostMemory) reset(d *device) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, b := range h.live.all() {
		if b.device != d {
			continue
		}
		h.live.remove(b)
		if !b.registered {
			h.heap.free(b)
		}
	}
}

// reset ends what a device has imported.
func (a *addressSpace) reset(d *device) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range slices.Clone(a.reservations) {
		if r.device == d && r.alias != nil {
			a.drop(r)
		}
	}
}

// reset frees everything that was allocated, and destroys all pools but the
// default one.
func (m *memory) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.live.all() {
		m.device.machine.graph.check.Freed(nil, "cuDevicePrimaryCtxReset", Ptr(b.base), b.asked)
		m.live.remove(b)
		b.node = nil
		m.restore(b)
	}
	m.sweepRetired()
	for b := range m.leaving { // a fault has kept their streams from freeing them
		m.restore(b)
	}
	m.handles.removeIf(func(p *pool) bool { return p != m.current })
	for _, p := range m.pools {
		p.destroyed = p != m.current
		m.device.machine.exports.remove(p)
		p.trim(0)
	}
	m.bury()
}

// parted ends the access between a device and its peers.
func (m *Machine) parted(d *device) {
	for _, other := range m.devices {
		other.peers.mu.Lock()
		delete(other.peers.enabled, d)
		if other == d {
			clear(d.peers.enabled)
		}
		other.peers.mu.Unlock()
	}
}

// all is everything in the index.
func (x *index) all() []*block {
	var blocks []*block
	for _, k := range x.buckets {
		blocks = append(blocks, k.blocks[:k.n]...)
	}
	return blocks
}
