// Package api is the narrow interface between package driver and its
// backends: raw handles, enumerations with CUDA's own numbers, the error type,
// and the calls a backend must implement.
//
// # Rules that every backend keeps
//
//   - No call depends on the CUDA context that happens to be current on the
//     calling thread, and no call leaves another one current than it found.
//   - A Device method acts on that device, whatever the stream handle is;
//     handles 0 and 1 both mean the device's legacy default stream.
//   - A backend does not guard a handle against use after destruction or
//     against a concurrent destroy: package driver does (see driver's gate).
//   - A failed CUDA call is an *Error naming the function. On a GPU success
//     allocates nothing on the Go heap.
//   - Calls with a []byte read or write the slice's memory directly. The
//     methods are called through interfaces, so the compiler has moved that
//     memory to the heap; keeping it reachable until an asynchronous call has
//     finished is package driver's work (see driver's keep-alive list).
//
// What not every backend has (virtual memory, IPC, graphs, modules) is an
// optional interface that a Device may implement; package driver asks by type
// assertion and answers ErrNotSupported naming the backend.
package api
