package checker

// handOut checks that a resource may give out a range in the order of a, and
// makes the range memory that nobody has used.
func (c *Checker) handOut(a *Act, r Range, depth int) {
	first := c.memory.cover(uintptr(r.Ptr), r.end())
	if first == nil {
		c.report(finding{kind: NeverAllocated, base: uintptr(r.Ptr), end: r.end(), second: a, secondDid: handedOut})
		return
	}
	outer := first.owner.outside(depth)
	for s := first; s != nil; s = within(s.next, r.end()) {
		c.checkReuse(a, s, depth)
	}
	c.memory.clear(uintptr(r.Ptr), r.end())
	c.memory.put(&region{base: uintptr(r.Ptr), end: r.end(), depth: depth, outer: outer, born: a, host: outer != nil && outer.host})
}

// outside is the innermost region around r, or r, that is less deep.
func (r *region) outside(depth int) *region {
	for r != nil && r.depth >= depth {
		r = r.outer
	}
	return r
}

// checkReuse checks that a resource at a depth may hand out a segment.
func (c *Checker) checkReuse(a *Act, s *segment, depth int) {
	o := s.owner
	outer := o.outside(depth)
	switch {
	case o.depth >= depth && o.died == nil:
		c.reportAt(s, HandedOutTwice, o.born, handedOut, a, handedOut)
	case o.depth >= depth && !o.died.before(a):
		c.reportAt(s, UnorderedReuse, o.died, freed, a, handedOut)
	case outer != nil && outer.died != nil:
		c.reportAt(s, UseAfterFree, outer.died, freed, a, handedOut)
	case outer != nil && outer.born != nil && !outer.born.before(a):
		c.reportAt(s, UnorderedAllocation, outer.born, allocated, a, handedOut)
	default:
		c.checkUses(a, s, UnorderedReuse, handedOut)
	}
}

// checkUses reports accesses to a segment that a is not ordered after.
func (c *Checker) checkUses(a *Act, s *segment, kind Kind, did string) {
	if s.write != nil && !s.write.before(a) {
		c.reportAt(s, kind, s.write, wrote, a, did)
	}
	for _, r := range s.reads {
		if !r.before(a) {
			c.reportAt(s, kind, r, read, a, did)
		}
	}
}

// free checks that a range may be taken back in the order of a, by the driver at
// depth 0 or by a resource, and makes it freed memory.
func (c *Checker) free(a *Act, r Range, depth int) {
	first := c.memory.cover(uintptr(r.Ptr), r.end())
	if first == nil {
		c.report(finding{kind: ForeignFree, base: uintptr(r.Ptr), end: r.end(), second: a, secondDid: freed})
		return
	}
	dead := first.owner.dies(a, r, depth)
	for s := first; s != nil; s = within(s.next, r.end()) {
		c.checkFree(a, s, depth)
		s.owner, s.write, s.reads = dead, nil, nil
	}
	c.memory.merge(first, r.end())
}

// dies is the freed region that takes the place of what lies at r, at a depth,
// in and around o.
func (o *region) dies(a *Act, r Range, depth int) *region {
	dead := &region{base: uintptr(r.Ptr), end: r.end(), depth: depth, died: a, outer: o.outside(depth), host: o.host}
	if at := o.outside(depth + 1); at != nil && at.depth == depth {
		dead.born = at.born
	}
	return dead
}

// checkFree checks that a segment may be taken back by the owner at a depth.
func (c *Checker) checkFree(a *Act, s *segment, depth int) {
	o := s.owner
	switch {
	case o.died != nil && o.depth <= depth:
		c.reportAt(s, DoubleFree, o.died, freed, a, freed)
	case o.died == nil && o.depth > depth:
		c.reportAt(s, FreedInUse, o.born, handedOut, a, freed)
	case o.died != nil && !o.died.before(a):
		c.reportAt(s, UnorderedFree, o.died, freed, a, freed)
	case o.born != nil && !o.born.before(a):
		c.reportAt(s, UnorderedFree, o.born, allocated, a, freed)
	default:
		c.checkUses(a, s, UnorderedFree, freed)
	}
}

// refuse reports a call that failed because it named no live allocation.
func (c *Checker) refuse(a *Act, r Range, free bool, err error) {
	f := finding{kind: NeverAllocated, base: uintptr(r.Ptr), end: r.end(), second: a, secondDid: r.did(), err: err}
	if free {
		f.kind, f.secondDid = ForeignFree, freed
	}
	s, ok := c.memory.segments.floor(uintptr(r.Ptr))
	if ok && uintptr(r.Ptr) < s.end {
		f.explain(s.owner, free)
	}
	c.report(f)
}

// explain says what is known of the address that a refused call named.
func (f *finding) explain(o *region, free bool) {
	switch {
	case o.died != nil && free:
		f.kind, f.first, f.firstDid = DoubleFree, o.died, freed
	case o.died != nil:
		f.kind, f.first, f.firstDid = UseAfterFree, o.died, freed
	case !free:
		f.kind, f.owner, f.first, f.firstDid = OutOfBounds, o, o.born, allocated
	}
}
