package sim

import (
	"errors"
	"slices"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// GraphLaunch finds the memory of each operation anew: what was freed since the
// capture is a fault when its turn comes. On a captured stream the graph becomes
// a part of the other one.
func (d *device) GraphLaunch(handle api.GraphExec, s api.Stream) error {
	const call = "cuGraphLaunch"
	e, err := d.executable(call, handle)
	if err != nil {
		return err
	}
	m := d.machine
	m.host.mu.RLock()
	defer m.host.mu.RUnlock()
	works := e.works()
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	return d.enqueueOn(call, s, func(st *stream) error {
		if st.capture != nil {
			return st.embed(call, e.template)
		}
		if err := e.claim(call); err != nil {
			return err
		}
		e.launch(m.graph, st, works)
		return nil
	})
}

func (d *device) executable(call string, handle api.GraphExec) (found *executable, err error) {
	err = d.onExec(call, handle, func(e *executable) error {
		if e.device != d {
			return fail(call, api.CodeInvalidHandle, "the graph was captured on device %d, the launch is on device %d", e.device.info.Ordinal, d.info.Ordinal)
		}
		found = e
		return nil
	})
	return found, err
}

// works binds every node to its memory. The caller holds host.mu.
func (t *template) works() []work {
	works := make([]work, len(t.nodes))
	for i, n := range t.nodes {
		if n.bind != nil {
			works[i] = n.work()
		}
	}
	return works
}

// work is the node's operation, a fault if its memory is not there any more.
func (n *node) work() work {
	work, err := n.bind()
	if err == nil {
		return work
	}
	var why *api.Error
	errors.As(err, &why)
	return func(*checker.Act) { fault(why.Call+" in a graph", api.CodeIllegalAddress, "%s", why.Detail) }
}

// claim does the allocations and frees of a launch. Either all succeed or
// nothing changes. The caller holds memory.mu.
func (t *template) claim(call string) error {
	for _, n := range t.memory {
		if n.present {
			return fail(call, api.CodeInvalidValue, "memory at %#x that the last launch allocated is not freed yet", n.block.base)
		}
	}
	for _, n := range t.frees {
		if !n.present {
			return fail(call, api.CodeInvalidValue, "memory at %#x that the graph frees is not allocated", n.block.base)
		}
	}
	for _, n := range t.memory {
		n.present = !n.freed
	}
	return nil
}

// launch enqueues the graph as one unit of the stream. The caller holds the
// locks of the memory and of the operations.
func (e *executable) launch(g *graph, s *stream, works []work) {
	for _, n := range e.memory {
		g.check.Allocated(s.thread, "cuGraphLaunch", Ptr(n.block.base), n.block.asked, checker.Plain)
	}
	first := g.enqueue(s, nil, e.last)
	ops := make([]*op, len(e.nodes))
	for i, n := range e.nodes {
		preds := []*op{first}
		for _, a := range n.after {
			preds = append(preds, ops[a.index])
		}
		act := g.check.Operation(s.thread, n.call, n.ranges...)
		ops[i] = g.add(s, works[i].with(act), pending(preds))
	}
	e.last = g.add(s, nil, pending(append(ops, first)))
	if e.last != nil {
		s.tail = e.last
	}
	for _, n := range e.frees {
		g.check.Freed(s.thread, "cuGraphLaunch", Ptr(n.block.base), n.block.asked)
		n.free(e.last)
	}
}

// pending are the operations that are not complete.
func pending(ops []*op) []*op { return slices.DeleteFunc(ops, (*op).complete) }

// embed records the operations of a graph on a captured stream.
func (s *stream) embed(call string, t *template) error {
	if len(t.memory)+len(t.frees) > 0 {
		return fail(call, api.CodeNotSupported, "a graph that allocates or frees memory cannot be a part of another one")
	}
	if len(t.nodes) == 0 {
		return nil
	}
	into, copies := s.capture.graph, make([]*node, len(t.nodes))
	for i, n := range t.nodes {
		after := s.frontier
		if len(n.after) > 0 {
			after = nil
		}
		copies[i] = into.add(n.task, after)
		for _, a := range n.after {
			copies[i].after = append(copies[i].after, copies[a.index])
		}
	}
	s.frontier = nil
	for _, n := range t.ends() {
		s.frontier = append(s.frontier, copies[n.index])
	}
	return nil
}
