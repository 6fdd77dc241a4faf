package driver_test

import (
	"math"
	"unsafe"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// pool is a pool of its own for the case, with a limit (0: none), that keeps
// what is freed only until the next synchronisation.
func (b *bench) pool(limit int) *driver.Pool {
	drivertest.NeedAttribute(b, b.dev, driver.AttrMemoryPoolsSupported)
	pool, err := b.dev.NewPool(driver.PoolOptions{MaxSize: limit})
	b.ok(err)
	b.Cleanup(func() {
		if err := pool.Close(); !errorIsClosed(err) {
			b.ok(err)
		}
	})
	return pool
}

// keepingPool is a pool that gives nothing back by itself and reuses memory only
// as the switches say.
func (b *bench) keepingPool(switches ...driver.PoolAttribute) *driver.Pool {
	pool := b.pool(0)
	b.ok(pool.SetAttribute(driver.PoolReleaseThreshold, math.MaxUint64))
	for a := driver.PoolReuseFollowEventDependencies; a <= driver.PoolReuseAllowInternalDependencies; a++ {
		b.ok(pool.SetAttribute(a, 0))
	}
	for _, a := range switches {
		b.ok(pool.SetAttribute(a, 1))
	}
	return pool
}

// allocate is n bytes of a pool until the end of the case.
func (b *bench) allocate(pool *driver.Pool, n int, s *driver.Stream) driver.Ptr {
	p := b.take(pool, n, s)
	b.Cleanup(func() { b.ok(s.MemFreeAsync(p)) })
	return p
}

// take is allocate for memory that the case frees.
func (b *bench) take(pool *driver.Pool, n int, s *driver.Stream) driver.Ptr {
	p, err := pool.MemAllocAsync(n, s)
	b.ok(err)
	return p
}

// amount reads an attribute of a pool.
func (b *bench) amount(pool *driver.Pool, a driver.PoolAttribute) int {
	v, err := pool.Attribute(a)
	b.ok(err)
	return int(v)
}

// requireAmount checks an attribute of a pool.
func (b *bench) requireAmount(pool *driver.Pool, a driver.PoolAttribute, want int) {
	if got := b.amount(pool, a); got != want {
		b.Fatalf("pool attribute %d is %d, want %d", a, got, want)
	}
}

// points checks what is known of an address.
func (b *bench) points(p driver.Ptr, want driver.PointerInfo) {
	got, err := b.dev.PointerInfo(p)
	b.ok(err)
	if got != want {
		b.Fatalf("%v is in %+v, want %+v", p, got, want)
	}
}

// unregistered checks that nothing is known of an address.
func (b *bench) unregistered(p driver.Ptr) {
	b.points(p, driver.PointerInfo{Type: driver.MemoryUnregistered, Device: -1})
}

// registered is n bytes of registered memory until the end of the case. Go does
// not move its heap, so the test may take memory from there.
func (b *bench) registered(n int) []byte {
	offers[api.HostRegister](b, "registering of host memory")
	memory := make([]byte, n)
	b.ok(b.dev.MemHostRegister(memory))
	b.Cleanup(func() { b.ok(b.dev.MemHostUnregister(memory)) })
	return memory
}

func addressOf(memory []byte) driver.Ptr {
	return driver.Ptr(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}
