package sim

// Outstanding is what a program has on one device and has not given back.
type Outstanding struct {
	Device       int // ordinal
	Allocations  int // device memory, and pinned and managed memory allocated through the device
	Bytes        int // as they were asked for
	Streams      int // created and not destroyed
	Events       int
	Pools        int // created and not destroyed
	Operations   int // enqueued and not complete
	MemHandles   int // of physical memory, not released
	Modules      int // loaded and not unloaded
	Graphs       int // and their instances, not destroyed
	Reservations int // of addresses, not freed; imported allocations too
}

// Outstanding tells per device what is live now; after Close, what the program
// left behind. A test that ends with every field but Device zero leaked
// nothing.
func (m *Machine) Outstanding() []Outstanding {
	all := make([]Outstanding, len(m.devices))
	for i, d := range m.devices {
		all[i] = d.outstanding()
	}
	m.host.mu.RLock()
	defer m.host.mu.RUnlock()
	for _, b := range m.host.live.all() {
		o := &all[b.device.info.Ordinal]
		o.Allocations++
		o.Bytes += b.asked
	}
	return all
}

func (d *device) outstanding() Outstanding {
	d.machine.space.mu.RLock()
	defer d.machine.space.mu.RUnlock()
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	o := Outstanding{Device: d.info.Ordinal, Allocations: d.memory.live.count, Bytes: d.memory.live.bytes}
	for _, p := range d.memory.pools {
		if p != d.memory.current && !p.destroyed {
			o.Pools++
		}
	}
	o.MemHandles, o.Reservations = d.physical, d.reserved
	d.machine.modules.mu.Lock()
	defer d.machine.modules.mu.Unlock()
	o.Modules = d.loaded
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	o.Streams, o.Events, o.Operations, o.Graphs = d.opened, d.events, d.pending, d.graphs
	return o
}
