package driver_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var managedCases = []conformanceCase{
	one("managed/host-and-device-share-it", hostAndDeviceShareManagedMemory),
	one("managed/prefetch-keeps-the-data", prefetchKeepsTheData),
	one("managed/prefetch-is-stream-ordered", prefetchIsStreamOrdered),
	one("managed/prefetch-of-device-memory", prefetchOfDeviceMemory),
	one("managed/prefetch-past-the-end", prefetchPastTheEnd),
	one("managed/prefetch-to-no-device", prefetchToNoDevice),
	one("managed/freed-is-unregistered", freedManagedMemoryIsUnregistered),
	one("managed/free-twice", freeManagedTwice),
	one("hints/none-at-first", noHintsAtFirst),
	one("hints/last-prefetch-location", lastPrefetchLocation),
	one("hints/read-mostly", readMostly),
	one("hints/preferred-location", preferredLocation),
	one("hints/mixed-ranges-have-no-answer", mixedRangesHaveNoAnswer),
	one("hints/of-device-memory", hintsOfDeviceMemory),
	one("hints/accessed-by", accessedBy),
}

const (
	managedSize = 4 * mib // hints are kept by the page of 2 MiB or less
	onHost      = -1
	nowhere     = -2
)

// managed is memory for hints, which only a device with concurrent access takes.
func (b *bench) managed() driver.Ptr {
	ok, err := b.dev.Has(driver.AttrConcurrentManagedAccess)
	b.ok(err)
	if !ok {
		b.Skipf("this machine has no concurrent managed access")
	}
	return managedMemory(b, b.dev, managedSize)
}

// hint checks a property of n managed bytes.
func (b *bench) hint(p driver.Ptr, n int, a driver.RangeAttribute, want int) {
	got, err := b.dev.MemRangeAttribute(p, n, a)
	b.ok(err)
	if got != want {
		b.Fatalf("attribute %d of %d bytes at %v is %d, want %d", a, n, p, got, want)
	}
}

// Documented.
func hostAndDeviceShareManagedMemory(b *bench) {
	s, p := b.stream(), b.managed()
	view, err := b.dev.HostView(p, managedSize)
	b.ok(err)
	b.ok(s.MemsetD8Async(p, 1, managedSize))
	b.done(s)
	if view[0] != 1 || view[managedSize-1] != 1 {
		b.Fatalf("the host sees %d and %d, want 1", view[0], view[managedSize-1])
	}
	view[7] = 2
	q := b.memory(kib, 0)
	b.ok(s.MemcpyDtoDAsync(q, p, kib))
	b.done(s)
	b.requireBytes(q, []byte{1, 1, 1, 1, 1, 1, 1, 2, 1})
}

// Documented.
func prefetchKeepsTheData(b *bench) {
	s, p := b.stream(), b.managed()
	view, err := b.dev.HostView(p, managedSize)
	b.ok(err)
	copy(view, repeated(3, managedSize))
	b.ok(s.MemPrefetchAsync(p, managedSize, b.dev))
	b.ok(s.MemsetD8Async(p, 4, 1))
	b.ok(s.MemPrefetchAsync(p, managedSize, nil))
	b.done(s)
	if view[0] != 4 || view[1] != 3 || view[managedSize-1] != 3 {
		b.Fatalf("the host sees %d %d … %d, want 4 3 … 3", view[0], view[1], view[managedSize-1])
	}
}

// Documented: the operation is ordered in its stream.
func prefetchIsStreamOrdered(b *bench) {
	s, p := b.stream(), b.managed()
	release := b.hold(s)
	b.promptly(func() error { return s.MemPrefetchAsync(p, managedSize, b.dev) })
	b.busy(s)
	release()
	b.done(s)
}

// Documented: only managed memory.
func prefetchOfDeviceMemory(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	b.fails(s.MemPrefetchAsync(p, kib, b.dev), api.CodeInvalidValue)
	b.done(s)
}

// Measured.
func prefetchPastTheEnd(b *bench) {
	s, p := b.stream(), b.managed()
	b.fails(s.MemPrefetchAsync(p, 64*managedSize, b.dev), api.CodeInvalidValue)
	b.done(s)
}

// Documented: CUDA_ERROR_INVALID_DEVICE.
func prefetchToNoDevice(b *bench) {
	s, p := b.stream(), b.managed()
	b.fails(b.raw.PrefetchAsync(p, kib, 99, handleOf(s)), api.CodeInvalidDevice)
}

// Documented.
func freedManagedMemoryIsUnregistered(b *bench) {
	p, err := b.dev.MemAllocManaged(8 * mib)
	b.ok(err)
	b.ok(b.dev.MemFree(p))
	b.unregistered(p)
}

