package checker

// Threads is how many streams of the device have clocks.
func (d *Domain) Threads() int { return len(d.threads) }

// Segments is how many pieces of memory are told apart.
func (c *Checker) Segments() int {
	n := 0
	for s := c.memory.segments.first(); s != nil; s = s.next {
		n++
	}
	return n
}
