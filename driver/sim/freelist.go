package sim

import "math/bits"

// freeList holds free blocks by size, for a good fit in constant time: sixteen
// bins for every power of two, the newest block of a bin first, and bitmaps of
// the bins that are not empty.
type freeList struct {
	heads  [classes][steps]*block
	filled [classes]uint16 // bins with blocks
	class  uint64          // classes with blocks
	count  int
}

const (
	stepBits = 4
	steps    = 1 << stepBits
	classes  = 40 // enough for 2^43 units
	attempts = 8  // how many blocks of a request's own bin are looked at
)

// bin of a size: in class 0 by units, above by the bits after the highest.
func bin(size int) (class, step int) {
	n := uint(size / unit)
	if n < steps {
		return 0, int(n)
	}
	class = bits.Len(n) - stepBits
	return class, int(n>>(class-1)) & (steps - 1)
}

// find returns a block of at least size bytes. One of the request's own bin is
// preferred: there lies what was just freed with the same size.
func (l *freeList) find(size int) *block {
	class, step := bin(size)
	b := l.heads[class][step]
	for range attempts {
		if b == nil || b.size >= size {
			break
		}
		b = b.older
	}
	if b != nil && b.size >= size {
		return b
	}
	if above := l.filled[class] >> step >> 1; above != 0 {
		return l.heads[class][step+1+bits.TrailingZeros16(above)]
	}
	above := l.class >> class >> 1
	if above == 0 {
		return nil
	}
	class += 1 + bits.TrailingZeros64(above)
	return l.heads[class][bits.TrailingZeros16(l.filled[class])]
}

func (l *freeList) push(b *block) {
	class, step := bin(b.size)
	head := l.heads[class][step]
	b.list, b.older, b.newer = l, head, nil
	if head != nil {
		head.newer = b
	}
	l.heads[class][step] = b
	l.filled[class] |= 1 << step
	l.class |= 1 << class
	l.count++
}

func (l *freeList) remove(b *block) {
	if b.older != nil {
		b.older.newer = b.newer
	}
	if b.newer != nil {
		b.newer.older = b.older
	} else {
		l.behead(b)
	}
	b.list, b.older, b.newer = nil, nil, nil
	l.count--
}

// behead makes the next block of its bin the head.
func (l *freeList) behead(b *block) {
	class, step := bin(b.size)
	if l.heads[class][step] = b.older; b.older != nil {
		return
	}
	if l.filled[class] &^= 1 << step; l.filled[class] == 0 {
		l.class &^= 1 << class
	}
}

// collect appends the blocks of at least size bytes' bin and above for which
// want holds.
func (l *freeList) collect(found []*block, size int, want func(*block) bool) []*block {
	for class, _ := bin(size); class < classes; class++ {
		for filled := l.filled[class]; filled != 0; filled &= filled - 1 {
			for b := l.heads[class][bits.TrailingZeros16(filled)]; b != nil; b = b.older {
				if want(b) {
					found = append(found, b)
				}
			}
		}
	}
	return found
}
