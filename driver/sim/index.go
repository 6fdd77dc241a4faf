package sim

import "sort"

// index finds live allocations by any address inside them.
//
// It is a sorted sequence cut into buckets: two binary searches find an
// address, and an insertion moves at most one bucket's entries. Invariant: the
// buckets are ordered, none is empty except a single first one.
type index struct {
	buckets []*bucket
	count   int
	bytes   int // sum of the sizes asked for
}

const bucketSize = 256

type bucket struct {
	n      int
	bases  [bucketSize]uintptr // beside the blocks, so that a search touches little memory
	blocks [bucketSize]*block
}

// find returns the live block that contains p, nil if none does.
func (x *index) find(p Ptr) *block {
	b := x.floor(uintptr(p))
	if b == nil || uintptr(p) >= b.end() {
		return nil
	}
	return b
}

// exact returns the live block that begins at p.
func (x *index) exact(p Ptr) *block {
	if b := x.floor(uintptr(p)); b != nil && b.base == uintptr(p) {
		return b
	}
	return nil
}

func (x *index) floor(p uintptr) *block {
	if x.count == 0 {
		return nil
	}
	k := x.buckets[x.bucket(p)]
	if i := k.search(p); i > 0 {
		return k.blocks[i-1]
	}
	return nil
}

// bucket is the number of the bucket in which p lies or belongs.
func (x *index) bucket(p uintptr) int {
	return max(0, sort.Search(len(x.buckets), func(i int) bool { return x.buckets[i].bases[0] > p })-1)
}

// search is the number of entries at or below p.
func (k *bucket) search(p uintptr) int {
	low, high := 0, k.n
	for low < high {
		if mid := (low + high) / 2; k.bases[mid] <= p {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (x *index) insert(b *block) {
	x.count++
	x.bytes += b.asked
	if len(x.buckets) == 0 {
		x.buckets = []*bucket{{}}
	}
	i := x.bucket(b.base)
	if x.buckets[i].n == bucketSize {
		x.split(i)
		i = x.bucket(b.base)
	}
	k := x.buckets[i]
	at := k.search(b.base)
	copy(k.bases[at+1:k.n+1], k.bases[at:k.n])
	copy(k.blocks[at+1:k.n+1], k.blocks[at:k.n])
	k.bases[at], k.blocks[at] = b.base, b
	k.n++
}

// split moves the upper half of a full bucket into a new one behind it.
func (x *index) split(i int) {
	const half = bucketSize / 2
	k, upper := x.buckets[i], &bucket{n: half}
	copy(upper.bases[:], k.bases[half:])
	copy(upper.blocks[:], k.blocks[half:])
	clear(k.blocks[half:])
	k.n = half
	x.buckets = append(x.buckets, nil)
	copy(x.buckets[i+2:], x.buckets[i+1:])
	x.buckets[i+1] = upper
}

// remove takes out a block that is in the index.
func (x *index) remove(b *block) {
	x.count--
	x.bytes -= b.asked
	i := x.bucket(b.base)
	k := x.buckets[i]
	at := k.search(b.base)
	copy(k.bases[at-1:], k.bases[at:k.n])
	copy(k.blocks[at-1:], k.blocks[at:k.n])
	k.n--
	k.blocks[k.n] = nil
	if k.n == 0 && len(x.buckets) > 1 {
		x.buckets = append(x.buckets[:i], x.buckets[i+1:]...)
	}
}
