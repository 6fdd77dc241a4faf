package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// TestNoHeapAllocations: the calls on the allocators' hot path leave the Go heap
// alone. (The simulator's own work does allocate; that this package adds nothing
// to its backend is TestWrappersAllocateNothing.)
func TestNoHeapAllocations(t *testing.T) {
	drivertest.NeedGPU(t)
	if driver.RaceDetector {
		t.Skip("needs a GPU: and a build without the race detector, which allocates")
	}
	dev := drivertest.Device(t)
	s, e := drivertest.Stream(t, dev), drivertest.Event(t, dev)
	pool := newPool(t, dev)
	for call, f := range map[string]func(){
		"Event.Record":     func() { _ = e.Record(s) },
		"Event.Query":      func() { _, _ = e.Query() },
		"Stream.WaitEvent": func() { _ = s.WaitEvent(e) },
		"Stream.Query":     func() { _, _ = s.Query() },
		"Stream.MemAllocAsync and MemFreeAsync": func() {
			p, _ := s.MemAllocAsync(kib)
			_ = s.MemFreeAsync(p)
		},
		"Pool.MemAllocAsync and MemFreeAsync": func() {
			p, _ := pool.MemAllocAsync(kib, s)
			_ = s.MemFreeAsync(p)
		},
	} {
		require.Zero(t, testing.AllocsPerRun(1000, f), call)
	}
}

// BenchmarkCopy moves 1 MiB each way, from pinned and from Go memory.
func BenchmarkCopy(b *testing.B) {
	dev := drivertest.Device(b)
	s := drivertest.Stream(b, dev)
	p := deviceMemory(b, dev, mib)
	_, pinned := pinnedMemory(b, dev, mib)
	for name, host := range map[string][]byte{"pinned": pinned, "go": make([]byte, mib)} {
		for direction, copyOf := range map[string]func([]byte) error{
			"HtoD": func(b []byte) error { return s.MemcpyHtoDAsync(p, b) },
			"DtoH": func(b []byte) error { return s.MemcpyDtoHAsync(b, p) },
		} {
			b.Run(direction+"/"+name, func(b *testing.B) { benchmarkCopy(b, s, host, copyOf) })
		}
	}
}

func benchmarkCopy(b *testing.B, s *driver.Stream, host []byte, copyOf func([]byte) error) {
	b.SetBytes(int64(len(host)))
	b.ReportAllocs()
	for b.Loop() {
		if err := copyOf(host); err != nil {
			b.Fatal(err)
		}
		if err := s.Synchronize(); err != nil {
			b.Fatal(err)
		}
	}
}
