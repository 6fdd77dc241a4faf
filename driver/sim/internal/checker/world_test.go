package checker_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// world is a checker with two devices and the calls of a program on it.
type world struct {
	*checker.Checker
	t       testing.TB
	legacy  [2]*checker.Thread
	streams int
}

const (
	p    api.Ptr = 1 << 20
	size         = 4096
)

func newWorld(t testing.TB) *world { return newWorldWith(t, checker.Options{}) }

func newWorldWith(t testing.TB, opts checker.Options) *world {
	w := &world{Checker: checker.New(opts), t: t}
	for i := range w.legacy {
		w.legacy[i] = w.NewDevice(fmt.Sprintf("the default stream of device %d", i))
	}
	return w
}

// stream is a non-blocking stream of device 0.
func (w *world) stream() *checker.Thread { return w.streamOf(0, false) }

func (w *world) streamOf(device int, blocking bool) *checker.Thread {
	w.streams++
	return w.NewStream(w.legacy[device], fmt.Sprintf("stream %d", w.streams), blocking)
}

// alloc makes memory at p that everybody can use.
func (w *world) alloc() { w.allocOn(nil) }

func (w *world) allocOn(t *checker.Thread) { w.Allocated(t, "alloc", p, size, checker.Plain) }

func (w *world) freeOn(t *checker.Thread) { w.Freed(t, "free", p, size) }

func (w *world) write(t *checker.Thread, at api.Ptr, n int) *checker.Act {
	return w.Operation(t, "write", checker.Range{Ptr: at, Size: n, Write: true})
}

func (w *world) read(t *checker.Thread, at api.Ptr, n int) *checker.Act {
	return w.Operation(t, "read", checker.Range{Ptr: at, Size: n})
}

func (w *world) hostWrite(at api.Ptr, n int) {
	w.HostAccess("host", checker.Range{Ptr: at, Size: n, Write: true})
}

func (w *world) hostRead(at api.Ptr, n int) {
	w.HostAccess("host", checker.Range{Ptr: at, Size: n})
}

// order makes what comes on b wait for what a has done.
func (w *world) order(a, b *checker.Thread) { w.Wait(b, w.Record(a)) }

func (w *world) sync(t *checker.Thread) { w.Synchronized(w.MarkStream(t)) }

func (w *world) handOut(t *checker.Thread, at api.Ptr, n, depth int) {
	w.annotate(api.AnnotateAllocated, t, at, n, depth)
}

func (w *world) takeBack(t *checker.Thread, at api.Ptr, n, depth int) {
	w.annotate(api.AnnotateFreed, t, at, n, depth)
}

func (w *world) annotate(kind api.AnnotationKind, t *checker.Thread, at api.Ptr, n, depth int) {
	w.Annotate(t, api.Annotation{Kind: kind, Ptr: at, Size: n, Depth: depth})
}

// kinds are the kinds of the reports so far.
func (w *world) kinds() []checker.Kind {
	var kinds []checker.Kind
	for _, h := range w.Hazards() {
		kinds = append(kinds, h.Kind)
	}
	return kinds
}

// clean requires that there is no report.
func (w *world) clean() {
	w.t.Helper()
	require.Empty(w.t, w.Hazards())
}

// only requires exactly these reports.
func (w *world) only(kinds ...checker.Kind) {
	w.t.Helper()
	require.Equal(w.t, kinds, w.kinds(), "%v", w.Hazards())
}
