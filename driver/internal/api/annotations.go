package api

import "sync/atomic"

// AnnotationKind says what became of a range of memory.
type AnnotationKind uint8

// What a resource that carves memory up does with the parts.
const (
	// AnnotateAllocated: the range is handed out.
	AnnotateAllocated AnnotationKind = 1
	// AnnotateFreed: the range was taken back; of memory that the resource has
	// only just taken from its upstream, that nothing of it is handed out yet.
	AnnotateFreed AnnotationKind = 2
)

// Annotation is what a resource says about a range of memory.
type Annotation struct {
	Kind AnnotationKind
	Ptr  Ptr
	Size int // bytes
	// Stream and StreamID say in whose order it happens: an ID as StreamID
	// returns it where the stream has one, else the handle. HostOrder means that
	// no stream is involved.
	Stream    Stream
	StreamID  uint64
	HostOrder bool
	// Depth counts the resources between the range and the driver: 1 for one that
	// carves up the driver's own allocations. The deepest annotation of an address
	// is valid.
	Depth int
}

// Annotations is an optional interface of a Device that wants to know how its
// memory is carved up.
type Annotations interface {
	Annotate(a Annotation)
}

// AnnotationListeners counts everybody in the process who listens to
// annotations. While it is 0 nothing is passed on, so that an annotation costs
// one atomic load.
var AnnotationListeners atomic.Int64
