package checker_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

func TestConflicts(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(w *world, a, b *checker.Thread)
		want []checker.Kind
	}{
		"write, write":             {func(w *world, a, b *checker.Thread) { w.write(a, p, 8); w.write(b, p, 8) }, []checker.Kind{checker.WriteWrite}},
		"read, write":              {func(w *world, a, b *checker.Thread) { w.read(a, p, 8); w.write(b, p, 8) }, []checker.Kind{checker.ReadWrite}},
		"read, read":               {func(w *world, a, b *checker.Thread) { w.read(a, p, 8); w.read(b, p, 8) }, nil},
		"neighbours":               {func(w *world, a, b *checker.Thread) { w.write(a, p, 8); w.write(b, p+8, 8) }, nil},
		"one byte in common":       {func(w *world, a, b *checker.Thread) { w.write(a, p, 9); w.write(b, p+8, 8) }, []checker.Kind{checker.WriteWrite}},
		"inside a larger write":    {func(w *world, a, b *checker.Thread) { w.write(a, p, size); w.read(b, p+100, 1) }, []checker.Kind{checker.WriteRead}},
		"one stream":               {func(w *world, a, b *checker.Thread) { w.write(a, p, 8); w.read(a, p, 8); w.write(a, p, 8) }, nil},
		"host, then stream":        {func(w *world, a, b *checker.Thread) { w.hostWrite(p, 8); w.write(a, p, 8) }, nil},
		"stream, then host":        {func(w *world, a, b *checker.Thread) { w.write(a, p, 8); w.hostRead(p, 8) }, []checker.Kind{checker.WriteRead}},
		"nothing is accessed":      {func(w *world, a, b *checker.Thread) { w.write(a, p, 8); w.write(b, p, 0) }, nil},
		"out of bounds":            {func(w *world, a, b *checker.Thread) { w.write(a, p+size-8, 9) }, []checker.Kind{checker.OutOfBounds}},
		"never allocated":          {func(w *world, a, b *checker.Thread) { w.read(a, p-1, 1) }, []checker.Kind{checker.NeverAllocated}},
		"beginning before":         {func(w *world, a, b *checker.Thread) { w.read(a, p-1, 2) }, []checker.Kind{checker.NeverAllocated}},
		"behind":                   {func(w *world, a, b *checker.Thread) { w.read(a, p+size, 1) }, []checker.Kind{checker.NeverAllocated}},
		"after the free":           {func(w *world, a, b *checker.Thread) { w.freeOn(nil); w.read(a, p, 1) }, []checker.Kind{checker.UseAfterFree}},
		"free after a use":         {func(w *world, a, b *checker.Thread) { w.read(a, p, 1); w.freeOn(a) }, nil},
		"free elsewhere":           {func(w *world, a, b *checker.Thread) { w.read(a, p, 1); w.freeOn(b) }, []checker.Kind{checker.UnorderedFree}},
		"free by the host":         {func(w *world, a, b *checker.Thread) { w.write(a, p, 1); w.freeOn(nil) }, []checker.Kind{checker.UnorderedFree}},
		"free of the wrong half":   {func(w *world, a, b *checker.Thread) { w.write(a, p, 1); w.Freed(b, "free", p+8, size-8) }, nil},
		"free, then once more":     {func(w *world, a, b *checker.Thread) { w.freeOn(a); w.freeOn(a) }, []checker.Kind{checker.DoubleFree}},
		"free of somebody else's":  {func(w *world, a, b *checker.Thread) { w.Freed(a, "free", p-size, 8) }, []checker.Kind{checker.ForeignFree}},
		"allocated anew":           {func(w *world, a, b *checker.Thread) { w.write(a, p, 8); w.freeOn(a); w.allocOn(b); w.write(b, p, 8) }, nil},
		"allocated on another":     {func(w *world, a, b *checker.Thread) { w.freeOn(a); w.allocOn(a); w.write(b, p, 8) }, []checker.Kind{checker.UnorderedAllocation}},
		"allocated and waited for": {func(w *world, a, b *checker.Thread) { w.freeOn(a); w.allocOn(a); w.order(a, b); w.write(b, p, 8) }, nil},
		"reads of three streams, one not waited for": {func(w *world, a, b *checker.Thread) {
			c := w.stream()
			w.read(a, p, 8)
			w.read(b, p, 8)
			w.read(c, p, 8)
			w.order(a, b)
			w.write(b, p, 8)
		}, []checker.Kind{checker.ReadWrite}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, b := w.stream(), w.stream()
			w.alloc()
			c.run(w, a, b)
			require.Equal(t, c.want, w.kinds(), "%v", w.Hazards())
		})
	}
}

func TestUnwritten(t *testing.T) {
	w := newWorldWith(t, checker.Options{Unwritten: true})
	a := w.stream()
	w.alloc()
	w.write(a, p, 8)
	w.read(a, p, 8)
	w.clean()
	w.read(a, p, 9)
	w.only(checker.NeverWritten)
}

