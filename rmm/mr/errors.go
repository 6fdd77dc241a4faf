package mr

import (
	"errors"

	"github.com/rmm-go/rmm-go/driver"
)

// Mistakes in a call, for errors.Is. Beside them a call can fail with
// driver.ErrWrongDevice (a stream or resource of another device),
// driver.ErrStreamClosed (Allocate on a closed stream), an *OutOfMemoryError, or
// whatever CUDA reports.
var (
	// ErrInvalidSize means a negative number of bytes.
	ErrInvalidSize = errors.New("invalid size")
	// ErrSizeOverflow means that a size and its alignment together exceed what an
	// int holds.
	ErrSizeOverflow = errors.New("size overflow")
	// ErrInvalidAlignment means an alignment that is not a power of two.
	ErrInvalidAlignment = errors.New("invalid alignment")
	// ErrNilStream means that no stream was given.
	ErrNilStream = errors.New("nil stream")
	// ErrNilPointer means that the nil Ptr was given back with a size other than 0.
	ErrNilPointer = errors.New("nil pointer")
	// ErrNilResource means that no upstream resource was given.
	ErrNilResource = errors.New("nil resource")
	// ErrForeignPointer means that the resource has no live allocation at the
	// address: it was freed before, or came from elsewhere.
	ErrForeignPointer = errors.New("foreign pointer")
	// ErrSizeMismatch means that memory was given back with another size than it
	// was allocated with. It stays allocated.
	ErrSizeMismatch = errors.New("size mismatch")
	// ErrAlignmentMismatch means that memory was given back with another alignment
	// than it was allocated with. It stays allocated.
	ErrAlignmentMismatch = errors.New("alignment mismatch")
	// ErrLimitExceeded means that a Limiting refused; it comes inside an
	// *OutOfMemoryError.
	ErrLimitExceeded = errors.New("memory limit exceeded")
	// ErrNotPushed means that PopCounters was called more often than PushCounters.
	ErrNotPushed = errors.New("no counters pushed")
	// ErrClosed means that the resource was closed or retired. It is
	// driver.ErrClosed.
	ErrClosed = driver.ErrClosed
	// ErrOutstanding means that Close found live allocations; nothing changed. It
	// is driver.ErrOutstanding.
	ErrOutstanding = driver.ErrOutstanding
)
