// Package cuda is the backend on the CUDA driver API: libcuda, which comes with
// the GPU driver, and nothing else.
//
// # Contexts
//
// Each device's primary context is retained while the backend is open; nothing
// depends on the context that happens to be current on a thread.
//
//   - Calls on explicit handles (streams, events, pools, stream-ordered and
//     virtual memory, graphs) take their device from the handle and need no
//     current context: they go straight to the driver. Drivers that want one
//     all the same answer CUDA_ERROR_INVALID_CONTEXT; then the call is repeated
//     in the other way.
//   - Everything else runs between cuCtxPushCurrent and cuCtxPopCurrent on a
//     locked thread, so that a context that somebody else made current there is
//     current again afterwards.
//
// # Versions
//
// Functions are bound at the CUDA version of the signature used here. Newer
// headers give several of the names other signatures; see functions.go. What
// only the optional interfaces of package api need may be missing in a driver:
// the call that needs it is then api.ErrNotSupported, naming both versions.
//
// # Memory that C reads
//
// The driver believes every address that it is given. What it reads beyond the
// call's own arguments (structs, kernel arguments, PTX) is laid out, checked and
// kept reachable here; layouts are compared with cuda.h's in the tests.
//
// # Captures
//
// A host function launched on a stream that is being captured belongs to the
// graph: it may run many times, and its registration ends with the graph and
// everything instantiated from it (see hostfuncs.go).
package cuda
