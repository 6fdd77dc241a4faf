package sim

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// Hazard is a report of the ordering checker: something that goes wrong under
// some timing, whether or not it did this time. Its fields are
//
//	Kind          HazardKind   // what is wrong
//	Ptr           Ptr          // the memory concerned
//	Size          int          // in bytes
//	First, Second HazardAction // the two sides: who did what, in which call, from where
//	Allocation    Range        // whose bounds an access leaves
//	Err           error        // of the call, if it failed and so told the program
//
// and its String is the report in words.
type Hazard = checker.Hazard

// HazardAction is one side of a Hazard.
type HazardAction = checker.Action

// HazardKind is a class of hazards.
type HazardKind = checker.Kind

// The kinds of hazards.
const (
	// WriteWrite, WriteRead and ReadWrite are two accesses of which at least one
	// writes, in this order of enqueueing, that nothing orders.
	WriteWrite = checker.WriteWrite
	WriteRead  = checker.WriteRead
	ReadWrite  = checker.ReadWrite
	// NeverAllocated is an access to memory that nobody allocated.
	NeverAllocated = checker.NeverAllocated
	// NeverWritten is a read of memory that nobody has written
	// (Config.CheckUnwritten).
	NeverWritten = checker.NeverWritten
	// OutOfBounds is an access that begins in an allocation and ends outside.
	OutOfBounds = checker.OutOfBounds
	// UseAfterFree is an access to memory that was freed, or that a resource has
	// not handed out.
	UseAfterFree = checker.UseAfterFree
	// UnorderedAllocation is an access that is not ordered after the stream-ordered
	// allocation of its memory.
	UnorderedAllocation = checker.UnorderedAllocation
	// UnorderedFree is a free or an unmapping that is not ordered after an access.
	UnorderedFree = checker.UnorderedFree
	// UnorderedReuse is memory handed out that was freed on another stream, after
	// which nothing orders the taker.
	UnorderedReuse = checker.UnorderedReuse
	// HandedOutTwice is memory handed out that is in use.
	HandedOutTwice = checker.HandedOutTwice
	// FreedInUse is memory freed of which a resource has handed out a part.
	FreedInUse = checker.FreedInUse
	// DoubleFree is a free of memory that was freed before.
	DoubleFree = checker.DoubleFree
	// ForeignFree is a free of memory that nobody allocated.
	ForeignFree = checker.ForeignFree
)

// Hazards are the reports of the checker so far, in the order in which they were
// found; none without Config.Check. Of reports of one kind about the same two
// places in the program only the first is kept.
func (m *Machine) Hazards() []Hazard { return m.graph.check.Hazards() }

// HostRead tells the checker that the program now reads n bytes of pinned or
// managed memory at p: what a goroutine does to memory is not seen otherwise.
// All goroutines count as one; Go's race detector watches them among themselves.
func (m *Machine) HostRead(p Ptr, n int) {
	m.graph.check.HostAccess("Machine.HostRead", checker.Range{Ptr: p, Size: n})
}

// HostWrite tells the checker that the program now writes n bytes of pinned or
// managed memory at p.
func (m *Machine) HostWrite(p Ptr, n int) {
	m.graph.check.HostAccess("Machine.HostWrite", checker.Range{Ptr: p, Size: n, Write: true})
}

// newChecker is nil unless the checker is switched on.
func (c Config) newChecker() *checker.Checker {
	if !c.Check && !c.CheckUnwritten {
		return nil
	}
	return checker.New(checker.Options{Unwritten: c.CheckUnwritten})
}

// watch makes the stream known to the checker. The caller holds the graph's lock
// or owns the device.
func (s *stream) watch() {
	c := s.device.machine.graph.check
	ordinal := s.device.info.Ordinal
	switch {
	case c == nil:
	case s.handle == api.StreamLegacy:
		s.thread = c.NewDevice(fmt.Sprintf("the default stream of device %d", ordinal))
	case s.handle == api.StreamPerThread:
		s.thread = c.NewStream(s.device.legacy.thread, fmt.Sprintf("the per-thread default stream of device %d", ordinal), true)
	default:
		s.thread = c.NewStream(s.device.legacy.thread, fmt.Sprintf("stream %#x", uintptr(s.handle)), s.blocking)
	}
}

var _ api.Annotations = (*device)(nil)

// Annotate passes on to the checker how resources carve memory up.
func (d *device) Annotate(a api.Annotation) {
	c := d.machine.graph.check
	if c == nil {
		return
	}
	t, captured := d.annotator(a)
	if captured {
		c.AnnotateCaptured(a)
		return
	}
	c.Annotate(t, a)
}

// annotator is the stream in whose order an annotation happens, and whether it
// is being captured; nil for the host, and for a stream that was destroyed.
// Whoever frees on one of those has waited for what the stream did.
func (d *device) annotator(a api.Annotation) (t *checker.Thread, captured bool) {
	if a.HostOrder {
		return nil, false
	}
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	s, err := d.anyStream("annotate", a.Stream)
	if err != nil || (a.StreamID != 0 && s.id != a.StreamID) {
		return nil, false
	}
	return s.thread, s.capture != nil
}

// writing and reading are what an operation does to memory, for the checker.
func writing(p api.Ptr, n int) checker.Range { return checker.Range{Ptr: p, Size: n, Write: true} }
func reading(p api.Ptr, n int) checker.Range { return checker.Range{Ptr: p, Size: n} }