// Documented.
func freeManagedTwice(b *bench) {
	p, err := b.dev.MemAllocManaged(mib)
	b.ok(err)
	b.ok(b.dev.MemFree(p))
	b.fails(b.dev.MemFree(p), api.CodeInvalidValue)
}

// Documented: the answers for memory that nobody has given hints on.
func noHintsAtFirst(b *bench) {
	offers[api.ManagedHints](b, "hints on managed memory")
	p := b.managed()
	b.hint(p, managedSize, driver.RangeReadMostly, 0)
	b.hint(p, managedSize, driver.RangePreferredLocation, nowhere)
	b.hint(p, managedSize, driver.RangeLastPrefetchLocation, nowhere)
}

// Documented: where the range was last prefetched to, whether or not that is
// complete.
func lastPrefetchLocation(b *bench) {
	offers[api.ManagedHints](b, "hints on managed memory")
	s, p := b.stream(), b.managed()
	b.ok(s.MemPrefetchAsync(p, managedSize, b.dev))
	b.done(s)
	b.hint(p, managedSize, driver.RangeLastPrefetchLocation, b.dev.Ordinal())
	b.ok(s.MemPrefetchAsync(p, managedSize, nil))
	b.done(s)
	b.hint(p, managedSize, driver.RangeLastPrefetchLocation, onHost)
}

// Documented.
func readMostly(b *bench) {
	offers[api.ManagedHints](b, "hints on managed memory")
	p := b.managed()
	b.ok(b.dev.MemAdvise(p, managedSize, driver.AdviseSetReadMostly, b.dev))
	b.hint(p, managedSize, driver.RangeReadMostly, 1)
	b.ok(b.dev.MemAdvise(p, managedSize, driver.AdviseUnsetReadMostly, b.dev))
	b.hint(p, managedSize, driver.RangeReadMostly, 0)
}

// Documented.
func preferredLocation(b *bench) {
	offers[api.ManagedHints](b, "hints on managed memory")
	p := b.managed()
	b.ok(b.dev.MemAdvise(p, managedSize, driver.AdviseSetPreferredLocation, b.dev))
	b.hint(p, managedSize, driver.RangePreferredLocation, b.dev.Ordinal())
	b.ok(b.dev.MemAdvise(p, managedSize, driver.AdviseSetPreferredLocation, nil))
	b.hint(p, managedSize, driver.RangePreferredLocation, onHost)
	b.ok(b.dev.MemAdvise(p, managedSize, driver.AdviseUnsetPreferredLocation, nil))
	b.hint(p, managedSize, driver.RangePreferredLocation, nowhere)
}

// Documented: all pages of the range must agree.
func mixedRangesHaveNoAnswer(b *bench) {
	offers[api.ManagedHints](b, "hints on managed memory")
	s, p := b.stream(), b.managed()
	const half = managedSize / 2
	b.ok(b.dev.MemAdvise(p, half, driver.AdviseSetReadMostly, b.dev))
	b.ok(b.dev.MemAdvise(p+half, half, driver.AdviseSetPreferredLocation, b.dev))
	b.ok(s.MemPrefetchAsync(p, half, b.dev))
	b.done(s)
	b.hint(p, managedSize, driver.RangeReadMostly, 0)
	b.hint(p, half, driver.RangeReadMostly, 1)
	b.hint(p, managedSize, driver.RangePreferredLocation, nowhere)
	b.hint(p+half, half, driver.RangePreferredLocation, b.dev.Ordinal())
	b.hint(p, managedSize, driver.RangeLastPrefetchLocation, nowhere)
	b.hint(p, half, driver.RangeLastPrefetchLocation, b.dev.Ordinal())
}

// Documented: only managed memory.
func hintsOfDeviceMemory(b *bench) {
	offers[api.ManagedHints](b, "hints on managed memory")
	p := b.memory(mib, 0)
	b.fails(b.dev.MemAdvise(p, mib, driver.AdviseSetReadMostly, b.dev), api.CodeInvalidValue)
	_, err := b.dev.MemRangeAttribute(p, mib, driver.RangeReadMostly)
	b.fails(err, api.CodeInvalidValue)
}

// Documented.
func accessedBy(b *bench) {
	offers[api.ManagedHints](b, "hints on managed memory")
	p := b.managed()
	b.ok(b.dev.MemAdvise(p, managedSize, driver.AdviseSetAccessedBy, b.dev))
	b.ok(b.dev.MemAdvise(p, managedSize, driver.AdviseSetAccessedBy, nil))
	b.ok(b.dev.MemAdvise(p, managedSize, driver.AdviseUnsetAccessedBy, b.dev))
	b.set(p, managedSize, 1)
}
