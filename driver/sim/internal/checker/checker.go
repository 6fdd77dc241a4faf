package checker

import (
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Checker watches a program. A nil *Checker watches nothing: all its methods
// that a machine calls do nothing then. All methods are safe for concurrent use.
type Checker struct {
	unwritten bool

	mu      sync.Mutex // guards all below
	threads uint64
	host    *Thread
	known   vector    // what the host has synchronised with
	closing []*Thread // closed and not joined
	memory  shadow
	sites   sites
	hazards []Hazard
	seen    map[pair]struct{}
}

// Options of a Checker.
type Options struct {
	// Unwritten reports reads of device memory that was never written.
	Unwritten bool
}

// New makes a checker.
func New(opts Options) *Checker {
	return &Checker{
		unwritten: opts.Unwritten,
		host:      &Thread{name: "the host"},
		sites:     sites{},
		seen:      map[pair]struct{}{},
	}
}

// Range is n bytes of memory that an operation reads or writes.
type Range struct {
	Ptr   api.Ptr
	Size  int
	Write bool
}

// Operation is work that is enqueued on a stream and accesses memory.
func (c *Checker) Operation(t *Thread, call string, ranges ...Range) *Act {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.act(t, call)
	for _, r := range ranges {
		c.access(a, r)
	}
	return a
}

// Access is an access that running work makes; a is the operation that it is
// part of.
func (c *Checker) Access(a *Act, r Range) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.access(a, r)
}

// HostAccess is an access by a goroutine.
func (c *Checker) HostAccess(call string, r Range) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.access(c.act(c.host, call), r)
}

// order is the act of a call in the order of t, or of the host if t is nil.
func (c *Checker) order(t *Thread, call string) *Act {
	if t == nil {
		t = c.host
	}
	return c.act(t, call)
}

// Sort is what memory the driver gives out.
type Sort uint8

// Sorts of memory.
const (
	Plain  Sort = iota
	Shared      // somebody may have written it unseen: the host, another process
	Mapped      // Shared, and one range with what is mapped beside it
)

// Allocated says that the driver gives out memory, usable by what comes after
// in the order of t, or of the host if t is nil.
func (c *Checker) Allocated(t *Thread, call string, p api.Ptr, size int, sort Sort) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	end := uintptr(p) + uintptr(size)
	c.memory.clear(uintptr(p), end)
	c.memory.put(&region{base: uintptr(p), end: end, born: c.order(t, call), host: sort != Plain, mapped: sort == Mapped})
}

// Freed says that memory goes back to the driver in the order of t, or of the
// host if t is nil.
func (c *Checker) Freed(t *Thread, call string, p api.Ptr, size int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free(c.order(t, call), Range{Ptr: p, Size: size}, 0)
}

// Annotate says that a resource hands out a part of its memory, or takes it
// back.
func (c *Checker) Annotate(t *Thread, a api.Annotation) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r, depth := Range{Ptr: a.Ptr, Size: a.Size}, max(a.Depth, 1)
	if a.Kind == api.AnnotateAllocated {
		c.handOut(c.order(t, "an allocation of a resource"), r, depth)
	} else {
		c.free(c.order(t, "a deallocation of a resource"), r, depth)
	}
}

// AnnotateCaptured is Annotate by a resource that answers a stream under capture.
// The memory is handed out for all launches of the graph: nothing orders them yet,
// and what the resource takes back is in use again at the next launch.
func (c *Checker) AnnotateCaptured(a api.Annotation) {
	if c == nil || a.Kind != api.AnnotateAllocated {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.place(c.act(c.host, "an allocation of a resource"), Range{Ptr: a.Ptr, Size: a.Size}, max(a.Depth, 1))
}

// RefusedAccess says that a call failed. If one of the ranges it would have
// accessed is no memory in use, that is why.
func (c *Checker) RefusedAccess(call string, err error, ranges ...Range) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range ranges {
		if f, bad := c.refuse(r); bad {
			f.second, f.secondDid, f.err = c.act(c.host, call), r.did(), err
			c.report(f)
			return
		}
	}
}

// RefusedFree says that a call failed to free what it was given.
func (c *Checker) RefusedFree(call string, p api.Ptr, err error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report(c.refuseFree(c.act(c.host, call), Range{Ptr: p}, err))
}

// Hazards are the reports so far, in the order in which they were found. Of
// reports of one kind about the same two call sites only the first is kept.
func (c *Checker) Hazards() []Hazard {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Hazard(nil), c.hazards...)
}
