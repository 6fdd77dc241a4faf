package sim

import "slices"

// follow takes memory that another stream has freed, if s waits for the free
// already because of an event. The caller holds memory.mu.
func (p *pool) follow(need int, s *stream) *block {
	g := s.device.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, freer := range p.freers() {
		l := p.pending[freer]
		if b := l.earliest(need); b != nil && b.freed.precedes(s) {
			l.remove(b)
			p.memory.blocks.shorten(b, need, l)
			return b
		}
	}
	return nil
}

// earliest is the block of at least size bytes that was freed first, of a list of
// one stream's frees; nil if there is none. A stream that waits for any of them
// waits for that one.
func (l *freeList) earliest(size int) *block {
	fit := l.collect(nil, size, func(b *block) bool { return b.size >= size })
	if len(fit) == 0 {
		return nil
	}
	return slices.MinFunc(fit, func(a, b *block) int { return int(a.freed.seq) - int(b.freed.seq) })
}

// precedes reports whether something that a stream holds waits for a pending
// operation of another one. The search stops at what is newer than the stream's
// last operation: nothing waits for later ones. The caller holds the graph's lock.
func (o *op) precedes(s *stream) bool {
	if s.tail.complete() {
		return false
	}
	seen, next := map[*op]bool{}, []*op{o}
	for len(next) > 0 {
		last := next[len(next)-1]
		next = next[:len(next)-1]
		if last.stream == s {
			return true
		}
		for _, after := range last.successors {
			if after.seq <= s.tail.seq && !seen[after] {
				seen[after] = true
				next = append(next, after)
			}
		}
	}
	return false
}
