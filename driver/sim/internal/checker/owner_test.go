package checker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// TestPools: what resources on top of each other do right and wrong.
func TestPools(t *testing.T) {
	const block = 256
	for name, c := range map[string]struct {
		run  func(w *world, a, b *checker.Thread)
		want []checker.Kind
	}{
		"reuse on the same stream": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.write(a, p, block)
			w.takeBack(a, p, block, 1)
			w.handOut(a, p, block, 1)
			w.write(a, p, block)
		}, nil},
		"reuse on another stream after its event": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.write(a, p, block)
			w.takeBack(a, p, block, 1)
			w.order(a, b)
			w.handOut(b, p, block, 1)
			w.write(b, p, block)
		}, nil},
		"reuse without the event": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.takeBack(a, p, block, 1)
			w.handOut(b, p, block, 1)
		}, []checker.Kind{checker.UnorderedReuse}},
		"reuse with the event too early": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.order(a, b)
			w.takeBack(a, p, block, 1)
			w.handOut(b, p, block, 1)
		}, []checker.Kind{checker.UnorderedReuse}},
		"merged blocks, one not waited for": {func(w *world, a, b *checker.Thread) {
			d := w.stream()
			w.handOut(a, p, block, 1)
			w.handOut(b, p+block, block, 1)
			w.takeBack(a, p, block, 1)
			w.takeBack(b, p+block, block, 1)
			w.order(a, d)
			w.handOut(d, p, 2*block, 1)
		}, []checker.Kind{checker.UnorderedReuse}},
		"use of a freed part of a live chunk": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.takeBack(a, p, block, 1)
			w.write(a, p, block)
		}, []checker.Kind{checker.UseAfterFree}},
		"use of what was never handed out": {func(w *world, a, b *checker.Thread) {
			w.takeBack(a, p, size, 1)
			w.handOut(a, p, block, 1)
			w.write(a, p+block, 1)
		}, []checker.Kind{checker.UseAfterFree}},
		"out of the block": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.handOut(a, p+block, block, 1)
			w.write(a, p, block+1)
		}, []checker.Kind{checker.OutOfBounds}},
		"handed out twice": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.handOut(a, p+block-1, block, 1)
		}, []checker.Kind{checker.HandedOutTwice}},
		"taken back twice": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.takeBack(a, p, block, 1)
			w.takeBack(a, p, block, 1)
		}, []checker.Kind{checker.DoubleFree}},
		"taken back while another stream reads": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.order(a, b)
			w.read(b, p, block)
			w.takeBack(a, p, block, 1)
		}, []checker.Kind{checker.UnorderedFree}},
		"chunk back to the driver with a block in use": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, block, 1)
			w.freeOn(a)
		}, []checker.Kind{checker.FreedInUse}},
		"chunk back without waiting for a stream that used it": {func(w *world, a, b *checker.Thread) {
			w.handOut(b, p, block, 1)
			w.takeBack(b, p, block, 1)
			w.freeOn(a)
		}, []checker.Kind{checker.UnorderedFree}},
		"chunk back in order": {func(w *world, a, b *checker.Thread) {
			w.handOut(b, p, block, 1)
			w.takeBack(b, p, block, 1)
			w.order(b, a)
			w.freeOn(a)
		}, nil},
		"fresh chunk of another stream": {func(w *world, a, b *checker.Thread) {
			w.freeOn(nil)
			w.allocOn(a)
			w.handOut(b, p, block, 1)
		}, []checker.Kind{checker.UnorderedAllocation}},
		"pool over pool": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, 4*block, 1)
			w.takeBack(a, p, 4*block, 2)
			w.handOut(a, p, block, 2)
			w.write(a, p, block)
			w.takeBack(a, p, block, 2)
			w.takeBack(a, p, 4*block, 1)
			w.handOut(a, p, 4*block, 1)
			w.write(a, p, 4*block)
		}, nil},
		"inner block, outer freed under it": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, 4*block, 1)
			w.handOut(a, p, block, 2)
			w.takeBack(a, p, 4*block, 1)
		}, []checker.Kind{checker.FreedInUse}},
		"inner block freed elsewhere, outer given on": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, 4*block, 1)
			w.order(a, b)
			w.handOut(b, p, block, 2)
			w.takeBack(b, p, block, 2)
			w.takeBack(a, p, 4*block, 1)
		}, []checker.Kind{checker.UnorderedFree}},
		"inner pool carves a freed chunk": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, 4*block, 1)
			w.takeBack(a, p, 4*block, 1)
			w.handOut(a, p, block, 2)
		}, []checker.Kind{checker.UseAfterFree}},
		"the innermost owner is valid": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p, 4*block, 1)
			w.handOut(a, p, block, 2)
			w.takeBack(a, p, block, 2)
			w.write(a, p+block, 1)
			w.write(a, p, 1)
		}, []checker.Kind{checker.UseAfterFree}},
		"memory that the driver never gave": {func(w *world, a, b *checker.Thread) {
			w.handOut(a, p-size, block, 1)
		}, []checker.Kind{checker.NeverAllocated}},
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

// TestADepthBelowOneIsOne: depth 0 is the driver's own.
func TestADepthBelowOneIsOne(t *testing.T) {
	w := newWorld(t)
	a := w.stream()
	w.alloc()
	w.handOut(a, p, 64, -3)
	w.takeBack(a, p, 64, 0)
	w.write(a, p+64, 1)
	w.write(a, p, 1)
	w.only(checker.UseAfterFree)
}

// TestMemoryOfACapture belongs to the graph: launches on any stream use it, and
// its being handed out again, or taken back, inside the capture changes nothing.
func TestMemoryOfACapture(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.alloc()
	w.takeBack(nil, p, size, 1)
	for _, kind := range []api.AnnotationKind{api.AnnotateAllocated, api.AnnotateFreed, api.AnnotateAllocated, api.AnnotateFreed} {
		w.AnnotateCaptured(api.Annotation{Kind: kind, Ptr: p, Size: 256, Depth: 1})
	}
	w.write(b, p, 256)
	w.write(b, p, 256)
	w.clean()
	w.write(a, p, 256)
	w.only(checker.WriteWrite)
	w.write(a, p+256, 1)
	w.only(checker.WriteWrite, checker.UseAfterFree)
}
