package replay

import "github.com/rmm-go/rmm-go/rmm/eventlog"

// Log is a log made ready for replay. It does not change: any number of replays
// may share it.
type Log struct {
	summary     eventlog.Summary
	ops         []op       // in the order of the log
	waits       []wait     // of all operations, in their order
	threads     [][]uint32 // the operations of each thread, indices into ops
	allocations int
	streams     int // that operations use
}

// op is one Allocate or Deallocate.
type op struct {
	size       int    // bytes
	allocation uint32 // number of the allocation that it makes or ends
	stream     uint32
	origin     uint32 // the stream on which the memory was allocated
	firstWait  uint32 // its waits in parallel mode, from Log.waits
	waits      uint32 // how many, at most one for each other thread
	free       bool
}

// wait is an operation of another thread that must come first: the number of
// operations that the thread must have done.
type wait struct {
	thread uint32
	done   uint32
}

// Summary is what the log amounts to.
func (l *Log) Summary() eventlog.Summary { return l.summary }

// Operations is how many calls of the resource one pass makes if none fails.
func (l *Log) Operations() int { return len(l.ops) }

// lanes are the operations of each goroutine of a replay.
func (l *Log) lanes(m Mode) [][]uint32 {
	if m == Parallel {
		return l.threads
	}
	all := make([]uint32, len(l.ops))
	for i := range all {
		all[i] = uint32(i)
	}
	return [][]uint32{all}
}
