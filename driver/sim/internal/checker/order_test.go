package checker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// TestWhatOrdersAndWhatDoesNot writes on one stream and reads on another, with
// something between that orders them or does not.
func TestWhatOrdersAndWhatDoesNot(t *testing.T) {
	for name, c := range map[string]struct {
		between func(w *world, a, b *checker.Thread)
		ordered bool
	}{
		"nothing":                {func(w *world, a, b *checker.Thread) {}, false},
		"an event":               {func(w *world, a, b *checker.Thread) { w.order(a, b) }, true},
		"an event the other way": {func(w *world, a, b *checker.Thread) { w.order(b, a) }, false},
		"a chain of events": {func(w *world, a, b *checker.Thread) {
			c, d := w.stream(), w.streamOf(1, false)
			w.order(a, c)
			w.order(c, d)
			w.order(d, b)
		}, true},
		"a broken chain": {func(w *world, a, b *checker.Thread) {
			c := w.stream()
			w.order(c, b)
			w.order(a, c)
		}, false},
		"a stream synchronisation":                    {func(w *world, a, b *checker.Thread) { w.sync(a) }, true},
		"the wrong synchronisation":                   {func(w *world, a, b *checker.Thread) { w.sync(b) }, false},
		"a device synchronisation":                    {func(w *world, a, b *checker.Thread) { w.Synchronized(w.MarkDevice(w.legacy[0])) }, true},
		"the other device's":                          {func(w *world, a, b *checker.Thread) { w.Synchronized(w.MarkDevice(w.legacy[1])) }, false},
		"an event that the host saw":                  {func(w *world, a, b *checker.Thread) { w.Synchronized(w.MarkAct(w.Record(a))) }, true},
		"the host saw a waiting event":                {func(w *world, a, b *checker.Thread) { c := w.stream(); w.order(a, c); w.sync(c) }, true},
		"an event that never recorded":                {func(w *world, a, b *checker.Thread) { w.Wait(b, nil); w.Synchronized(w.MarkAct(nil)) }, false},
		"the default stream, of non-blocking streams": {func(w *world, a, b *checker.Thread) { w.Operation(w.legacy[0], "kernel") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, b := w.stream(), w.stream()
			w.alloc()
			w.write(a, p, size)
			c.between(w, a, b)
			w.read(b, p, size)
			if c.ordered {
				w.clean()
			} else {
				w.only(checker.WriteRead)
			}
		})
	}
}

// TestAnEventMarksThePast: work enqueued after the recording is not covered.
func TestAnEventMarksThePast(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.alloc()
	e := w.Record(a)
	w.write(a, p, size)
	w.Wait(b, e)
	w.read(b, p, size)
	w.only(checker.WriteRead)
}

func TestAMarkIsOfThePastToo(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.alloc()
	m := w.MarkStream(a)
	w.write(a, p, size)
	w.Synchronized(m)
	w.read(b, p, size)
	w.only(checker.WriteRead)
}

func TestTheDefaultStreamOrdersBlockingStreams(t *testing.T) {
	w := newWorld(t)
	a, b := w.streamOf(0, true), w.streamOf(0, true)
	w.alloc()
	w.write(a, p, size)
	w.write(w.legacy[0], p, size)
	w.read(b, p, size)
	w.clean()

	elsewhere := w.streamOf(1, true)
	w.read(elsewhere, p, size)
	w.only(checker.WriteRead)
}

// TestBlockingStreamsAreNotOrderedByThemselves: only work on the default stream
// between them does it.
func TestBlockingStreamsAreNotOrderedByThemselves(t *testing.T) {
	w := newWorld(t)
	a, b := w.streamOf(0, true), w.streamOf(0, true)
	w.alloc()
	w.write(a, p, size)
	w.write(b, p, size)
	w.only(checker.WriteWrite)
}

func TestSynchronisingTheDefaultStreamCoversBlockingStreams(t *testing.T) {
	w := newWorld(t)
	blocking, other := w.streamOf(0, true), w.stream()
	w.alloc()
	w.write(blocking, p, 64)
	w.sync(w.legacy[0])
	w.hostRead(p, 64)
	w.clean()
	w.write(other, p+64, 64)
	w.sync(w.legacy[0])
	w.hostRead(p+64, 64)
	w.only(checker.WriteRead)
}

// TestSynchronisingABlockingStreamSkipsLaterDefaultWork: the stream's own last
// operation is what is waited for.
func TestSynchronisingABlockingStreamSkipsLaterDefaultWork(t *testing.T) {
	w := newWorld(t)
	a := w.streamOf(0, true)
	w.alloc()
	w.write(a, p, 64)
	w.write(w.legacy[0], p+64, 64)
	w.sync(a)
	w.hostRead(p, 64)
	w.clean()
	w.hostRead(p+64, 64)
	w.only(checker.WriteRead)
}

func TestTheHostIsOrderedBeforeWhatItEnqueues(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.alloc()
	w.hostWrite(p, size)
	w.read(a, p, size)
	w.read(b, p, size)
	w.clean()
	w.hostWrite(p, size)
	w.only(checker.ReadWrite, checker.ReadWrite)
}

// TestClosedStreamsKeepTheirOrder: what a closed stream did is ordered by a
// synchronisation and by nothing less, and once pruned it is ordered for ever.
func TestClosedStreamsKeepTheirOrder(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.alloc()
	w.write(a, p, 64)
	e := w.Record(a)
	w.CloseStream(a)
	w.read(b, p, 64)
	w.only(checker.WriteRead)

	w.Synchronized(w.MarkAct(e))
	w.write(w.stream(), p+64, 64)
	w.write(b, p, 64)
	w.only(checker.WriteRead)
}

// TestManyStreamsComeAndGo: clocks of closed streams do not pile up.
func TestManyStreamsComeAndGo(t *testing.T) {
	w := newWorld(t)
	last := w.stream()
	w.alloc()
	w.write(last, p, size)
	for range 1000 {
		next := w.stream()
		w.order(last, next)
		w.write(next, p, size)
		w.CloseStream(last)
		last = next
	}
	w.sync(last)
	w.hostRead(p, size)
	w.clean()
	require.Equal(t, 2, w.legacy[0].Threads(), "the default stream and the last")
}

// TestWorkThatRunsLate: an access noted after later ones is judged by its own
// place in the order.
func TestWorkThatRunsLate(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.alloc()
	kernel := w.Operation(a, "kernel")
	w.order(a, b)
	w.write(b, p, size)
	w.Access(kernel, checker.Range{Ptr: p, Size: size, Write: true})
	w.Access(kernel, checker.Range{Ptr: p, Size: size})
	w.clean()
	w.read(b, p, size)
	w.clean()

	c := w.stream()
	w.write(c, p+size/2, 1)
	w.only(checker.WriteWrite, checker.ReadWrite)
}

func TestWorkThatRunsAfterTheFree(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.alloc()
	kernel := w.Operation(a, "kernel")
	w.freeOn(a)
	w.Access(kernel, checker.Range{Ptr: p, Size: size})
	w.clean()
	w.allocOn(b)
	w.Access(w.Operation(a, "kernel"), checker.Range{Ptr: p, Size: size})
	w.only(checker.UnorderedAllocation)
}
