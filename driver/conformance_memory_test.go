package driver_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var memoryCases = []conformanceCase{
	one("memory/is-aligned", memoryIsAligned),
	one("memory/of-size-zero", memoryOfSizeZero),
	one("memory/more-than-there-is", moreMemoryThanThereIs),
	one("memory/out-of-memory-does-not-stay", outOfMemoryDoesNotStay),
	one("memory/counts-as-used", memoryCountsAsUsed),
	one("memory/freeing-waits-for-the-device", freeingWaitsForTheDevice),
	one("memory/pinned-flags", badPinnedFlags),
	one("memory/two-allocations-do-not-overlap", allocationsDoNotOverlap),
	one("free/nil", freeOfNil),
	one("free/twice", freeTwice),
	one("free/an-unknown-address", freeOfAnUnknownAddress),
	one("free/the-middle-of-an-allocation", freeOfTheMiddle),
	one("free/pinned-memory-as-device-memory", freeOfPinnedAsDeviceMemory),
	one("free/device-memory-as-pinned-memory", freeOfDeviceAsPinnedMemory),
	one("free/managed-memory-as-pinned-memory", freeOfManagedAsPinnedMemory),
	one("free/pinned-memory-twice", freePinnedTwice),
	one("free/the-middle-of-pinned-memory", freeOfTheMiddleOfPinnedMemory),
	one("device/an-unknown-attribute", anUnknownDeviceAttribute),
}

// Documented: suitably aligned for any variable; 256 bytes in the programming guide.
func memoryIsAligned(b *bench) {
	for _, n := range []int{1, 3, 1000, 70_000, 3 * mib} {
		if p := b.memory(n, 0); p%256 != 0 {
			b.Fatalf("%d bytes are at %v", n, p)
		}
	}
}

// Documented: CUDA_ERROR_INVALID_VALUE, but cudaMalloc gives the nil pointer.
func memoryOfSizeZero(b *bench) {
	for _, allocate := range []func(int) (driver.Ptr, error){b.raw.MemAlloc, b.raw.MemAllocManaged} {
		if p, err := allocate(0); err != nil || p != 0 {
			b.fails(err, api.CodeInvalidValue)
		}
	}
}

// Documented.
func moreMemoryThanThereIs(b *bench) {
	_, err := b.dev.MemAlloc(2 * b.dev.TotalMemory())
	b.fails(err, api.CodeOutOfMemory)
}

// Documented: out of memory is an answer, not a fault.
func outOfMemoryDoesNotStay(b *bench) {
	_, err := b.dev.MemAlloc(2 * b.dev.TotalMemory())
	b.fails(err, api.CodeOutOfMemory)
	p := b.memory(mib, 1)
	b.requireAll(p, mib, 1)
}

// Documented. Other processes of the machine may allocate meanwhile, so only a
// large amount is looked for.
func memoryCountsAsUsed(b *bench) {
	const size = 1 << 30
	before, total, err := b.dev.MemInfo()
	b.ok(err)
	p, err := b.dev.MemAlloc(size)
	b.ok(err)
	during, same, err := b.dev.MemInfo()
	b.ok(err)
	b.ok(b.dev.MemFree(p))
	after, _, err := b.dev.MemInfo()
	b.ok(err)
	if before-during < size/2 || after-during < size/2 || total != same || before > total {
		b.Fatalf("free before %d, during %d, after %d, total %d and %d", before, during, after, total, same)
	}
}

// Documented for cudaFree: it synchronises. Measured for a non-blocking
// stream that does not use the memory.
func freeingWaitsForTheDevice(b *bench) {
	s := b.stream()
	p, err := b.dev.MemAlloc(mib)
	b.ok(err)
	release := b.hold(s)
	b.onlyAfter(release, func() error { return b.dev.MemFree(p) })
}

// Documented.
func badPinnedFlags(b *bench) {
	_, err := b.raw.MemHostAlloc(kib, 1<<10)
	b.fails(err, api.CodeInvalidValue)
}

// Documented.
func allocationsDoNotOverlap(b *bench) {
	const n = 1000
	var all []driver.Ptr
	for i := range 50 {
		all = append(all, b.memory(n, byte(i)))
	}
	for i, p := range all {
		b.requireAll(p, n, byte(i))
	}
}

// Documented for cudaFree. Measured for cuMemFree.
func freeOfNil(b *bench) {
	b.ok(b.dev.MemFree(0))
	b.ok(b.dev.MemHostFree(0))
	b.requireAll(b.memory(kib, 1), kib, 1)
}

// Documented: CUDA_ERROR_INVALID_VALUE.
func freeTwice(b *bench) {
	p, err := b.dev.MemAlloc(kib)
	b.ok(err)
	b.ok(b.dev.MemFree(p))
	b.fails(b.dev.MemFree(p), api.CodeInvalidValue)
}

// Documented.
func freeOfAnUnknownAddress(b *bench) {
	b.fails(b.dev.MemFree(0x1000), api.CodeInvalidValue)
	b.fails(b.dev.MemHostFree(0x1000), api.CodeInvalidValue)
}

// Documented: only what an allocation returned.
func freeOfTheMiddle(b *bench) {
	p := b.memory(mib, 1)
	b.fails(b.dev.MemFree(p+256), api.CodeInvalidValue)
	b.requireAll(p, mib, 1)
}

// Measured.
func freeOfPinnedAsDeviceMemory(b *bench) {
	p, _ := b.pinned(kib)
	b.fails(b.dev.MemFree(p), api.CodeInvalidValue)
}

// Measured.
func freeOfDeviceAsPinnedMemory(b *bench) {
	b.fails(b.dev.MemHostFree(b.memory(kib, 0)), api.CodeInvalidValue)
}

// Measured.
func freeOfManagedAsPinnedMemory(b *bench) {
	b.fails(b.dev.MemHostFree(managedMemory(b, b.dev, kib)), api.CodeInvalidValue)
}

// Documented.
func freePinnedTwice(b *bench) {
	p, err := b.dev.MemHostAlloc(kib)
	b.ok(err)
	b.ok(b.dev.MemHostFree(p))
	b.fails(b.dev.MemHostFree(p), api.CodeInvalidValue)
}

// Measured.
func freeOfTheMiddleOfPinnedMemory(b *bench) {
	p, view := b.pinned(mib)
	b.fails(b.dev.MemHostFree(p+256), api.CodeInvalidValue)
	view[mib-1] = 1
}

// Documented.
func anUnknownDeviceAttribute(b *bench) {
	_, err := b.raw.Attribute(100_000)
	b.fails(err, api.CodeInvalidValue)
}
