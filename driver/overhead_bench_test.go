package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/loader"
)

// BenchmarkCallOverhead compares, in one process and on the same objects, a call
// of this package (driver/…) with the bare function of libcuda (bare/…: one frame,
// no gate, no check). The bare rows need the CUDA backend.
func BenchmarkCallOverhead(b *testing.B) {
	dev := drivertest.Device(b)
	s, e := drivertest.Stream(b, dev), drivertest.Event(b, dev)
	require.NoError(b, e.Record(s))
	b.Run("bare", func(b *testing.B) { benchmarkBareCalls(b, s, e) })
	b.Run("driver", func(b *testing.B) { benchmarkDriverCalls(b, s, e) })
}

func benchmarkDriverCalls(b *testing.B, s *driver.Stream, e *driver.Event) {
	benchmarkCall(b, "Event.Record", func() error { return e.Record(s) })
	benchmarkCall(b, "Event.Query", func() error { return second(e.Query()) })
	benchmarkCall(b, "Stream.WaitEvent", func() error { return s.WaitEvent(e) })
	benchmarkCall(b, "Stream.Query", func() error { return second(s.Query()) })
	benchmarkCall(b, "Stream.Synchronize", s.Synchronize)
	benchmarkCall(b, "AllocAsyncFreeAsync", func() error {
		p, err := s.MemAllocAsync(kib)
		if err != nil {
			return err
		}
		return s.MemFreeAsync(p)
	})
}

func benchmarkBareCalls(b *testing.B, stream *driver.Stream, event *driver.Event) {
	if stream.Device().Driver().Backend() != driver.CUDA {
		b.Skip("needs a GPU: run with RMM_BACKEND=cuda")
	}
	var fn bareFunctions
	fn.bind(b)
	f := loader.Acquire()
	defer f.Release()
	s, e := stream.Handle(), event.Handle()
	benchmarkCall(b, "Event.Record", func() error { return second(f.Call(&fn.eventRecord, e, s)) })
	benchmarkCall(b, "Event.Query", func() error { return second(f.Call(&fn.eventQuery, e)) })
	benchmarkCall(b, "Stream.WaitEvent", func() error { return second(f.Call(&fn.streamWaitEvent, s, e, 0)) })
	benchmarkCall(b, "Stream.Query", func() error { return second(f.Call(&fn.streamQuery, s)) })
	benchmarkCall(b, "Stream.Synchronize", func() error { return second(f.Call(&fn.streamSynchronize, s)) })
	benchmarkCall(b, "AllocAsyncFreeAsync", func() error {
		if _, err := f.Call(&fn.memAllocAsync, f.WordAddr(0), kib, s); err != nil {
			return err
		}
		return second(f.Call(&fn.memFreeAsync, uintptr(f.Word(0)), s))
	})
}

func benchmarkCall(b *testing.B, name string, call func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := call(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// bareFunctions are libcuda's, with their C parameters.
type bareFunctions struct {
	eventRecord       loader.Proc // (CUevent, CUstream)
	eventQuery        loader.Proc // (CUevent)
	streamWaitEvent   loader.Proc // (CUstream, CUevent, unsigned flags)
	streamQuery       loader.Proc // (CUstream)
	streamSynchronize loader.Proc // (CUstream)
	memAllocAsync     loader.Proc // (CUdeviceptr *, size_t, CUstream)
	memFreeAsync      loader.Proc // (CUdeviceptr, CUstream)
}

func (fn *bareFunctions) bind(b *testing.B) {
	lib, err := loader.Open(loader.CUDA(), "")
	require.NoError(b, err)
	var table []loader.Symbol
	for name, p := range map[string]*loader.Proc{
		"cuEventRecord": &fn.eventRecord, "cuEventQuery": &fn.eventQuery, "cuStreamWaitEvent": &fn.streamWaitEvent,
		"cuStreamQuery": &fn.streamQuery, "cuStreamSynchronize": &fn.streamSynchronize,
		"cuMemAllocAsync": &fn.memAllocAsync, "cuMemFreeAsync": &fn.memFreeAsync,
	} {
		table = append(table, loader.Symbol{Proc: p, Name: name, Since: 11020, Required: true})
	}
	require.NoError(b, lib.Bind(table))
}
