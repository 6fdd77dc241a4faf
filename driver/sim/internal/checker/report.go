package checker

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// What an act did to memory.
const (
	wrote     = "wrote"
	read      = "read"
	freed     = "freed"
	allocated = "allocated"
	handedOut = "was handed"
)

// now is the same of an act under way.
var now = map[string]string{wrote: "writes", read: "reads", freed: "frees", handedOut: "is handed"}

// finding is a hazard before it is put into words.
type finding struct {
	kind                Kind
	base, end           uintptr
	first, second       *Act // first may be nil
	firstDid, secondDid string
	owner               *region // the allocation that an access leaves
	err                 error
}

// pair is what makes a report new.
type pair struct {
	kind          Kind
	first, second *site
	firstDid      string
}

// limit bounds the memory that the reports of a broken program take.
const limit = 1000

// reportAt reports a hazard of one segment.
func (c *Checker) reportAt(s *segment, kind Kind, first *Act, firstDid string, second *Act, secondDid string) {
	c.report(finding{kind: kind, base: s.base, end: s.end, first: first, firstDid: firstDid, second: second, secondDid: secondDid})
}

// report keeps a hazard unless the same call sites had it before.
func (c *Checker) report(f finding) {
	key := pair{kind: f.kind, second: f.second.site, firstDid: f.firstDid}
	if f.first != nil {
		key.first = f.first.site
	}
	if _, old := c.seen[key]; old || len(c.hazards) == limit {
		return
	}
	c.seen[key] = struct{}{}
	c.hazards = append(c.hazards, f.hazard())
}

func (f finding) hazard() Hazard {
	h := Hazard{Kind: f.kind, Ptr: api.Ptr(f.base), Size: int(f.end - f.base), First: f.first.action(f.firstDid), Second: f.second.action(f.secondDid), Err: f.err}
	if f.owner != nil {
		h.Allocation = Range{Ptr: api.Ptr(f.owner.base), Size: int(f.owner.end - f.owner.base)}
	}
	return h
}

// action puts an act, or nil, into words.
func (a *Act) action(did string) Action {
	if a == nil {
		return Action{}
	}
	return Action{By: a.thread.name, Did: did, Call: a.call, Frames: a.site.callers()}
}
