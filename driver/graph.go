package driver

import (
	"errors"
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// CaptureMode says which calls a capture forbids while it lasts.
type CaptureMode int

// The capture modes. The zero value is the relaxed one, because goroutines move
// between threads: the others tie a capture to the thread that began it, or
// forbid unsafe calls of the whole process.
const (
	CaptureRelaxed CaptureMode = iota
	CaptureThreadLocal
	CaptureGlobal
)

// raw is CUDA's number.
func (m CaptureMode) raw() api.CaptureMode { return api.CaptureRelaxed - api.CaptureMode(m) }

// CaptureStatus is the state of a stream.
type CaptureStatus = api.CaptureStatus

// The states.
const (
	CaptureNone        = api.CaptureNone
	CaptureActive      = api.CaptureActive
	CaptureInvalidated = api.CaptureInvalidated
)

// BeginCapture makes the stream record work into a graph instead of doing it,
// until EndCapture. Streams that wait for an event recorded on it join. A caller
// that uses another mode than CaptureRelaxed must hold its thread
// (runtime.LockOSThread) until EndCapture.
func (s *Stream) BeginCapture(mode CaptureMode) error {
	const call = "Stream.BeginCapture"
	if mode < CaptureRelaxed || mode > CaptureGlobal {
		return badArgument(call, "unknown capture mode %d: use CaptureRelaxed, CaptureThreadLocal or CaptureGlobal", int(mode))
	}
	return s.withGraphs(call, func(g api.Graphs) error {
		if err := g.StreamBeginCapture(s.raw, mode.raw()); err != nil {
			return err
		}
		if err := s.dev.drv.captures.begin(g, s); err != nil {
			return errors.Join(err, abandon(g, s))
		}
		return nil
	})
}

// abandon ends a capture that cannot be kept.
func abandon(graphs api.Graphs, s *Stream) error {
	graph, err := graphs.StreamEndCapture(s.raw)
	if err != nil {
		return err
	}
	return graphs.GraphDestroy(graph)
}

// EndCapture ends the capture and returns what was recorded. It fails with
// ErrCapture if the capture was invalidated, which ends it too. Close the graph
// after use.
func (s *Stream) EndCapture() (*Graph, error) {
	const call = "Stream.EndCapture"
	if err := s.enter(call); err != nil {
		return nil, err
	}
	defer s.gate.leave()
	graph := &Graph{dev: s.dev, gate: newGate()}
	err := withNew(s.dev, call, func(g api.Graphs) error { return graph.record(g, s) })
	if err != nil {
		return nil, err
	}
	return graph, nil
}

// record ends the capture of s. One that fails to end for good keeps nothing; it
// may also go on, when s is not the stream that began it.
func (g *Graph) record(graphs api.Graphs, s *Stream) (err error) {
	g.raw, err = graphs.StreamEndCapture(s.raw)
	if err != nil {
		if captured, askErr := s.captured(); askErr != nil || captured {
			return err
		}
	}
	g.memory = s.dev.drv.captures.end(s)
	return err
}

// CaptureStatus says whether the stream is being captured, and the ID of the
// capture. It is safe during any capture.
func (s *Stream) CaptureStatus() (status CaptureStatus, id uint64, err error) {
	err = s.withGraphs("Stream.CaptureStatus", func(g api.Graphs) (err error) {
		status, id, err = g.StreamCapture(s.raw)
		return err
	})
	return status, id, err
}

func (s *Stream) withGraphs(call string, f func(api.Graphs) error) error {
	if err := s.enter(call); err != nil {
		return err
	}
	defer s.gate.leave()
	return with(s.dev, call, f)
}

// Graph is recorded work.
type Graph struct {
	dev    *Device
	raw    api.Graph
	memory [][]byte // Go memory that it copies from and to, until it is closed
	gate   gate
}

// GraphExec is a graph that can be launched.
type GraphExec struct {
	dev    *Device
	raw    api.GraphExec
	memory [][]byte // the Graph's
	gate   gate
}

// Instantiate makes a launchable form of the graph. Close it after use.
func (g *Graph) Instantiate() (*GraphExec, error) {
	const call = "Graph.Instantiate"
	if g == nil {
		return nil, badArgument(call, "the graph is nil: get one from Stream.EndCapture")
	}
	if !g.gate.enter() {
		return nil, fmt.Errorf("%s: the graph is %w", call, ErrClosed)
	}
	defer g.gate.leave()
	exec := &GraphExec{dev: g.dev, memory: g.memory, gate: newGate()}
	err := withNew(g.dev, call, func(graphs api.Graphs) (err error) {
		exec.raw, err = graphs.GraphInstantiate(g.raw)
		return err
	})
	if err != nil {
		return nil, err
	}
	return exec, nil
}

// Close destroys the graph; what was instantiated from it stays. A second Close
// is ErrClosed.
func (g *Graph) Close() error {
	const call = "Graph.Close"
	if g == nil {
		return badArgument(call, "the graph is nil")
	}
	if !g.gate.shut() {
		return fmt.Errorf("%s: the graph is %w", call, ErrClosed)
	}
	defer g.dev.drv.open.Add(-1)
	g.memory = nil // the Graph itself may stay reachable for long
	return with(g.dev, call, func(graphs api.Graphs) error { return graphs.GraphDestroy(g.raw) })
}

// Launch enqueues the graph's work on a stream of the device.
func (g *GraphExec) Launch(s *Stream) error {
	const call = "GraphExec.Launch"
	if g == nil {
		return badArgument(call, "the graph is nil")
	}
	if !g.gate.enter() {
		return fmt.Errorf("%s: the graph is %w", call, ErrClosed)
	}
	defer g.gate.leave()
	return s.withGraphs(call, func(graphs api.Graphs) error {
		if s.dev != g.dev {
			return wrongDevice(call, s.String(), s.dev, g.dev)
		}
		return g.launch(graphs, s)
	})
}

// launch has the stream keep the graph's Go memory too, because the graph may be
// closed while the launch is under way. That memory counts as nothing there: it is
// the same for every launch.
func (g *GraphExec) launch(graphs api.Graphs, s *Stream) error {
	launch := func() error { return graphs.GraphLaunch(g.raw, s.raw) }
	if len(g.memory) == 0 {
		return launch()
	}
	return s.keeping(kept{first: &g.memory[0]}, g.memory, launch)
}

// Close destroys the launchable graph; launches under way still complete. A second
// Close is ErrClosed.
func (g *GraphExec) Close() error {
	const call = "GraphExec.Close"
	if g == nil {
		return badArgument(call, "the graph is nil")
	}
	if !g.gate.shut() {
		return fmt.Errorf("%s: the graph is %w", call, ErrClosed)
	}
	defer g.dev.drv.open.Add(-1)
	g.memory = nil // the streams of launches under way keep it
	return with(g.dev, call, func(graphs api.Graphs) error { return graphs.GraphExecDestroy(g.raw) })
}
