package replay

import "math/rand/v2"

// freedRanges remembers which operation last freed each address: an ordered
// map of ranges that do not overlap, as a treap (a search tree by address that
// is a heap by random priority, hence of logarithmic depth whatever the log).
type freedRanges struct {
	root   *freedRange
	random *rand.Rand
}

type freedRange struct {
	begin, end  uint64 // end exclusive
	by          wait
	priority    uint64
	left, right *freedRange
}

func newFreedRanges() freedRanges {
	return freedRanges{random: rand.New(rand.NewPCG(1, 2))} // the same tree for the same log
}

// take forgets the addresses from begin to end, and tells which operations
// freed them.
func (f *freedRanges) take(begin, end uint64, visit func(by wait)) {
	if begin == end {
		return
	}
	below, rest := split(f.root, begin)
	within, above := split(rest, end)
	f.root = merge(below, above)
	within.each(visit)
}

// put enters a range that was taken before.
func (f *freedRanges) put(begin, end uint64, by wait) {
	if begin == end {
		return
	}
	below, above := split(f.root, begin)
	n := &freedRange{begin: begin, end: end, by: by, priority: f.random.Uint64()}
	f.root = merge(merge(below, n), above)
}

func (n *freedRange) each(visit func(by wait)) {
	if n == nil {
		return
	}
	n.left.each(visit)
	visit(n.by)
	n.right.each(visit)
}

// split parts a tree at an address; a range across it is cut in two.
func split(n *freedRange, at uint64) (below, above *freedRange) {
	switch {
	case n == nil:
		return nil, nil
	case at <= n.begin:
		below, n.left = split(n.left, at)
		return below, n
	case at < n.end:
		tail := &freedRange{begin: at, end: n.end, by: n.by, priority: n.priority}
		above = merge(tail, n.right)
		n.end, n.right = at, nil
		return n, above
	}
	n.right, above = split(n.right, at)
	return n, above
}

// merge joins two trees; all of a lies below all of b.
func merge(a, b *freedRange) *freedRange {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority >= b.priority:
		a.right = merge(a.right, b)
		return a
	}
	b.left = merge(a, b.left)
	return b
}
