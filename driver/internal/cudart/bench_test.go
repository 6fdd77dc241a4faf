//go:build linux && !rmm_nocuda

package cudart

import (
	"testing"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// BenchmarkCallOverhead compares a call through the backend with the same
// function called bare: one frame, no context, no check.
func BenchmarkCallOverhead(b *testing.B) {
	b.Run("nothing", func(b *testing.B) { overhead(b, openNothing(b)) })
	b.Run("gpu", func(b *testing.B) { overhead(b, openGPU(b)) })
}

func overhead(b *testing.B, w work) {
	var device api.Device = w.device // as package driver holds it
	f := loader.Acquire()
	defer f.Release()
	measure(b, "bare/cudaEventRecord", func() { f.Call(&w.b.rt.eventRecord, uintptr(w.e), uintptr(w.s)) })
	measure(b, "backend/cudaEventRecord", func() { device.EventRecord(w.e, w.s) })
	measure(b, "backend/cudaMallocAsync+cudaFreeAsync", func() {
		p, _ := device.MemAllocAsync(1<<20, w.s)
		device.MemFreeAsync(p, w.s)
	})
	device.StreamSynchronize(w.s)
}

func measure(b *testing.B, name string, call func()) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call()
		}
	})
}
