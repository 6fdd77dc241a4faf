package sim

import (
	"slices"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// template is a CUDA graph: operations in an order, to be launched.
//
// Invariant: nodes come after the nodes they wait for. It is not changed after
// the end of its capture.
type template struct {
	device *device
	nodes  []*node
	memory []*graphMemory // that it allocates
	frees  []*graphMemory // of other graphs

	execs int   // instantiated and not destroyed
	gone  bool  // destroyed itself
	used  []*op // the last launches of destroyed instances
}

// executable is an instantiated graph. Its launches come one after the other.
type executable struct {
	*template
	last *op // the end of its last launch
}

func (t *template) add(what task, after []*node) *node {
	n := &node{task: what, after: slices.Clone(after), index: len(t.nodes)}
	t.nodes = append(t.nodes, n)
	return n
}

// ends are the nodes that no other one comes after.
func (t *template) ends() []*node {
	inner := make([]bool, len(t.nodes))
	for _, n := range t.nodes {
		for _, a := range n.after {
			inner[a.index] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(t.nodes), func(n *node) bool { return inner[n.index] })
}

// keep gives a graph its handle. The caller holds mu.
func (g *graph) keep(t *template) api.Graph {
	t.device.graphs++
	return api.Graph(g.templates.add(t))
}

// discard gives the memory of a graph that nobody can launch any more back once
// nothing uses it; of a nil graph there is none. No lock may be held.
func (t *template) discard() {
	if t == nil {
		return
	}
	m := t.device.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range t.memory {
		n.kept = false
		n.settle()
	}
}

func (d *device) GraphInstantiate(handle api.Graph) (exec api.GraphExec, err error) {
	const call = "cuGraphInstantiateWithFlags"
	err = d.onGraph(call, handle, func(t *template) error {
		if t.execs > 0 && len(t.memory) > 0 {
			return fail(call, api.CodeInvalidValue, "the graph allocates memory: it can be instantiated only once at a time")
		}
		t.execs++
		d.graphs++
		exec = api.GraphExec(d.machine.graph.execs.add(&executable{template: t}))
		return nil
	})
	return exec, err
}

func (d *device) GraphDestroy(handle api.Graph) error {
	var last *template
	err := d.onGraph("cuGraphDestroy", handle, func(t *template) error {
		d.machine.graph.templates.remove(uintptr(handle))
		t.device.graphs--
		if t.gone = true; t.execs == 0 {
			last = t
		}
		return nil
	})
	last.discard()
	return err
}

// GraphExecDestroy lets launches that are under way complete.
func (d *device) GraphExecDestroy(handle api.GraphExec) error {
	var last *template
	err := d.onExec("cuGraphExecDestroy", handle, func(e *executable) error {
		d.machine.graph.execs.remove(uintptr(handle))
		e.device.graphs--
		e.used = append(e.used, e.last)
		if e.execs--; e.execs == 0 && e.gone {
			last = e.template
		}
		return nil
	})
	last.discard()
	return err
}

// onGraph runs f on the graph of a handle, with the operations locked.
func (d *device) onGraph(call string, handle api.Graph, f func(*template) error) error {
	if err := d.enter(call); err != nil {
		return err
	}
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.templates.get(uintptr(handle))
	if t == nil {
		return fail(call, api.CodeInvalidValue, "%#x is not a graph, or not any more", uintptr(handle))
	}
	return f(t)
}

// onExec runs f on the instantiated graph of a handle, with the operations
// locked.
func (d *device) onExec(call string, handle api.GraphExec, f func(*executable) error) error {
	if err := d.enter(call); err != nil {
		return err
	}
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.execs.get(uintptr(handle))
	if e == nil {
		return fail(call, api.CodeInvalidValue, "%#x is not an instantiated graph, or not any more", uintptr(handle))
	}
	return f(e)
}
