//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// BenchmarkCallOverhead compares a call through the backend with the same
// function called bare: one frame, no pool, no check.
func BenchmarkCallOverhead(b *testing.B) {
	b.Run("nothing", func(b *testing.B) { overhead(b, openNothing(b)) })
	b.Run("gpu", func(b *testing.B) { overhead(b, openGPU(b)) })
}

func overhead(b *testing.B, w work) {
	var device api.Device = w.device // as package driver holds it
	fn := &w.b.fn
	f := loader.Acquire()
	defer f.Release()
	s, e := uintptr(w.s), uintptr(w.e)

	measure(b, "bare/cuEventRecord", func() { f.Call(&fn.eventRecord, e, s) })
	measure(b, "backend/cuEventRecord", func() { device.EventRecord(w.e, w.s) })
	measure(b, "bare/cuStreamWaitEvent", func() { f.Call(&fn.streamWaitEvent, s, e, 0) })
	measure(b, "backend/cuStreamWaitEvent", func() { device.StreamWaitEvent(w.s, w.e) })
	measure(b, "bare/cuMemAllocAsync+cuMemFreeAsync", func() {
		f.Call(&fn.memAllocAsync, f.WordAddr(0), 1<<20, s)
		f.Call(&fn.memFreeAsync, uintptr(f.Word(0)), s)
	})
	measure(b, "backend/cuMemAllocAsync+cuMemFreeAsync", func() {
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