func TestTheHostMayHaveWritten(t *testing.T) {
	w := newWorldWith(t, checker.Options{Unwritten: true})
	w.Allocated(nil, "cuMemHostAlloc", p, size, checker.Shared)
	w.read(w.stream(), p, 8)
	w.clean()
}

// TestOneReportPerPlace: a loop is one bug.
func TestOneReportPerPlace(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.alloc()
	for i := range api.Ptr(100) {
		w.write(a, p+i, 1)
		w.write(b, p+i, 1)
	}
	w.only(checker.WriteWrite)
}

// TestAWriteMakesOneOfMany: memory used piece by piece does not stay in pieces.
func TestAWriteMakesOneOfMany(t *testing.T) {
	w := newWorld(t)
	a := w.stream()
	w.alloc()
	for i := range 100 {
		w.write(a, p+api.Ptr(i*8), 4)
	}
	require.Equal(t, 200, w.Segments())
	w.write(a, p, size)
	require.Equal(t, 1, w.Segments())
}

func TestRefusedCallsSayWhatIsKnown(t *testing.T) {
	refused := errors.New("refused")
	for name, c := range map[string]struct {
		r    checker.Range
		free bool
		want checker.Kind
	}{
		"freed":            {checker.Range{Ptr: p, Size: 8}, false, checker.UseAfterFree},
		"double free":      {checker.Range{Ptr: p}, true, checker.DoubleFree},
		"unknown":          {checker.Range{Ptr: p - 64, Size: 8}, false, checker.NeverAllocated},
		"foreign free":     {checker.Range{Ptr: p - 64}, true, checker.ForeignFree},
		"too long":         {checker.Range{Ptr: p + size, Size: size + 1, Write: true}, false, checker.OutOfBounds},
		"free of a middle": {checker.Range{Ptr: p + size + 8}, true, checker.ForeignFree},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.alloc()
			w.Allocated(nil, "alloc", p+size, size, checker.Plain)
			w.freeOn(nil)
			if c.free {
				w.RefusedFree("call", c.r.Ptr, refused)
			} else {
				w.RefusedAccess("call", refused, checker.Range{Ptr: p + size, Size: 8}, c.r)
			}
			w.only(c.want)
			require.Equal(t, refused, w.Hazards()[0].Err)
		})
	}
}

// TestARefusalForAnotherReason: the memory is fine.
func TestARefusalForAnotherReason(t *testing.T) {
	w := newWorld(t)
	w.alloc()
	w.RefusedAccess("call", errors.New("no access"), checker.Range{Ptr: p, Size: size}, checker.Range{Ptr: p, Size: -1})
	w.clean()
}

// TestAgainstAModel compares random accesses of a few streams with a model that
// keeps, per byte and in full, what happened.
func TestAgainstAModel(t *testing.T) {
	const bytes, threads = 64, 4
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t)
		w.Allocated(nil, "alloc", p, bytes, checker.Plain)
		m := newModel(w, threads)
		for range 60 {
			m.step(r, bytes)
			require.Equal(t, m.bad, len(w.Hazards()) > 0, "seed %d: %v", seed, w.Hazards())
			if m.bad {
				break
			}
		}
	}
}

// model keeps full vector clocks and every access of every byte.
type model struct {
	w       *world
	streams []*checker.Thread
	clocks  [][]int // of each stream
	past    []access
	bad     bool
}

type access struct {
	thread, time int
	from, to     int
	write        bool
}

func newModel(w *world, n int) *model {
	m := &model{w: w}
	for range n {
		m.streams = append(m.streams, w.stream())
		m.clocks = append(m.clocks, make([]int, n))
	}
	return m
}

func (m *model) step(r *rand.Rand, bytes int) {
	i, j := r.IntN(len(m.streams)), r.IntN(len(m.streams))
	switch from, n := r.IntN(bytes), r.IntN(8)+1; r.IntN(4) {
	case 0:
		m.w.order(m.streams[i], m.streams[j])
		for k := range m.clocks[j] {
			m.clocks[j][k] = max(m.clocks[j][k], m.clocks[i][k])
		}
	default:
		m.access(i, from, min(from+n, bytes), r.IntN(2) == 0)
	}
}

func (m *model) access(i, from, to int, write bool) {
	m.clocks[i][i]++
	for _, a := range m.past {
		apart := a.to <= from || to <= a.from || !(a.write || write)
		if !apart && m.clocks[i][a.thread] < a.time {
			m.bad = true
		}
	}
	m.past = append(m.past, access{i, m.clocks[i][i], from, to, write})
	m.w.Operation(m.streams[i], "access", checker.Range{Ptr: p + api.Ptr(from), Size: to - from, Write: write})
}
