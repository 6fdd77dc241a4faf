package api

// Backend is one way to reach CUDA devices, or simulated ones. A process may
// hold several. All methods are safe for concurrent use.
type Backend interface {
	// Name is "cuda", "cudart" or "sim".
	Name() string
	// DriverVersion is the newest CUDA that the driver knows: 13000 is 13.0.
	DriverVersion() int
	// Libraries lists what was loaded, empty for the simulator.
	Libraries() []Library
	// DeviceCount is the number of devices; at least 1.
	DeviceCount() int
	// Device opens a device (for CUDA: retains its primary context). Opening
	// the same one again returns the same Device.
	Device(ordinal int) (Device, error)
	// Close gives up what Device opened. No other call may follow or run.
	Close() error
}

// Device is one GPU of a backend.
type Device interface {
	Info() DeviceInfo
	Attribute(a Attribute) (int, error)
	// MemInfo returns free and total bytes.
	MemInfo() (free, total int, err error)
	// Synchronize waits for all work of the device's context.
	Synchronize() error

	Streams
	Events
	Memory
	StreamOrdered
	Copies
}

// Streams are the calls on streams.
type Streams interface {
	// StreamCreate makes a stream; a lower priority number is more urgent.
	StreamCreate(flags StreamFlags, priority int) (Stream, error)
	// StreamDestroy returns at once; pending work still completes.
	StreamDestroy(s Stream) error
	// StreamQuery reports whether all work on s is complete.
	StreamQuery(s Stream) (bool, error)
	StreamSynchronize(s Stream) error
	// StreamWaitEvent makes later work on s wait for what e last recorded. e may
	// belong to another device.
	StreamWaitEvent(s Stream, e Event) error
	// StreamID is the driver's identifier, unique in the process and never
	// reused. A stream that is being captured answers ErrCapture without harm to
	// the capture.
	StreamID(s Stream) (uint64, error)
	// StreamPriorities returns the least and the most urgent priority.
	StreamPriorities() (least, greatest int, err error)
	// LaunchHostFunc runs f on a thread of the backend's once earlier work on s
	// is complete; later work on s waits for f to return. On a stream that is being
	// captured f runs at each launch of the graph. f must not call CUDA.
	LaunchHostFunc(s Stream, f func()) error
}

// Events are the calls on events.
type Events interface {
	EventCreate(flags EventFlags) (Event, error)
	EventDestroy(e Event) error
	EventRecord(e Event, s Stream) error
	// EventQuery reports whether what e last recorded is complete; true if it
	// never recorded anything.
	EventQuery(e Event) (bool, error)
	EventSynchronize(e Event) error
	// EventElapsed is the time from start to end in milliseconds.
	EventElapsed(start, end Event) (float32, error)
}

// Memory are the calls that allocate and free at once, in host order.
type Memory interface {
	MemAlloc(size int) (Ptr, error)
	MemFree(p Ptr) error
	// MemAllocManaged allocates memory attached globally.
	MemAllocManaged(size int) (Ptr, error)
	// MemHostAlloc allocates pinned host memory; its address is valid on the
	// host and on every device.
	MemHostAlloc(size int, flags HostAllocFlags) (Ptr, error)
	MemHostFree(p Ptr) error
	PointerInfo(p Ptr) (PointerInfo, error)
}

// StreamOrdered are the calls of the stream-ordered allocator.
type StreamOrdered interface {
	// MemAllocAsync allocates from the device's current pool.
	MemAllocAsync(size int, s Stream) (Ptr, error)
	MemAllocFromPoolAsync(size int, p Pool, s Stream) (Ptr, error)
	MemFreeAsync(p Ptr, s Stream) error
	DefaultPool() (Pool, error)
	PoolCreate(props PoolProps) (Pool, error)
	PoolDestroy(p Pool) error
	PoolAttribute(p Pool, a PoolAttribute) (uint64, error)
	// PoolSetAttribute sets a switch, the release threshold, or resets a
	// high-water mark (value 0).
	PoolSetAttribute(p Pool, a PoolAttribute, value uint64) error
	// PoolTrim gives free memory back to the system, but lets at least keep bytes
	// stay reserved.
	PoolTrim(p Pool, keep int) error
}

// Copies move and fill memory. The forms without a stream are ordered as on the
// legacy default stream and return when CUDA's do.
type Copies interface {
	MemcpyHtoD(dst Ptr, src []byte) error
	MemcpyDtoH(dst []byte, src Ptr) error
	MemcpyDtoD(dst, src Ptr, n int) error
	MemcpyHtoDAsync(dst Ptr, src []byte, s Stream) error
	MemcpyDtoHAsync(dst []byte, src Ptr, s Stream) error
	MemcpyDtoDAsync(dst, src Ptr, n int, s Stream) error
	// MemcpyPeerAsync copies between devices of the same backend; s is a stream
	// of the device it is called on.
	MemcpyPeerAsync(dst Ptr, dstDevice int, src Ptr, srcDevice int, n int, s Stream) error
	// Memset writes count elements of width bytes (1, 2 or 4).
	Memset(p Ptr, value uint32, width, count int) error
	MemsetAsync(p Ptr, value uint32, width, count int, s Stream) error
	// PrefetchAsync moves managed memory to a device, or to the host for -1.
	PrefetchAsync(p Ptr, n int, toDevice int, s Stream) error
}
