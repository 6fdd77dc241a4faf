package mr

import (
	"fmt"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver"
)

// Limiting refuses allocations that would exceed a limit of bytes. It is RMM's
// limiting_resource_adaptor; unlike RMM's it never refuses a request that fits,
// however many goroutines ask at once.
//
// Invariant: allocated is the sum of the rounded sizes that the upstream has
// given or is being asked for, and never exceeds limit.
type Limiting struct {
	identity
	upstream  Resource
	limit     int
	alignment int
	allocated atomic.Int64
}

// LimitingOptions describes a Limiting.
type LimitingOptions struct {
	// Alignment is the number of bytes that each size is rounded up to when it is
	// counted; a power of two. Default: 256.
	Alignment int
}

// NewLimiting makes a Limiting that lets at most limit bytes of upstream be
// allocated at a time. A negative limit is ErrInvalidSize, an alignment that is
// not a power of two ErrInvalidAlignment.
func NewLimiting(upstream Resource, limit int, opts LimitingOptions) (*Limiting, error) {
	id, err := adaptorIdentity("Limiting", upstream)
	if err != nil {
		return nil, err
	}
	if limit < 0 {
		return nil, fmt.Errorf("mr.NewLimiting: the limit is %d bytes, it must not be negative: %w", limit, ErrInvalidSize)
	}
	alignment := opts.Alignment
	if alignment == 0 {
		alignment = DefaultAlignment
	}
	if alignment < 0 || alignment&(alignment-1) != 0 {
		return nil, fmt.Errorf("mr.NewLimiting: Alignment is %d, it must be a power of two: %w", alignment, ErrInvalidAlignment)
	}
	return &Limiting{identity: id, upstream: upstream, limit: limit, alignment: alignment}, nil
}

// Upstream is the resource behind this one.
func (l *Limiting) Upstream() Resource { return l.upstream }

// Limit is how many bytes may be allocated at a time.
func (l *Limiting) Limit() int { return l.limit }

// Allocated is how many bytes are allocated now, each size rounded up.
func (l *Limiting) Allocated() int { return int(l.allocated.Load()) }

// Allocate passes through if the limit leaves room; otherwise it is an
// *OutOfMemoryError that is ErrLimitExceeded.
func (l *Limiting) Allocate(size, align int, s *driver.Stream) (driver.Ptr, error) {
	align, err := l.checkAllocate(size, align, s)
	if err != nil {
		return 0, err
	}
	if !l.charge(size) {
		refused := &OutOfMemoryError{
			Resource: l.name, Requested: size, Alignment: align, Device: l.dev, Stream: s,
			Limit: l.limit, Usage: Usage{Allocated: l.Allocated()}, Cause: ErrLimitExceeded,
		}
		return 0, refused.logged()
	}
	p, err := l.upstream.Allocate(size, align, s)
	if err != nil {
		l.refund(size)
	}
	return p, err
}

// Deallocate passes through and makes room once the upstream has the memory.
func (l *Limiting) Deallocate(p driver.Ptr, size, align int, s *driver.Stream) error {
	err := l.upstream.Deallocate(p, size, align, s)
	if err == nil {
		l.refund(size)
	}
	return err
}

// rounded is unsigned because rounding up can exceed an int.
func (l *Limiting) rounded(size int) uint64 { return alignUp(uint64(size), uint64(l.alignment)) }

// charge reports whether there is room, and takes it.
func (l *Limiting) charge(size int) bool {
	amount := l.rounded(size)
	for {
		now := l.allocated.Load()
		if uint64(now)+amount > uint64(l.limit) {
			return false
		}
		if l.allocated.CompareAndSwap(now, now+int64(amount)) {
			return true
		}
	}
}

func (l *Limiting) refund(size int) { l.allocated.Add(-int64(l.rounded(size))) }
