package checker

// Threads is how many streams of the stream's device have clocks.
func (t *Thread) Threads() int { return len(t.domain.threads) }

// Segments is how many pieces of memory are told apart.
func (c *Checker) Segments() int {
	n := 0
	for s := c.memory.segments.first(); s != nil; s = s.next {
		n++
	}
	return n
}
