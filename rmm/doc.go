// Package rmm is the front door of rmm-go, a GPU memory manager for Go: choose
// the allocator of a whole program through one options struct.
//
//	handle, err := rmm.Reinitialize(rmm.Options{Allocator: "cuda-async"})
//	defer handle.Close()
//	r, err := mr.Current()              // what Reinitialize installed
//	p, err := r.Allocate(1<<20, 0, stream)
//	err = r.Deallocate(p, 1<<20, 0, stream)
//
// Memory resources are in package mr; devices, streams and copies in package
// driver; the allocation log and its replay in packages eventlog and replay.
//
// The debug log goes to the file that RMM_DEBUG_LOG_FILE names (stderr if
// unset), from the level that RMM_LOGGING_LEVEL names: trace, debug, info (the
// default), warn, error, critical or off.
package rmm
