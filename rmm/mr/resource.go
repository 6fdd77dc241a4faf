package mr

import "github.com/rmm-go/rmm-go/driver"

// DefaultAlignment is what the alignment 0 stands for, in bytes. It is what
// every allocation of CUDA's has at least.
const DefaultAlignment = 256

// Resource hands out memory that a device can use.
//
// Implementations are safe for concurrent use. Package mrtest checks one.
type Resource interface {
	// Device is the device whose streams this resource accepts.
	Device() *driver.Device
	// Allocate returns size bytes or more, aligned to align (0 means 256; a power
	// of two), usable on s at once. Size 0 returns the nil Ptr. A size or alignment
	// that cannot be honoured is an error, never a panic.
	Allocate(size, align int, s *driver.Stream) (driver.Ptr, error)
	// Deallocate gives back what Allocate(size, align) returned. s orders the
	// release after the work enqueued on s; uses on other streams are ordered
	// before s by the caller. The nil Ptr with size 0 is no work.
	Deallocate(p driver.Ptr, size, align int, s *driver.Stream) error
}

// Upstreamer is a Resource that gets its memory from another one.
type Upstreamer interface {
	// Upstream is the next resource of the chain.
	Upstream() Resource
}

// Trimmer is a Resource that keeps free memory and can give it back.
type Trimmer interface {
	// Trim gives free memory back, but lets at least keep bytes stay reserved. It
	// waits for nothing and returns how many bytes went.
	Trim(keep int) (int, error)
}

// UsageReporter is a Resource that knows how much memory it holds.
type UsageReporter interface {
	// Usage is a snapshot; under concurrent use its fields may be of slightly
	// different moments.
	Usage() Usage
}

// Usage is how much memory a resource holds, in bytes. A closed resource holds
// none.
type Usage struct {
	Reserved     int // taken from the driver or the upstream
	ReservedPeak int // highest Reserved so far
	Allocated    int // handed out and not given back, as the callers asked
	Allocations  int // how many pieces that is
}

// HostAccessible is a Resource that says whether the host may touch its memory,
// after synchronising the stream that the memory was last used on. Resources
// without this method give memory for the device only.
type HostAccessible interface {
	HostAccessible() bool
}

// Retirer is a Resource that can close later: Retire stops new allocations at
// once, and the last Deallocate closes the resource.
type Retirer interface {
	// Retire is idempotent; after Close it is ErrClosed.
	Retire() error
}

// Equaler is a Resource that recognises others that can free its memory. Without
// it a Resource equals only itself.
type Equaler interface {
	// Equal reports whether each of the two can free the other's memory.
	Equal(other Resource) bool
}
