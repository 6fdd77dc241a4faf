package checker

// region is an allocation: of the driver (depth 0), or a part of one that a
// resource hands out or holds back. It is in use until it has died.
type region struct {
	base, end uintptr
	depth     int
	outer     *region // what it is a part of
	born      *Act    // nil: never handed out
	died      *Act    // nil: in use
	host      bool    // the host can write it unseen
	mapped    bool    // side by side with others of the kind it is one range
}

// segment is a piece of memory of which everything is known alike.
//
// Invariant: segments do not overlap and are chained in the order of their
// addresses; no two reads of one are by one thread.
type segment struct {
	base, end  uintptr
	owner      *region // the innermost
	write      *Act    // the last one
	reads      []*Act  // since the last write
	prev, next *segment
}

// shadow is all memory that is known: allocated, or freed and not allocated
// since.
type shadow struct{ segments addresses[*segment] }

// at is the first segment that ends behind p, cut so that it begins at p or
// later.
func (m *shadow) at(p uintptr) *segment {
	s, ok := m.segments.floor(p)
	switch {
	case !ok:
		return m.segments.first()
	case s.end <= p:
		return s.next
	case s.base < p:
		return m.split(s, p)
	}
	return s
}

// cover returns the first segment of [p, end), cut so that none reaches over
// either border; nil if there is none. The next ones follow by within.
func (m *shadow) cover(p, end uintptr) *segment {
	m.at(end)
	return within(m.at(p), end)
}

// within is s if it begins before end, else nil.
func within(s *segment, end uintptr) *segment {
	if s == nil || s.base >= end {
		return nil
	}
	return s
}

// split cuts s at p and returns the upper part.
func (m *shadow) split(s *segment, p uintptr) *segment {
	upper := &segment{base: p, end: s.end, owner: s.owner, write: s.write, reads: append([]*Act(nil), s.reads...)}
	s.end = p
	m.link(upper, s, s.next)
	return upper
}

// link puts s between two neighbours, either of which may be nil.
func (m *shadow) link(s, prev, next *segment) {
	s.prev, s.next = prev, next
	if prev != nil {
		prev.next = s
	}
	if next != nil {
		next.prev = s
	}
	m.segments.insert(s.base, s)
}

// unlink takes s out.
func (m *shadow) unlink(s *segment) {
	if s.prev != nil {
		s.prev.next = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	}
	m.segments.remove(s.base)
}

// clear forgets [p, end).
func (m *shadow) clear(p, end uintptr) {
	for s := m.cover(p, end); s != nil; {
		next := within(s.next, end)
		m.unlink(s)
		s = next
	}
}

// put adds one fresh segment for all of a region that is not known.
func (m *shadow) put(r *region) *segment {
	s := &segment{base: r.base, end: r.end, owner: r}
	next := m.at(r.base)
	switch {
	case next != nil:
		m.link(s, next.prev, next)
	default:
		m.link(s, m.segments.last(), nil)
	}
	return s
}

// merge makes one segment of those that follow s without a gap, are of the same
// owner and begin before end. The caller sets what is known of it.
func (m *shadow) merge(s *segment, end uintptr) {
	for n := s.next; n != nil && n.base == s.end && n.base < end && n.owner == s.owner; n = s.next {
		m.unlink(n)
		s.end = n.end
	}
}
