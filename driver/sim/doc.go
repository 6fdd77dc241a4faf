// Package sim is a CUDA machine in pure Go: the memory and stream semantics of
// CUDA without a GPU, so that code which manages GPU memory is tested in
// ordinary CI.
//
//	m, err := sim.New(sim.Config{Devices: 2})
//	drv, err := driver.Open(driver.Options{Backend: driver.Sim, Machine: m})
//
// # Ordering
//
// Everything that is enqueued on a stream is an operation in a graph. Its
// predecessors are fixed when it is enqueued: the stream's previous operation,
// what an awaited event last recorded, and what the legacy default stream asks
// for. That stream waits for all blocking streams of its device, and they wait
// for it; non-blocking streams do neither. Operations that nothing orders run
// at the same time, so a missing wait is a real data race here, as it is on a
// GPU. The per-thread default stream (handle 2) is one more blocking stream of
// each device, because a goroutine has no thread of its own.
//
// A call to the machine from a host function or a kernel is refused (800, not
// permitted): it would wait for itself.
//
// # When a copy touches host memory
//
// Pinned and managed memory is read or written when the copy is its stream's
// turn. Pageable memory (any other Go memory) is staged: an asynchronous copy
// to the device of at most 64 KiB takes a snapshot and returns at once, a
// larger one returns when it is done, and so does every copy to pageable
// memory. Calls without a stream are ordered as on the legacy default stream;
// those between host and device return when the copy is done, those that stay
// on the device, and filling device memory, do not wait. Filling pinned or
// managed memory does.
//
// # Memory
//
// A device address means nothing to the host: nothing is mapped there. Pages of
// 64 KiB are committed when they are first written; memory that was never
// written reads as 0xA5 bytes. A freed address is handed out again soon, as
// CUDA does, because reuse is what exposes ordering bugs. Pinned and managed
// memory is real, at the address that the devices use, committed by the
// operating system as it is touched; it does not count against a device's
// capacity. Device memory is taken in units of 2 MiB.
//
// Freeing without a stream first waits for the work of the device that owns the
// memory (for pinned and managed memory, of every device), and leaves the
// address invalid from the beginning of the call.
//
// # Memory pools
//
// A pool grows by multiples of 32 MiB (2 MiB when no more is left). Memory
// freed on a stream is reused on that stream at once, on other streams when the
// free is complete, or as soon as an event makes them wait for it, and, if the
// pool cannot grow, earlier: the allocation then waits on the device for the free.
// With opportunistic reuse switched off, other streams see memory whose free is
// complete after the next synchronisation.
// At every synchronisation of a stream, an event or the device, free memory
// above the release threshold goes back to the device; all free memory does
// when the device would otherwise be out of memory.
//
// # Virtual memory, peers and other processes
//
// Physical memory of MemCreate counts against its device and is reached through
// the addresses at which it is mapped. Work finds it when it runs: unmapping
// waits for nothing, and what comes too late faults. Copies need no access
// between devices. Kernels need EnablePeerAccess for plain memory, PoolSetAccess
// for memory of pools and MemSetAccess for virtual memory.
//
// Exported handles can be imported in the same process. A file descriptor is a
// real one, the caller's to close; it does not keep what it names. Handles of
// memory and events cannot be opened by their own process, as in CUDA, unless
// Config.SameProcessIPC says so.
//
// # Kernels
//
// A kernel is a Go function registered under the entry name of its PTX
// (RegisterKernel); the rest of the PTX is not looked at. It reaches memory
// through Load and Store. What a GPU would not allow becomes a fault, which stays
// with all devices of the machine: pending work is dropped, and every later call
// on a device fails with it until that device's PrimaryContextReset.
//
// # Capture and graphs
//
// The thread that begins a capture, and whose mode WithCaptureMode exchanges, is
// the operating system's: hold it (runtime.LockOSThread) between the begin and
// the end of a capture that is not relaxed. A graph's operations find their
// memory anew at each launch. Memory that a graph allocates is taken at the
// capture and stays with the graph, instead of being mapped by its launches.
//
// # The ordering checker
//
// With Config.Check the machine also watches the order that the program asks
// for, and Machine.Hazards reports what would go wrong under some timing: two
// accesses that nothing orders, use of freed memory, frees and reuse that are
// not ordered after a use, and more (see the constants). Work is judged when it
// is enqueued, so a report does not depend on how fast anything ran; kernels are
// judged as they load and store. What a resource carves out of its memory is
// known from driver.Device.Annotate. What goroutines do to pinned and managed
// memory is seen only where they say so (Machine.HostRead and HostWrite).
//
// The host is after work that it has synchronised with, or has seen complete: by
// a query that said so, by a copy that returns when it is done, by a host
// function that has begun. It is not known what a host function waits for.
// MemcpyHtoD from pageable memory counts as done when it returns, as it is here;
// CUDA promises less.
//
// # Seeds, faults and stalls
//
// With Config.Seed executions are reproducible, and time is virtual; goroutines
// of such a program are started by Machine.Go. Machine.Fail lets calls fail,
// Machine.SetCapacity takes memory away, Machine.Stall holds a stream up. Package
// simtest runs a test under many seeds, and with each of its calls failing.
//
// # Streams are only as urgent as the scheduler
//
// Priorities are accepted and change nothing.
package sim
