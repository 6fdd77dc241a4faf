package checker

// handOut checks that a resource may give out a range in the order of a, and
// makes the range memory that nobody has used.
func (c *Checker) handOut(a *Act, r Range, depth int) {
	for s := c.memory.cover(uintptr(r.Ptr), r.end()); s != nil; s = within(s.next, r.end()) {
		c.checkReuse(a, s, depth)
	}
	c.place(a, r, depth)
}

// place makes a range memory that nobody has used, handed out by a.
func (c *Checker) place(a *Act, r Range, depth int) {
	first := c.memory.cover(uintptr(r.Ptr), r.end())
	if first == nil {
		c.report(finding{kind: NeverAllocated, base: uintptr(r.Ptr), end: r.end(), second: a, secondDid: handedOut})
		return
	}
	outer := first.owner.outside(depth)
	c.memory.clear(uintptr(r.Ptr), r.end())
	c.memory.put(&region{base: uintptr(r.Ptr), end: r.end(), depth: depth, outer: outer, born: a, host: outer != nil && outer.host})
}

// outside is the innermost region around r, or r, that is less deep.
func (o *region) outside(depth int) *region {
	for o != nil && o.depth >= depth {
		o = o.outer
	}
	return o
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

// refuse says what is wrong with an access that the machine refused, if it is
// the memory.
func (c *Checker) refuse(r Range) (f finding, bad bool) {
	f = finding{kind: NeverAllocated, base: uintptr(r.Ptr), end: r.end()}
	o := c.ownerAt(uintptr(r.Ptr))
	switch {
	case r.Size <= 0 || (o != nil && o.died == nil && r.end() <= o.end):
		return f, false
	case o != nil && o.died != nil:
		f.kind, f.first, f.firstDid = UseAfterFree, o.died, freed
	case o != nil:
		f.kind, f.owner, f.first, f.firstDid = OutOfBounds, o, o.born, allocated
	}
	return f, true
}

func (c *Checker) refuseFree(a *Act, r Range, err error) finding {
	f := finding{kind: ForeignFree, base: uintptr(r.Ptr), end: r.end(), second: a, secondDid: freed, err: err}
	if o := c.ownerAt(uintptr(r.Ptr)); o != nil && o.died != nil {
		f.kind, f.first, f.firstDid = DoubleFree, o.died, freed
	}
	return f
}

// ownerAt is the innermost owner of an address, nil if there is none.
func (c *Checker) ownerAt(p uintptr) *region {
	if s, ok := c.memory.segments.floor(p); ok && p < s.end {
		return s.owner
	}
	return nil
}
