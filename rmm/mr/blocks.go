package mr

import (
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/internal/debuglog"
)

// blocks takes every allocation from the driver, and remembers it: that is how
// wrong releases are found, and what was padded for a large alignment.
type blocks struct {
	identity
	live ledger

	// alloc and free are the driver's calls. What alloc returns is aligned to
	// DefaultAlignment, as everything of CUDA's is.
	alloc func(size int, s *driver.Stream) (driver.Ptr, error)
	free  func(p driver.Ptr, s *driver.Stream) error
	usage func() Usage
	// memInfo tells the free and total bytes of the memory that alloc draws on; nil
	// if nobody knows.
	memInfo func() (free, total int, err error)
}

// padding is how many bytes more than its size an aligned allocation takes.
func padding(align int) int { return max(align-DefaultAlignment, 0) }

func (b *blocks) allocate(size, align int, s *driver.Stream) (driver.Ptr, error) {
	align, err := b.checkAllocate(size, align, s)
	if err != nil || size == 0 {
		return 0, err
	}
	base, err := b.alloc(size+padding(align), s)
	if err != nil {
		return 0, b.allocationError(size, align, s, err)
	}
	p := alignUp(base, driver.Ptr(align))
	b.live.put(p, newBlock(size, int(p-base), align))
	return p, nil
}

// deallocate forgets the block before it frees it: as soon as the driver has the
// memory back, another goroutine may be given it. If freeing fails the memory is
// still ours, except after a fault, which loses all memory of the device.
func (b *blocks) deallocate(p driver.Ptr, size, align int, s *driver.Stream) error {
	align, err := b.checkDeallocate(p, size, align, s)
	if err != nil {
		return err
	}
	block, err := b.take(p, size, align)
	if err != nil {
		return err
	}
	err = b.free(p-driver.Ptr(block.shift), s)
	if err == nil {
		return nil
	}
	if !errors.Is(err, driver.ErrFault) {
		b.live.put(p, block)
	}
	debuglog.Logger().Error("free failed",
		zap.String("resource", b.name), zap.Stringer("pointer", p), zap.Int("bytes", size), zap.Stringer("stream", s), zap.Error(err))
	return fmt.Errorf("%s.Deallocate: free %d bytes at %v: %w", b.name, size, p, err)
}

func (b *blocks) take(p driver.Ptr, size, align int) (block, error) {
	found, known, taken := b.live.take(p, size, align)
	const call = "Deallocate"
	switch {
	case taken:
		return found, nil
	case !known:
		return block{}, b.errorf(ErrForeignPointer, call, "no live allocation of this resource begins at %v: it was freed before, or another resource made it", p)
	case found.size != size:
		return block{}, b.errorf(ErrSizeMismatch, call, "%v was allocated with %d bytes, not %d: give the size of Allocate", p, found.size, size)
	}
	return block{}, b.errorf(ErrAlignmentMismatch, call, "%v was allocated with alignment %d, not %d: give the alignment of Allocate", p, found.alignment(), align)
}

// allocationError tells memory that ran out from everything else that can fail.
func (b *blocks) allocationError(size, align int, s *driver.Stream, cause error) error {
	if !errors.Is(cause, driver.ErrOutOfMemory) {
		debuglog.Logger().Error("allocation failed",
			zap.String("resource", b.name), zap.Int("bytes", size), zap.Stringer("stream", s), zap.Error(cause))
		return fmt.Errorf("%s.Allocate: allocate %d bytes on %v: %w", b.name, size, s, cause)
	}
	oom := &OutOfMemoryError{
		Resource: b.name, Requested: size, Alignment: align, Device: b.dev, Stream: s,
		Usage: b.usage(), Cause: cause,
	}
	if b.memInfo != nil {
		oom.DeviceFree, oom.DeviceTotal, _ = b.memInfo() // 0 where the driver does not answer
	}
	return oom.logged()
}
