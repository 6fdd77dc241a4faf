// Package cudart is the backend on the CUDA runtime API: libcudart 13, 12, or 11
// from 11.4 on, for processes that must go through it. Work on devices is the
// runtime's; libcuda, which libcudart is built on, gives what the runtime has no
// word for: contexts, facts about devices, fills of 2- and 4-byte elements, and
// the names of errors.
//
// # Contexts
//
// A runtime call acts on the context that is current on its thread, and on the
// primary context of the thread's device if there is none. cudaGetDevice and
// cudaSetDevice cannot put back what they find: a thread that never chose a
// device reads 0, and since CUDA 12 setting device 0 makes a context there, on a
// GPU that nobody may want; a context that somebody made current with the
// driver API is lost. So this package does not use them. It retains each open
// device's primary context and runs every call on a device between
// cuCtxPushCurrent and cuCtxPopCurrent on a locked thread: the runtime works in
// the context that it would have used anyway, and the thread's own context and
// device are what they were.
//
// Calls on explicit streams are no exception. The driver API takes the device
// from the handle, but the runtime first looks for a current context and, where
// there is none, makes device 0's.
//
// # The last error
//
// The runtime remembers a failure per thread until cudaGetLastError is called. A
// failed call of this package takes its own failure back before the thread is
// unlocked, so that no other code on the thread finds it. The runtime remembers
// one error only: one that somebody else left there is gone too.
//
// # Versions
//
// libcudart has no way to ask for a function by version as libcuda has. Where
// CUDA 13 gave a name another signature, the library's version decides; see
// runtimeapi.go.
package cudart
