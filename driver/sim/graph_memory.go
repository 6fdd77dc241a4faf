package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// graphMemory is memory that a node of a graph allocates. Its address is fixed
// at the capture; the simulator keeps the memory until the graph and what was
// instantiated from it are destroyed. memory.mu guards it.
type graphMemory struct {
	memory  *memory
	block   *block
	owner   *template
	freed   bool // by a node of the same graph: the program never sees it
	present bool // a launch has allocated it, and nobody has freed it since
	leaving bool // a free of it waits for the device
	last    *op  // orders its last free
	kept    bool // by its graph
}

// allocateNode takes memory for a node; nil beyond the capacity.
func (m *memory) allocateNode(size int) *graphMemory {
	b := m.allocate(size)
	if b == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b.node = &graphMemory{memory: m, block: b}
	return b.node
}

// allocNode records an allocation on a captured stream.
func (d *device) allocNode(call string, size int, s *stream) (api.Ptr, error) {
	n := d.memory.allocateNode(size)
	if n == nil {
		return 0, d.outOfMemory(call, size)
	}
	if !d.machine.graph.adopt(call, n, s) {
		n.memory.release(n.block)
		return 0, ended(call)
	}
	return api.Ptr(n.block.base), nil
}

// adopt records the allocation of memory on a captured stream; false if it is
// not captured any more.
func (g *graph) adopt(call string, n *graphMemory, s *stream) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.capture == nil {
		return false
	}
	n.owner, n.kept = s.capture.graph, true
	n.owner.memory = append(n.owner.memory, n)
	s.record(task{call: call})
	return true
}

// recordFree records a free on a captured stream: of memory of the same graph,
// or of what another graph leaves allocated.
func (m *memory) recordFree(call string, p Ptr, s *stream) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.live.exact(p)
	if b == nil || b.node == nil || b.node.freed || m != s.device.memory {
		return fail(call, api.CodeInvalidValue, "%v was not allocated in a capture, or is freed in it: a graph frees only what a graph allocates", p)
	}
	g := s.device.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.capture == nil {
		return ended(call)
	}
	if t := s.capture.graph; b.node.owner == t {
		b.node.freed = true
	} else {
		t.frees = append(t.frees, b.node)
	}
	s.record(task{call: call})
	return nil
}

// free frees memory that a launch has left allocated, in the order of last. It
// reports false if there is none. The caller holds memory.mu.
func (n *graphMemory) free(last *op) bool {
	if !n.present {
		return false
	}
	n.present, n.last = false, last
	n.settle()
	return true
}

// withdraw and restore are free in two steps, between which the host waits. The
// caller holds memory.mu.
func (n *graphMemory) withdraw() bool {
	if !n.present {
		return false
	}
	n.present, n.leaving = false, true
	return true
}

func (n *graphMemory) restore() {
	n.leaving, n.last = false, nil
	n.settle()
}

// settle gives memory that nobody has any more back after the operations that
// may use it.
func (n *graphMemory) settle() {
	if n.kept || n.present || n.leaving {
		return
	}
	after := []*op{n.last}
	if n.owner != nil {
		after = append(after, n.owner.used...)
	}
	n.memory.retire(n.block, after...)
}

// retired is a withdrawn block that goes back when operations are complete.
type retired struct {
	block *block
	after []*op
}

// retire withdraws a block of a graph, and gives it back when nothing uses it
// any more. The caller holds mu.
func (m *memory) retire(b *block, after ...*op) {
	m.live.remove(b)
	m.retired = append(m.retired, retired{b, after})
	m.sweepRetired()
}

// sweepRetired gives back what nothing uses any more, and reports whether there
// was any. The caller holds mu.
func (m *memory) sweepRetired() bool {
	rest := m.retired[:0]
	for _, r := range m.retired {
		if allComplete(r.after) {
			r.block.node = nil
			m.plain.free(r.block)
		} else {
			rest = append(rest, r)
		}
	}
	gave := len(rest) < len(m.retired)
	clear(m.retired[len(rest):])
	m.retired = rest
	return gave
}

func allComplete(ops []*op) bool {
	for _, o := range ops {
		if !o.complete() {
			return false
		}
	}
	return true
}
