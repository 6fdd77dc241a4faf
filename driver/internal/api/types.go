package api

import "fmt"

// Only 64-bit platforms are supported: sizes are int bytes and device
// addresses are uintptr. This line does not compile anywhere else.
const _ = uint(^uint(0)>>63) - 1

// Ptr is an address that a device understands. It is an integer on purpose:
// the host must never dereference one.
type Ptr uintptr

// String prints the address as C's %p does.
func (p Ptr) String() string {
	if p == 0 {
		return "(nil)"
	}
	return fmt.Sprintf("%#x", uintptr(p))
}

// Stream is a raw CUstream. 0 and 1 are the legacy default stream, 2 is the
// per-thread default stream.
type Stream uintptr

// The handles with a fixed meaning.
const (
	StreamDefault   Stream = 0
	StreamLegacy    Stream = 1
	StreamPerThread Stream = 2
)

// Explicit reports whether s is a stream that somebody created, so that a call
// on it needs no current context.
func (s Stream) Explicit() bool { return s > StreamPerThread }

// Event is a raw CUevent.
type Event uintptr

// Pool is a raw CUmemoryPool.
type Pool uintptr

// StreamFlags are CUstream_flags.
type StreamFlags uint32

// A blocking stream synchronises with the legacy default stream, a
// non-blocking one does not.
const (
	StreamBlocking    StreamFlags = 0
	StreamNonBlocking StreamFlags = 1
)

// EventFlags are CUevent_flags.
type EventFlags uint32

// Flags of an event.
const (
	EventBlockingSync  EventFlags = 1
	EventDisableTiming EventFlags = 2
	EventInterprocess  EventFlags = 4
)

// HostAllocFlags are the flags of cuMemHostAlloc.
type HostAllocFlags uint32

// Flags of pinned host memory.
const (
	HostPortable      HostAllocFlags = 1
	HostDeviceMapped  HostAllocFlags = 2
	HostWriteCombined HostAllocFlags = 4
)

// PoolAttribute is a CUmemPool_attribute.
type PoolAttribute int32

// Attributes of a memory pool. The Reuse attributes are switches (0 or 1), the
// rest are bytes.
const (
	PoolReuseFollowEventDependencies   PoolAttribute = 1
	PoolReuseAllowOpportunistic        PoolAttribute = 2
	PoolReuseAllowInternalDependencies PoolAttribute = 3
	PoolReleaseThreshold               PoolAttribute = 4
	PoolReservedCurrent                PoolAttribute = 5
	PoolReservedHigh                   PoolAttribute = 6
	PoolUsedCurrent                    PoolAttribute = 7
	PoolUsedHigh                       PoolAttribute = 8
)

// PoolProps describes a memory pool to create.
type PoolProps struct {
	// HandleTypes is a bit set of CUmemAllocationHandleType (0: not exportable).
	HandleTypes int32
	// MaxSize limits the pool in bytes; 0 means the device's limit.
	MaxSize int
}

// MemoryType is where an address lives.
type MemoryType int32

// Kinds of memory that PointerInfo tells apart.
const (
	MemoryUnregistered MemoryType = 0
	MemoryHost         MemoryType = 1
	MemoryDevice       MemoryType = 2
	MemoryManaged      MemoryType = 3
)

// String names the memory type in lower case.
func (t MemoryType) String() string {
	switch t {
	case MemoryUnregistered:
		return "unregistered"
	case MemoryHost:
		return "pinned host"
	case MemoryDevice:
		return "device"
	case MemoryManaged:
		return "managed"
	}
	return fmt.Sprintf("MemoryType(%d)", int32(t))
}

// PointerInfo is what the driver knows about an address.
type PointerInfo struct {
	Type MemoryType
	// Device is the ordinal of the owning device, -1 if unregistered.
	Device int
	// Base and Size describe the allocation that contains the address; both are
	// zero where the driver does not say.
	Base Ptr
	Size int
	// Pool is the memory pool the address came from, 0 if none.
	Pool Pool
}

// DeviceInfo is what never changes about a device.
type DeviceInfo struct {
	Ordinal     int
	Name        string
	UUID        [16]byte
	TotalMemory int
}

// Library is a shared library that a backend has loaded.
type Library struct {
	Name    string // "libcuda"
	Path    string // what was given to dlopen
	Source  string // which rule of the search found it
	Version int    // as CUDA counts: 13000 is 13.0; 0 if unknown
}
