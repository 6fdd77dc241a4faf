package driver_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var pointerCases = []conformanceCase{
	one("pointers/device-memory", pointersToDeviceMemory),
	one("pointers/just-past-the-end", pointersPastTheEnd),
	one("pointers/pinned-memory", pointersToPinnedMemory),
	one("pointers/managed-memory", pointersToManagedMemory),
	one("pointers/pool-memory-names-its-pool", pointersToPoolMemory),
	one("pointers/default-pool-memory", pointersToDefaultPoolMemory),
	one("pointers/freed-memory-is-unregistered", pointersToFreedMemory),
	one("pointers/freed-pool-memory", pointersToFreedPoolMemory),
	one("pointers/go-memory-is-unregistered", pointersToGoMemory),
	one("pointers/nil-is-unregistered", nilIsUnregistered),
	one("pointers/registered-memory", pointersToRegisteredMemory),
	one("register/makes-copies-asynchronous", registeringMakesCopiesAsynchronous),
	one("register/twice", registeringTwice),
	one("register/unregister-unknown", unregisteringUnknownMemory),
	two("pointers/name-their-device", pointersNameTheirDevice),
}

// Documented: the allocation that contains the address.
func pointersToDeviceMemory(b *bench) {
	p := b.memory(100_000, 0)
	want := driver.PointerInfo{Type: driver.MemoryDevice, Base: p, Size: 100_000}
	b.points(p, want)
	b.points(p+1, want)
	b.points(p+99_999, want)
}

// Documented: an address past the end is of no or of another allocation.
func pointersPastTheEnd(b *bench) {
	p := b.memory(2*mib, 0)
	info, err := b.dev.PointerInfo(p + 2*mib)
	b.ok(err)
	if info.Base == p {
		b.Fatalf("the address past the end is in %+v", info)
	}
}

// Documented.
func pointersToPinnedMemory(b *bench) {
	p, _ := b.pinned(100_000)
	want := driver.PointerInfo{Type: driver.MemoryHost, Base: p, Size: 100_000}
	b.points(p, want)
	b.points(p+99_999, want)
}

// Documented: the ordinal is that of the device it was allocated on.
func pointersToManagedMemory(b *bench) {
	p := managedMemory(b, b.dev, 100_000)
	want := driver.PointerInfo{Type: driver.MemoryManaged, Base: p, Size: 100_000}
	b.points(p, want)
	b.points(p+99_999, want)
}

// Documented: CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE.
func pointersToPoolMemory(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p := b.allocate(pool, 100_000, s)
	want := driver.PointerInfo{Type: driver.MemoryDevice, Base: p, Size: 100_000, Pool: poolHandle(pool)}
	b.points(p, want)
	b.points(p+99_999, want)
}

// Documented.
func pointersToDefaultPoolMemory(b *bench) {
	pool, err := b.dev.DefaultPool()
	b.ok(err)
	s := b.stream()
	p, err := s.MemAllocAsync(kib)
	b.ok(err)
	b.Cleanup(func() { b.ok(s.MemFreeAsync(p)) })
	b.points(p, driver.PointerInfo{Type: driver.MemoryDevice, Base: p, Size: kib, Pool: poolHandle(pool)})
}

// Documented. What was freed was alone in its 2 MiB.
func pointersToFreedMemory(b *bench) {
	p, err := b.dev.MemAlloc(8 * mib)
	b.ok(err)
	b.ok(b.dev.MemFree(p))
	b.unregistered(p)
	q, err := b.dev.MemHostAlloc(8 * mib)
	b.ok(err)
	b.ok(b.dev.MemHostFree(q))
	b.unregistered(q)
}

// Measured: once the free has completed and the pool has given it back.
func pointersToFreedPoolMemory(b *bench) {
	s, pool := b.stream(), b.pool(0)
	p, err := pool.MemAllocAsync(8*mib, s)
	b.ok(err)
	b.ok(s.MemFreeAsync(p))
	b.done(s)
	b.unregistered(p)
}

// Documented since CUDA 11: cuPointerGetAttributes answers with zeroes.
func pointersToGoMemory(b *bench) {
	memory := make([]byte, kib)
	b.unregistered(addressOf(memory))
}

func nilIsUnregistered(b *bench) { b.unregistered(0) }

// Measured: base and size of registered memory.
func pointersToRegisteredMemory(b *bench) {
	memory := b.registered(mib)
	b.points(addressOf(memory)+1, driver.PointerInfo{Type: driver.MemoryHost, Base: addressOf(memory), Size: mib})
}

// Documented: cuMemHostRegister page-locks.
func registeringMakesCopiesAsynchronous(b *bench) {
	s, p, src := b.stream(), b.memory(mib, 0), b.registered(mib)
	release := b.hold(s)
	b.promptly(func() error { return s.MemcpyHtoDAsync(p, src) })
	copy(src, repeated(1, mib))
	release()
	b.done(s)
	b.requireAll(p, mib, 1)
}

// Documented: CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED.
func registeringTwice(b *bench) {
	b.fails(b.dev.MemHostRegister(b.registered(mib)), api.CodeHostMemoryRegistered)
}

// Documented: CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED.
func unregisteringUnknownMemory(b *bench) {
	offers[api.HostRegister](b, "registering of host memory")
	const codeHostMemoryNotRegistered = 713
	b.fails(b.dev.MemHostUnregister(make([]byte, mib)), codeHostMemoryNotRegistered)
}

// Documented, whichever device is asked.
func pointersNameTheirDevice(b *bench) {
	p := deviceMemory(b, b.peer, kib)
	want := driver.PointerInfo{Type: driver.MemoryDevice, Device: 1, Base: p, Size: kib}
	b.points(p, want)
	info, err := b.peer.PointerInfo(p)
	b.ok(err)
	if info != want {
		b.Fatalf("its own device says %+v, want %+v", info, want)
	}
}
