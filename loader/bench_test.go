//go:build linux && !rmm_nocuda

package loader

import (
	"testing"

	"github.com/ebitengine/purego"
)

// BenchmarkCall compares a call through a pooled frame with the cheapest call
// that purego can make; the C function does next to nothing.
func BenchmarkCall(b *testing.B) {
	labs := bindC(b, "labs")
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		args := []uintptr{1}
		for b.Loop() {
			purego.SyscallN(labs.address, args...)
		}
	})
	b.Run("frame", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f := Acquire()
			f.Call(labs, 1)
			f.Release()
		}
	})
	b.Run("frame-parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				f := Acquire()
				f.Call(labs, 1)
				f.Release()
			}
		})
	})
}

func BenchmarkHostFunc(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		h := NewHostFunc(func() {})
		callFromC(b, h)
	}
}
