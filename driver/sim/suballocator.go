package sim

// source is where a suballocator gets its chunks.
type source interface {
	take(size int) *block // a live block that is its whole chunk; nil if there is no more
	back(c *chunk)
}

// suballocator packs small allocations into shared chunks and gives each large
// one a chunk of its own, a multiple of granule. A chunk that is wholly free
// goes back at once. Its user keeps the lock.
type suballocator struct {
	*arena
	source source
	share  int // bytes of a shared chunk
	holes  freeList
}

func (s *suballocator) allocate(size int) *block {
	if size > hugeSize {
		return nil
	}
	if size > s.share/2 {
		b := s.source.take(roundUp(size, granule))
		return b.asking(size)
	}
	need := roundUp(size, unit)
	if b := s.carve(&s.holes, need); b != nil {
		return b.asking(size)
	}
	b := s.source.take(s.share)
	if b != nil {
		s.shorten(b, need, &s.holes)
	}
	return b.asking(size)
}

// asking notes the size that was asked for.
func (b *block) asking(size int) *block {
	if b != nil {
		b.asked = size
	}
	return b
}

func (s *suballocator) free(b *block) {
	b = s.give(b, &s.holes)
	if !b.whole() {
		return
	}
	s.holes.remove(b)
	c := b.chunk
	s.drop(b)
	s.source.back(c)
}
