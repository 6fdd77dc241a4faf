package replay

import (
	"fmt"
	"iter"
	"math"

	"github.com/rmm-go/rmm-go/rmm/eventlog"
)

// Compile reads a log to its end and makes it ready for replay. It fails if
// reading fails, if an event fails its Check, and if there are more than 2^31
// operations. A compiled log takes about 50 bytes for each row.
func Compile(events iter.Seq2[eventlog.Event, error]) (*Log, error) {
	c := compiler{log: &Log{}, streams: make(map[uint64]uint32), threads: make(map[uint64]uint32), freed: newFreedRanges()}
	for event, err := range events {
		if err == nil {
			err = c.add(event)
		}
		if err != nil {
			return nil, fmt.Errorf("compile log for replay: %w", err)
		}
	}
	c.log.summary = c.ledger.Summary()
	c.log.allocations, c.log.streams = len(c.allocated), len(c.streams)
	return c.log, nil
}

// compiler turns rows into operations.
type compiler struct {
	log       *Log
	ledger    eventlog.Ledger
	streams   map[uint64]uint32 // the log's handles, numbered
	threads   map[uint64]uint32
	allocated []birth // by number of the allocation
	freed     freedRanges
	waited    []map[uint32]uint32 // by thread: what it has waited for, of each other thread
	pending   []wait              // of the operation being added
}

// birth is where an allocation was made.
type birth struct {
	place  wait // the allocating operation
	stream uint32
	size   int
}

func (c *compiler) add(e eventlog.Event) error {
	number, err := c.ledger.Enter(e)
	if err != nil {
		return err
	}
	if len(c.log.ops) == math.MaxInt32 {
		return fmt.Errorf("the log has more than %d operations: split it", len(c.log.ops))
	}
	if number == eventlog.Unpaired {
		return nil
	}
	thread := c.thread(e.Thread)
	o := op{allocation: uint32(number), stream: index(c.streams, e.Stream), free: e.Action == eventlog.Free}
	place := wait{thread, uint32(len(c.log.threads[thread]) + 1)}
	c.connect(&o, e, place)
	c.await(&o, thread)
	c.log.threads[thread] = append(c.log.threads[thread], uint32(len(c.log.ops)))
	c.log.ops = append(c.log.ops, o)
	return nil
}

// connect finds what the operation at place must wait for, and enters it for
// later ones. Only memory that was freed makes others wait: a row that overlaps
// live memory comes from a log that lost a free, and waiting would have no end.
func (c *compiler) connect(o *op, e eventlog.Event, place wait) {
	if !o.free {
		c.allocated = append(c.allocated, birth{place, o.stream, e.Size})
		c.after(e.Ptr, e.Size)
		o.origin, o.size = o.stream, e.Size
		return
	}
	b := c.allocated[o.allocation]
	o.origin, o.size = b.stream, b.size
	c.pending = append(c.pending, b.place)
	c.after(e.Ptr, b.size) // so that waiting for this free is waiting for those below it
	c.freed.put(e.Ptr, e.Ptr+uint64(b.size), place)
}

// after makes the operation wait for the frees of all memory in a range.
func (c *compiler) after(ptr uint64, size int) {
	c.freed.take(ptr, ptr+uint64(size), func(by wait) { c.pending = append(c.pending, by) })
}

// await gives the operation its pending waits, one for each other thread, and
// without those that an earlier operation of its thread has waited for.
func (c *compiler) await(o *op, thread uint32) {
	waited := c.waited[thread]
	first := len(c.log.waits)
	for _, w := range c.pending {
		if w.thread != thread && w.done > waited[w.thread] {
			waited[w.thread] = w.done
			c.log.waits = appendLatest(c.log.waits, first, w)
		}
	}
	c.pending = c.pending[:0]
	o.firstWait, o.waits = uint32(first), uint32(len(c.log.waits)-first)
}

// appendLatest adds w to waits[first:], in the place of an earlier operation of
// the same thread if there is one.
func appendLatest(waits []wait, first int, w wait) []wait {
	for i := first; i < len(waits); i++ {
		if waits[i].thread == w.thread {
			waits[i] = w
			return waits
		}
	}
	return append(waits, w)
}

func (c *compiler) thread(id uint64) uint32 {
	thread := index(c.threads, id)
	if int(thread) == len(c.log.threads) {
		c.log.threads = append(c.log.threads, nil)
		c.waited = append(c.waited, make(map[uint32]uint32))
	}
	return thread
}

// index numbers ids in the order in which they appear.
func index(known map[uint64]uint32, id uint64) uint32 {
	n, ok := known[id]
	if !ok {
		n = uint32(len(known))
		known[id] = n
	}
	return n
}
