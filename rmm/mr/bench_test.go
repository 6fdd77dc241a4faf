package mr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// chains are resources over an upstream that costs nothing, so that what is left
// is the adaptors' own cost.
func chains(t testing.TB) []struct {
	name string
	r    mr.Resource
} {
	f := &fake{dev: drivertest.Device(t)}
	return []struct {
		name string
		r    mr.Resource
	}{
		{"fake", f},
		{"statistics", newStatistics(t, f)},
		{"limiting", newLimiting(t, f, 1<<40)},
		{"statistics-limiting", newStatistics(t, newLimiting(t, f, 1<<40))},
	}
}

func pair(r mr.Resource, size int, s *driver.Stream) error {
	p, err := r.Allocate(size, 0, s)
	if err != nil {
		return err
	}
	return r.Deallocate(p, size, 0, s)
}

func TestAdaptorsNeedNoHeap(t *testing.T) {
	for _, c := range chains(t) {
		s := drivertest.Stream(t, c.r.Device())
		require.Zero(t, testing.AllocsPerRun(1_000, func() { _ = pair(c.r, 1000, s) }), c.name)
	}
}

func BenchmarkAdaptorPair(b *testing.B) {
	for _, c := range chains(b) {
		s := drivertest.Stream(b, c.r.Device())
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = pair(c.r, 1000, s)
			}
		})
	}
}

func BenchmarkAdaptorPairParallel(b *testing.B) {
	for _, c := range chains(b) {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				s, err := c.r.Device().NewStream(driver.StreamOptions{})
				if err != nil {
					b.Errorf("make a stream: %v", err)
					return
				}
				for pb.Next() {
					_ = pair(c.r, 1000, s)
				}
				if err := s.Close(); err != nil {
					b.Errorf("close the stream: %v", err)
				}
			})
		})
	}
}

// BenchmarkResourcePair compares the resources with the driver's calls.
func BenchmarkResourcePair(b *testing.B) {
	dev := drivertest.Device(b)
	s := drivertest.Stream(b, dev)
	async := newAsync(b, dev, mr.CudaAsyncOptions{InitialSize: 64 * mib})
	b.Cleanup(func() { _ = async.Close() })
	for _, c := range []struct {
		name string
		r    mr.Resource
	}{{"cuda", newCuda(b, dev)}, {"cuda-async", async}} {
		for _, size := range []int{256, mib} {
			b.Run(c.name+"/"+map[int]string{256: "256B", mib: "1MiB"}[size], func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := pair(c.r, size, s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	b.Run("driver-async/1MiB", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p, err := s.MemAllocAsync(mib)
			if err == nil {
				err = s.MemFreeAsync(p)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
