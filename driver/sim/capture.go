package sim

import (
	"slices"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// capture is the recording of streams into a graph. The lock of the operations
// guards it.
//
// Invariant: the streams that it records point to it, and each of them has as
// its frontier the nodes that its next one must come after.
type capture struct {
	id      uint64
	mode    api.CaptureMode
	thread  int // that began it
	origin  *stream
	streams []*stream // with the origin
	invalid bool      // something forbidden happened
	ended   bool
	graph   *template
}

// node is an operation of a graph.
type node struct {
	task  // without a binding it only orders others
	after []*node
	index int // in its graph
}

var lastCaptureID atomic.Uint64 // IDs are unique in the process

// begin starts a capture on a stream.
func (g *graph) begin(s *stream, mode api.CaptureMode) {
	c := &capture{
		id:     lastCaptureID.Add(1),
		mode:   mode,
		thread: threadID(),
		origin: s,
		graph:  &template{device: s.device},
	}
	c.join(s, nil)
	g.captures = append(g.captures, c)
	g.capturing.Add(1)
}

// join makes a stream record, after some nodes.
func (c *capture) join(s *stream, after []*node) {
	s.capture, s.frontier = c, slices.Clone(after)
	c.streams = append(c.streams, s)
}

// end takes all streams out of a capture.
func (g *graph) end(c *capture) {
	for _, s := range c.streams {
		s.capture, s.frontier = nil, nil
	}
	c.ended = true
	g.captures = slices.DeleteFunc(g.captures, func(other *capture) bool { return other == c })
	g.capturing.Add(-1)
}

// leave takes a stream out that is being destroyed. What is left of its capture
// cannot be completed; if the stream began it, it ends, and its graph is for the
// caller to discard.
func (g *graph) leave(s *stream) *template {
	c := s.capture
	if c == nil {
		return nil
	}
	c.invalid = true
	if c.origin == s {
		g.end(c)
		return c.graph
	}
	c.streams = slices.DeleteFunc(c.streams, func(other *stream) bool { return other == s })
	s.capture, s.frontier = nil, nil
	return nil
}

// record appends an operation to the stream's part of the graph.
func (s *stream) record(t task) {
	n := s.capture.graph.add(t, s.frontier)
	s.frontier = append(s.frontier[:0], n)
}

// after adds nodes to what the stream's next one must come after.
func (s *stream) after(nodes []*node) {
	for _, n := range nodes {
		if !slices.Contains(s.frontier, n) {
			s.frontier = append(s.frontier, n)
		}
	}
}

// joined reports whether everything that was recorded comes before the end of
// the origin.
func (c *capture) joined() bool {
	before := make([]bool, len(c.graph.nodes))
	for work := slices.Clone(c.origin.frontier); len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !before[n.index] {
			before[n.index] = true
			work = append(work, n.after...)
		}
	}
	return !slices.Contains(before, false)
}
