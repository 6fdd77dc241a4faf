package mr

import (
	"math/bits"
	"sync"

	"github.com/rmm-go/rmm-go/driver"
)

// block is a live allocation as its owner asked for it.
type block struct {
	size  int
	shift int   // how far the pointer lies behind what the driver returned
	align uint8 // log2 of the alignment
}

func newBlock(size, shift, align int) block {
	return block{size: size, shift: shift, align: uint8(bits.TrailingZeros(uint(align)))}
}

func (b block) alignment() int { return 1 << b.align }

// ledger knows the live allocations of a resource by address.
//
// It is split into shards, each a hash table with linear probing under its own
// lock, because every allocation and release passes through here: a pair costs
// about 40 ns. The entries hold no Go pointers, so the collector skips them.
type ledger struct {
	shards [1 << shardBits]shard
}

const (
	shardBits    = 5
	initialSlots = 16
)

// Invariant of a shard: an entry lies at its home slot or behind it (cyclically)
// with no empty slot in between; at least a quarter of the slots is empty.
type shard struct {
	mu    sync.Mutex
	slots []slot // a power of two, or none
	count int
	bytes int
	drop  uint    // how many bits of a 64-bit hash are too many for a slot number
	_     [8]byte // 64 bytes: shards do not share a cache line
}

type slot struct {
	p driver.Ptr // 0 is an empty slot
	b block
}

// hash spreads addresses over 64 bits; the top ones choose the shard, the next
// ones the slot.
func hash(p driver.Ptr) uint64 { return uint64(p) * 0x9E3779B97F4A7C15 }

func (l *ledger) shard(p driver.Ptr) *shard { return &l.shards[hash(p)>>(64-shardBits)] }

// put enters a block. An address that is already there was released behind the
// resource's back and handed out again: the new block replaces it.
func (l *ledger) put(p driver.Ptr, b block) {
	s := l.shard(p)
	s.mu.Lock()
	if s.count >= len(s.slots)/4*3 {
		s.grow()
	}
	at := s.find(p)
	if s.slots[at].p != 0 {
		s.forget(s.slots[at].b)
	}
	s.slots[at] = slot{p, b}
	s.count++
	s.bytes += b.size
	s.mu.Unlock()
}

// take removes the block at p if it was allocated with this size and alignment.
// Otherwise it stays, and take returns what there is, if anything.
func (l *ledger) take(p driver.Ptr, size, align int) (b block, known, taken bool) {
	s := l.shard(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.slots) == 0 {
		return block{}, false, false
	}
	at := s.find(p)
	if s.slots[at].p == 0 {
		return block{}, false, false
	}
	b = s.slots[at].b
	if b.size != size || b.alignment() != align {
		return b, true, false
	}
	s.forget(b)
	s.remove(at)
	return b, true, true
}

// total sums the shards up. Without concurrent use it is exact.
func (l *ledger) total() (count, bytes int) {
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		count += s.count
		bytes += s.bytes
		s.mu.Unlock()
	}
	return count, bytes
}

func (s *shard) forget(b block) {
	s.count--
	s.bytes -= b.size
}

// home is where p belongs.
func (s *shard) home(p driver.Ptr) int {
	return int(hash(p) << shardBits >> s.drop)
}

// find returns the slot of p, or the empty one where it would go.
func (s *shard) find(p driver.Ptr) int {
	at := s.home(p)
	for s.slots[at].p != p && s.slots[at].p != 0 {
		at = (at + 1) & (len(s.slots) - 1)
	}
	return at
}

// remove empties a slot and moves entries behind it up, so that no search stops
// short of them.
func (s *shard) remove(hole int) {
	mask := len(s.slots) - 1
	for at := (hole + 1) & mask; s.slots[at].p != 0; at = (at + 1) & mask {
		// The entry may move if the hole lies between its home and where it is.
		if (at-s.home(s.slots[at].p))&mask >= (at-hole)&mask {
			s.slots[hole] = s.slots[at]
			hole = at
		}
	}
	s.slots[hole] = slot{}
}

func (s *shard) grow() {
	old := s.slots
	s.slots = make([]slot, max(2*len(old), initialSlots))
	s.drop = uint(64 - bits.TrailingZeros(uint(len(s.slots))))
	for _, e := range old {
		if e.p != 0 {
			s.slots[s.find(e.p)] = e
		}
	}
}
