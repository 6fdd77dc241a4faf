// Package mr holds RMM's memory resources in Go: a Resource hands out device
// memory in stream order, and resources stack on each other.
//
//	dev, err := drv.DefaultDevice()
//	async, err := mr.NewCudaAsync(dev, mr.CudaAsyncOptions{})
//	defer async.Close()
//	stats, err := mr.NewStatistics(async) // counts what passes through
//	p, err := stats.Allocate(1<<20, 0, s) // usable by work on s from here on
//	err = stats.Deallocate(p, 1<<20, 0, s)
//	fmt.Println(stats.Counters().Bytes.Peak)
//
// # Which resource
//
// CudaAsync is the one to try first. Cuda asks the driver for every block and is
// slow; Managed and PinnedHost give memory that the host can use too. Statistics
// and Limiting are adaptors: they stand in front of an upstream resource.
//
// # Mistakes are errors
//
// A pointer that the resource does not know, another size or alignment than it
// was allocated with, a stream of another device, use after Close: each is an
// error of its own (see the Err variables), found in constant time, and what was
// allocated stays allocated. Nothing here panics on bad input.
//
// All types are safe for concurrent use.
package mr
