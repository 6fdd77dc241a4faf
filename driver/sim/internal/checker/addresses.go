package checker

import "sort"

// addresses maps addresses to values and finds the last at or below one.
//
// It is a sorted sequence cut into buckets: two binary searches find an address,
// and an insertion moves at most one bucket's entries. Invariant: the buckets
// are ordered, none is empty except a single one.
type addresses[V any] struct{ buckets []*bucket[V] }

const bucketSize = 128

type bucket[V any] struct {
	n      int
	keys   [bucketSize]uintptr // beside the values, so that a search touches little memory
	values [bucketSize]V
}

// floor is the value of the last address at or below p.
func (x *addresses[V]) floor(p uintptr) (v V, ok bool) {
	if len(x.buckets) == 0 {
		return v, false
	}
	b := x.buckets[x.bucket(p)]
	if i := b.search(p); i > 0 {
		return b.values[i-1], true
	}
	return v, false
}

// first is the value of the lowest address, the zero value if there is none.
func (x *addresses[V]) first() (v V) {
	if len(x.buckets) == 0 || x.buckets[0].n == 0 {
		return v
	}
	return x.buckets[0].values[0]
}

// last is the value of the highest address, the zero value if there is none.
func (x *addresses[V]) last() (v V) {
	v, _ = x.floor(^uintptr(0))
	return v
}

// bucket is the number of the bucket in which p lies or belongs.
func (x *addresses[V]) bucket(p uintptr) int {
	return max(0, sort.Search(len(x.buckets), func(i int) bool { return x.buckets[i].keys[0] > p })-1)
}

// search is the number of entries at or below p.
func (b *bucket[V]) search(p uintptr) int {
	return sort.Search(b.n, func(i int) bool { return b.keys[i] > p })
}

// insert adds an address that is not there.
func (x *addresses[V]) insert(p uintptr, v V) {
	if len(x.buckets) == 0 {
		x.buckets = []*bucket[V]{{}}
	}
	i := x.bucket(p)
	if x.buckets[i].n == bucketSize {
		x.split(i)
		i = x.bucket(p)
	}
	b := x.buckets[i]
	at := b.search(p)
	copy(b.keys[at+1:b.n+1], b.keys[at:b.n])
	copy(b.values[at+1:b.n+1], b.values[at:b.n])
	b.keys[at], b.values[at] = p, v
	b.n++
}

// split moves the upper half of a full bucket into a new one behind it.
func (x *addresses[V]) split(i int) {
	const half = bucketSize / 2
	b, upper := x.buckets[i], &bucket[V]{n: half}
	copy(upper.keys[:], b.keys[half:])
	copy(upper.values[:], b.values[half:])
	clear(b.values[half:])
	b.n = half
	x.buckets = append(x.buckets, nil)
	copy(x.buckets[i+2:], x.buckets[i+1:])
	x.buckets[i+1] = upper
}

// remove takes out an address that is there.
func (x *addresses[V]) remove(p uintptr) {
	i := x.bucket(p)
	b := x.buckets[i]
	at := b.search(p)
	copy(b.keys[at-1:], b.keys[at:b.n])
	copy(b.values[at-1:], b.values[at:b.n])
	b.n--
	clear(b.values[b.n : b.n+1])
	if b.n == 0 && len(x.buckets) > 1 {
		x.buckets = append(x.buckets[:i], x.buckets[i+1:]...)
	}
}
