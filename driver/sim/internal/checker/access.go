package checker

// end is the address behind the range.
func (r Range) end() uintptr { return uintptr(r.Ptr) + uintptr(r.Size) }

// did is what an access does to memory.
func (r Range) did() string {
	if r.Write {
		return wrote
	}
	return read
}

// access checks an access and notes it.
func (c *Checker) access(a *Act, r Range) {
	if r.Size <= 0 {
		return
	}
	first := c.memory.cover(uintptr(r.Ptr), r.end())
	if first == nil || first.base > uintptr(r.Ptr) {
		c.report(finding{kind: NeverAllocated, base: uintptr(r.Ptr), end: r.end(), second: a, secondDid: r.did()})
		return
	}
	owner, reached := first.owner, first.base
	for s := first; s != nil && s.base == reached && s.owner.continues(owner); s = within(s.next, r.end()) {
		c.touch(a, s, r.Write)
		reached = s.end
	}
	if reached < r.end() {
		c.report(finding{kind: OutOfBounds, base: uintptr(r.Ptr), end: r.end(), owner: owner,
			first: owner.born, firstDid: allocated, second: a, secondDid: r.did()})
	}
	if r.Write && owner.died == nil {
		c.memory.merge(first, reached)
	}
}

// continues reports whether an access may reach from o's neighbour into o.
func (o *region) continues(other *region) bool { return o == other || (o.mapped && other.mapped) }

// touch checks and notes the part of an access that lies in one segment.
func (c *Checker) touch(a *Act, s *segment, write bool) {
	did := Range{Write: write}.did()
	o := s.owner
	switch {
	case (o.died != nil && a.before(o.died)) || (o.born != nil && a.before(o.born)):
		return // running work that was enqueued when somebody else owned the memory
	case o.died != nil:
		c.reportAt(s, UseAfterFree, o.died, freed, a, did)
		return
	case o.born != nil && !o.born.before(a):
		c.reportAt(s, UnorderedAllocation, o.born, allocated, a, did)
	}
	if write {
		c.write(a, s)
	} else {
		c.read(a, s)
	}
}

func (c *Checker) write(a *Act, s *segment) {
	stale := c.conflict(s, s.write, WriteWrite, wrote, a, wrote)
	for _, r := range s.reads {
		stale = c.conflict(s, r, ReadWrite, read, a, wrote) || stale
	}
	if !stale {
		s.write, s.reads = a, nil
	}
}

func (c *Checker) read(a *Act, s *segment) {
	if s.write == nil && c.unwritten && !s.owner.host {
		c.reportAt(s, NeverWritten, s.owner.born, allocated, a, read)
	}
	if c.conflict(s, s.write, WriteRead, wrote, a, read) {
		return
	}
	rest := s.reads[:0]
	for _, r := range s.reads {
		if !r.before(a) {
			rest = append(rest, r)
		}
	}
	s.reads = append(rest, a)
}

// conflict reports an earlier access that is not ordered with a. It returns
// true if a came first: running work notes its accesses late.
func (c *Checker) conflict(s *segment, earlier *Act, kind Kind, earlierDid string, a *Act, did string) (stale bool) {
	switch {
	case earlier == nil || earlier.before(a):
		return false
	case a.before(earlier):
		return true
	}
	c.reportAt(s, kind, earlier, earlierDid, a, did)
	return false
}
