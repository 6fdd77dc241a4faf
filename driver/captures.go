package driver

import (
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// captures keeps the Go memory of copies that are being captured: the graph
// reads or writes it at every launch, so it lives as long as the graph and what
// is instantiated from it. A capture may spread over streams of all devices.
//
// Only captures that BeginCapture began are known. What becomes of a graph that
// other code captures cannot be seen from here: memory of copies in it is the
// business of that code.
type captures struct {
	mu     sync.Mutex
	memory map[uint64][][]byte // by the capture's ID, which is never used again
}

// begin makes the capture of s known.
func (c *captures) begin(graphs api.Graphs, s *Stream) error {
	_, id, err := graphs.StreamCapture(s.raw)
	if err != nil {
		return err
	}
	s.capture.Store(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.memory == nil {
		c.memory = map[uint64][][]byte{}
	}
	c.memory[id] = nil
	return nil
}

// hold keeps the pieces if s is part of a known capture.
func (c *captures) hold(s *Stream, pieces [][]byte) bool {
	if c.none() {
		return false
	}
	_, id, err := s.dev.raw.(api.Graphs).StreamCapture(s.raw)
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.memory[id]; !known {
		return false
	}
	c.memory[id] = append(c.memory[id], pieces...)
	return true
}

func (c *captures) none() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.memory) == 0
}

// end forgets the capture that began on s and returns the memory of its copies.
func (c *captures) end(s *Stream) [][]byte {
	id := s.capture.Swap(0) // CUDA does not tell the ID of an invalidated capture
	c.mu.Lock()
	defer c.mu.Unlock()
	memory := c.memory[id]
	delete(c.memory, id)
	return memory
}
