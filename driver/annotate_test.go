package driver_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestObserveAnnotations(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p, err := s.MemAllocAsync(4096)
	require.NoError(t, err)

	var first, second []driver.Annotation
	stopFirst := driver.ObserveAnnotations(func(a driver.Annotation) { first = append(first, a) })
	stopSecond := driver.ObserveAnnotations(func(a driver.Annotation) { second = append(second, a) })
	dev.Annotate(driver.Allocated, p, 256, s, 1)
	stopFirst()
	stopFirst()
	require.NoError(t, s.Synchronize())
	dev.Annotate(driver.Freed, p, 256, nil, 2)
	stopSecond()
	dev.Annotate(driver.Allocated, p, 512, s, 1)
	dev.Annotate(driver.Freed, p, 512, s, 1)

	allocated := driver.Annotation{Kind: driver.Allocated, Device: dev, Ptr: p, Size: 256, Stream: s, Depth: 1}
	freed := driver.Annotation{Kind: driver.Freed, Device: dev, Ptr: p, Size: 256, Depth: 2}
	require.Equal(t, []driver.Annotation{allocated}, first)
	require.Equal(t, []driver.Annotation{allocated, freed}, second)
	require.NoError(t, s.MemFreeAsync(p))
}

func TestAnnotationsOfNothingAreNotPassedOn(t *testing.T) {
	dev := drivertest.Device(t)
	stop := driver.ObserveAnnotations(func(a driver.Annotation) { t.Errorf("passed on: %+v", a) })
	defer stop()
	dev.Annotate(driver.Allocated, 0, 256, nil, 1)
	dev.Annotate(driver.Allocated, 4096, 0, nil, 1)
	dev.Annotate(driver.Allocated, 4096, -1, nil, 1)
	(*driver.Device)(nil).Annotate(driver.Allocated, 4096, 256, nil, 1)
}

// TestObserversComeAndGo runs annotations against changes of who listens.
func TestObserversComeAndGo(t *testing.T) {
	dev := drivertest.Device(t)
	p, err := dev.MemAlloc(64 << 10)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 100 {
				own := p + driver.Ptr(i*4096)
				seen := 0
				stop := driver.ObserveAnnotations(func(a driver.Annotation) {
					if a.Ptr == own {
						seen++ // only this goroutine annotates its range
					}
				})
				dev.Annotate(driver.Allocated, own, 4096, nil, 1)
				dev.Annotate(driver.Freed, own, 4096, nil, 1)
				stop()
				if seen != 2 {
					t.Errorf("%d of 2 annotations arrived", seen)
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, dev.MemFree(p))
}

// BenchmarkAnnotate is the price while nobody listens.
func BenchmarkAnnotate(b *testing.B) {
	dev := drivertest.Device(b)
	s := drivertest.Stream(b, dev)
	b.ReportAllocs()
	for b.Loop() {
		dev.Annotate(driver.Allocated, 4096, 256, s, 1)
	}
}
