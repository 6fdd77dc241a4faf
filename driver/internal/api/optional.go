package api

// The interfaces in this file are optional: package driver asks whether a
// Device implements them and answers ErrNotSupported, naming the backend, if it
// does not. Methods act on the device that they are called on.

// MemHandle is a raw CUmemGenericAllocationHandle: physical memory without an
// address.
type MemHandle uintptr

// HandleType is a CUmemAllocationHandleType, a bit set in the Handles of an
// attribute.
type HandleType int32

// The ways to export memory to another process.
const (
	HandleNone    HandleType = 0
	HandlePosixFD HandleType = 1
	HandleWin32   HandleType = 2
	HandleFabric  HandleType = 8
)

// Access is a CUmemAccess_flags.
type Access int32

// What a device may do with a range of memory.
const (
	AccessNone      Access = 0
	AccessRead      Access = 1
	AccessReadWrite Access = 3
)

// Shareable is an exported handle: a file descriptor for HandlePosixFD (the
// receiver owns it), 64 bytes for HandleFabric.
type Shareable struct {
	Type   HandleType
	FD     int
	Fabric [64]byte
}

// VirtualMemory is CUDA's virtual memory management.
type VirtualMemory interface {
	// MemGranularity is the unit of sizes and addresses below, in bytes; the
	// recommended one is the best for speed.
	MemGranularity(recommended bool, handles HandleType) (int, error)
	MemAddressReserve(size, align int) (Ptr, error)
	MemAddressFree(p Ptr, size int) error
	MemCreate(size int, handles HandleType) (MemHandle, error)
	MemRelease(h MemHandle) error
	MemMap(p Ptr, size, offset int, h MemHandle) error
	MemUnmap(p Ptr, size int) error
	MemSetAccess(p Ptr, size int, device int, access Access) error
	MemExport(h MemHandle, t HandleType) (Shareable, error)
	MemImport(s Shareable) (MemHandle, error)
}

// Peer is access between devices.
type Peer interface {
	CanAccessPeer(peer int) (bool, error)
	// EnablePeerAccess lets this device reach plain memory of the peer; neither
	// virtual nor pool memory follows it.
	EnablePeerAccess(peer int) error
	DisablePeerAccess(peer int) error
	// PoolSetAccess lets a device reach the memory of a pool of this device.
	PoolSetAccess(p Pool, device int, access Access) error
	PoolAccess(p Pool, device int) (Access, error)
}

// IPCHandle is a CUipcMemHandle or a CUipcEventHandle.
type IPCHandle [64]byte

// PoolPointer is a CUmemPoolPtrExportData.
type PoolPointer [64]byte

// IPC shares memory and events between processes.
type IPC interface {
	IpcMemHandle(p Ptr) (IPCHandle, error)
	IpcOpenMem(h IPCHandle) (Ptr, error)
	IpcCloseMem(p Ptr) error
	IpcEventHandle(e Event) (IPCHandle, error)
	IpcOpenEvent(h IPCHandle) (Event, error)
	PoolExport(p Pool, t HandleType) (Shareable, error)
	PoolImport(s Shareable) (Pool, error)
	PoolExportPointer(p Ptr) (PoolPointer, error)
	PoolImportPointer(p Pool, data PoolPointer) (Ptr, error)
}

// HostRegister pins memory that the caller allocated.
type HostRegister interface {
	// MemHostRegister pins memory[:] and maps it for every device.
	MemHostRegister(memory []byte) error
	MemHostUnregister(memory []byte) error
}

// Advice is a CUmem_advise.
type Advice int32

// Hints on managed memory.
const (
	AdviseSetReadMostly          Advice = 1
	AdviseUnsetReadMostly        Advice = 2
	AdviseSetPreferredLocation   Advice = 3
	AdviseUnsetPreferredLocation Advice = 4
	AdviseSetAccessedBy          Advice = 5
	AdviseUnsetAccessedBy        Advice = 6
)

// RangeAttribute is a CUmem_range_attribute.
type RangeAttribute int32

// What can be asked of a range of managed memory. Devices are ordinals, -1 the
// host, -2 none.
const (
	RangeReadMostly           RangeAttribute = 1
	RangePreferredLocation    RangeAttribute = 2
	RangeLastPrefetchLocation RangeAttribute = 4
)

// ManagedHints are hints on managed memory.
type ManagedHints interface {
	// MemAdvise gives a hint; device -1 is the host.
	MemAdvise(p Ptr, n int, advice Advice, device int) error
	MemRangeAttribute(p Ptr, n int, a RangeAttribute) (int, error)
}

// Module is a raw CUmodule, Function a raw CUfunction.
type (
	Module   uintptr
	Function uintptr
)

// LaunchConfig is the shape of a kernel launch.
type LaunchConfig struct {
	Grid, Block  [3]uint32
	SharedMemory int // dynamic shared memory per block, in bytes
}

// Params are kernel arguments: argument i begins at Buf[Offsets[i]].
type Params struct {
	Buf     []byte
	Offsets []int
}

// Kernels are modules and launches.
type Kernels interface {
	// ModuleLoad loads PTX text or a cubin.
	ModuleLoad(image []byte) (Module, error)
	ModuleUnload(m Module) error
	ModuleFunction(m Module, name string) (Function, error)
	Launch(f Function, cfg LaunchConfig, s Stream, params Params) error
}

// CaptureMode is a CUstreamCaptureMode.
type CaptureMode int32

// Which unsafe calls a capture forbids: of every thread, of its own, or none.
const (
	CaptureGlobal      CaptureMode = 0
	CaptureThreadLocal CaptureMode = 1
	CaptureRelaxed     CaptureMode = 2
)

// CaptureStatus is a CUstreamCaptureStatus.
type CaptureStatus int32

// The states of a stream.
const (
	CaptureNone        CaptureStatus = 0
	CaptureActive      CaptureStatus = 1
	CaptureInvalidated CaptureStatus = 2
)

// Graph is a raw CUgraph, GraphExec a raw CUgraphExec.
type (
	Graph     uintptr
	GraphExec uintptr
)

// Graphs are stream capture and the launch of what it recorded.
type Graphs interface {
	StreamBeginCapture(s Stream, mode CaptureMode) error
	StreamEndCapture(s Stream) (Graph, error)
	// StreamCapture returns the state of s and the ID of its capture.
	StreamCapture(s Stream) (CaptureStatus, uint64, error)
	// WithCaptureMode runs f, on the calling goroutine, with its thread's capture
	// mode exchanged for mode and puts the thread's own back.
	WithCaptureMode(mode CaptureMode, f func() error) error
	GraphInstantiate(g Graph) (GraphExec, error)
	GraphLaunch(g GraphExec, s Stream) error
	GraphDestroy(g Graph) error
	GraphExecDestroy(g GraphExec) error
}

// Contexts are what only tests and hosts of foreign code need.
type Contexts interface {
	// PrimaryContextReset destroys everything in the device's primary context.
	PrimaryContextReset() error
}
