package driver

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// AnnotationKind says what became of a range of memory.
type AnnotationKind = api.AnnotationKind

// The kinds of annotation.
const (
	// Allocated: the range is handed out.
	Allocated = api.AnnotateAllocated
	// Freed: the range was taken back. A resource that has just taken memory from
	// its upstream annotates all of it as Freed: nothing of it is handed out yet.
	Freed = api.AnnotateFreed
)

// Annotation is what Device.Annotate was told.
type Annotation struct {
	Kind   AnnotationKind
	Device *Device
	Ptr    Ptr
	Size   int // bytes
	// Stream is the stream in whose order it happens, nil if it happens in the
	// host's.
	Stream *Stream
	Depth  int
}

// Annotate tells whoever listens that a resource hands out, or takes back, size
// bytes at p which are part of an allocation of its upstream's. The simulator's
// ordering checker listens; ObserveAnnotations adds others. While nobody does,
// the call costs one atomic load.
//
// s is the stream of the request, nil if no stream is involved: memory is usable
// on s from here on, or was in use up to here in the order of s. A resource that
// reuses memory across streams orders s after the stream that freed it first and
// annotates then; it annotates a Freed range before anybody else can be given
// it.
//
// depth is 1 for a resource that carves up the driver's own allocations and one
// more for every such resource in between. The deepest annotation of an address,
// the innermost owner's, is the valid one; an annotation further out replaces
// those within its range. Annotate is safe for concurrent use.
func (d *Device) Annotate(kind AnnotationKind, p Ptr, size int, s *Stream, depth int) {
	if api.AnnotationListeners.Load() != 0 {
		d.announce(Annotation{Kind: kind, Device: d, Ptr: p, Size: size, Stream: s, Depth: depth})
	}
}

func (d *Device) announce(a Annotation) {
	if d == nil || a.Ptr == 0 || a.Size <= 0 {
		return
	}
	if l, ok := d.raw.(api.Annotations); ok {
		l.Annotate(a.raw())
	}
	if funcs := annotationObservers.funcs.Load(); funcs != nil {
		for _, f := range *funcs {
			(*f)(a)
		}
	}
}

func (a Annotation) raw() api.Annotation {
	raw := api.Annotation{Kind: a.Kind, Ptr: a.Ptr, Size: a.Size, HostOrder: a.Stream == nil, Depth: a.Depth}
	if a.Stream != nil {
		raw.Stream, raw.StreamID = a.Stream.raw, a.Stream.driverID
	}
	return raw
}

var annotationObservers struct {
	sync.Mutex // held to change funcs
	funcs      atomic.Pointer[[]*func(Annotation)]
}

// ObserveAnnotations calls f for every later annotation of every device, on the
// goroutine that makes it, until stop is called. f must be quick, and must call
// neither ObserveAnnotations nor stop.
func ObserveAnnotations(f func(Annotation)) (stop func()) {
	changeObservers(func(funcs []*func(Annotation)) []*func(Annotation) { return append(funcs, &f) })
	api.AnnotationListeners.Add(1)
	return sync.OnceFunc(func() {
		api.AnnotationListeners.Add(-1)
		changeObservers(func(funcs []*func(Annotation)) []*func(Annotation) {
			return slices.DeleteFunc(funcs, func(g *func(Annotation)) bool { return g == &f })
		})
	})
}

// changeObservers replaces the list by an edited copy.
func changeObservers(edit func([]*func(Annotation)) []*func(Annotation)) {
	annotationObservers.Lock()
	defer annotationObservers.Unlock()
	var funcs []*func(Annotation)
	if now := annotationObservers.funcs.Load(); now != nil {
		funcs = slices.Clone(*now)
	}
	funcs = edit(funcs)
	annotationObservers.funcs.Store(&funcs)
}
