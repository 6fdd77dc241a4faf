package checker

import (
	"fmt"
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Kind is a class of hazards.
type Kind uint8

// What can be wrong.
const (
	// WriteWrite, WriteRead and ReadWrite: two accesses of which at least one
	// writes, in this order of enqueueing, that nothing orders.
	WriteWrite Kind = iota + 1
	WriteRead
	ReadWrite
	// NeverAllocated: an access to memory that nobody allocated.
	NeverAllocated
	// NeverWritten: a read of memory that nobody has written.
	NeverWritten
	// OutOfBounds: an access that begins in an allocation and ends outside.
	OutOfBounds
	// UseAfterFree: an access to memory that was freed, or that a resource has not
	// handed out.
	UseAfterFree
	// UnorderedAllocation: an access that is not ordered after the stream-ordered
	// allocation of its memory.
	UnorderedAllocation
	// UnorderedFree: a free that is not ordered after an access.
	UnorderedFree
	// UnorderedReuse: memory handed out that was freed on another stream, after
	// which nothing orders the taker.
	UnorderedReuse
	// HandedOutTwice: memory handed out that is in use.
	HandedOutTwice
	// FreedInUse: memory freed of which a resource has handed out a part.
	FreedInUse
	// DoubleFree: a free of memory that was freed before.
	DoubleFree
	// ForeignFree: a free of memory that nobody allocated.
	ForeignFree
)

var kinds = [...]struct{ name, missing string }{
	WriteWrite:          {"unordered writes", "no event or synchronisation orders them"},
	WriteRead:           {"unordered write and read", "no event or synchronisation orders the read after the write"},
	ReadWrite:           {"unordered read and write", "no event or synchronisation orders the write after the read"},
	NeverAllocated:      {"access to memory that was never allocated", ""},
	NeverWritten:        {"read of memory that was never written", "its content is undefined"},
	OutOfBounds:         {"access out of bounds", ""},
	UseAfterFree:        {"use of freed memory", "the memory belongs to nobody, or to somebody else by now"},
	UnorderedAllocation: {"use not ordered after the allocation", "no event or synchronisation orders the use after the allocation"},
	UnorderedFree:       {"free not ordered after a use", "no event or synchronisation orders the free after it"},
	UnorderedReuse:      {"reuse not ordered after the free", "no event or synchronisation orders the new owner after it"},
	HandedOutTwice:      {"memory handed out twice", "it was not freed in between"},
	FreedInUse:          {"free of memory in use", "a part of it was not freed before"},
	DoubleFree:          {"double free", ""},
	ForeignFree:         {"free of memory that was never allocated", ""},
}

// String names the kind in lower case.
func (k Kind) String() string {
	if int(k) >= len(kinds) || k == 0 {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kinds[k].name
}

// Action is one side of a Hazard.
type Action struct {
	By     string // "stream 0x10000000020", "the host"; empty if there is no such side
	Did    string // "wrote", "read", "freed", …
	Call   string // CUDA's name of the call
	Frames []runtime.Frame
}

// Hazard is something that goes wrong under some timing, whether or not it did.
type Hazard struct {
	Kind   Kind
	Ptr    api.Ptr
	Size   int    // bytes
	First  Action // what came first; By is empty if there is nothing to tell
	Second Action
	// Allocation is the memory whose bounds an OutOfBounds access leaves.
	Allocation Range
	// Err is the error of the call, if it failed and so told the program itself;
	// nil if the program has no way to know.
	Err error
}

// String is the report: what happened, what is missing, and both call sites.
func (h Hazard) String() string {
	memory := fmt.Sprintf("%v (%d bytes)", h.Ptr, h.Size)
	s := h.Kind.String() + ": "
	if h.First.By != "" {
		s += fmt.Sprintf("%s %s %s, ", h.First.By, h.First.Did, memory)
		memory = "it"
	}
	s += fmt.Sprintf("%s %s %s", h.Second.By, now[h.Second.Did], memory)
	if missing := kinds[h.Kind].missing; missing != "" {
		s += "; " + missing
	}
	if h.Kind == OutOfBounds {
		s += fmt.Sprintf("; the allocation ends at %#x, the access at %#x", h.Allocation.end(), h.end())
	}
	return s + h.First.where() + h.Second.where()
}

func (h Hazard) end() uintptr { return uintptr(h.Ptr) + uintptr(h.Size) }

func (a Action) where() string {
	if a.By == "" {
		return ""
	}
	return fmt.Sprintf("\n\t%s: %s%s", a.By, a.Call, formatFrames(a.Frames))
}
