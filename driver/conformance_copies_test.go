package driver_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var copyCases = []conformanceCase{
	one("copies/a-small-pageable-source-is-read-at-the-call", aSmallPageableSourceIsReadAtTheCall),
	one("copies/a-large-pageable-source-may-change-after-the-call", aLargePageableSourceMayChangeAfterTheCall),
	one("copies/a-large-pageable-source-is-waited-for", aLargePageableSourceIsWaitedFor),
	one("copies/a-pageable-destination-is-waited-for", aPageableDestinationIsWaitedFor),
	one("copies/a-pinned-source-is-read-when-the-copy-runs", aPinnedSourceIsReadWhenTheCopyRuns),
	one("copies/a-pinned-destination-is-filled-when-the-copy-runs", aPinnedDestinationIsFilledWhenTheCopyRuns),
	one("copies/without-a-stream-from-pageable-memory", aCopyFromPageableMemoryWithoutAStream),
	one("copies/without-a-stream-to-pageable-memory-wait", aCopyToPageableMemoryWithoutAStreamWaits),
	one("copies/without-a-stream-from-pinned-memory-wait", aCopyFromPinnedMemoryWithoutAStreamWaits),
	one("copies/without-a-stream-on-the-device-do-not-wait", aCopyOnTheDeviceWithoutAStreamDoesNotWait),
	one("copies/odd-sizes-and-addresses", oddCopies),
	one("copies/pinned-addresses-are-device-addresses", pinnedAddressesAreDeviceAddresses),
	one("copies/between-plain-and-pool-memory", copiesBetweenPlainAndPoolMemory),
	one("copies/of-nothing", copiesOfNothing),
	alone("copies/past-the-end-to-the-device", aCopyPastTheEndToTheDevice),
	alone("copies/past-the-end-from-the-device", aCopyPastTheEndFromTheDevice),
	alone("copies/past-the-end-on-a-stream", aCopyPastTheEndOnAStream),
	alone("copies/past-the-end-on-the-device", aCopyPastTheEndOnTheDevice),
	alone("copies/to-an-unknown-address", aCopyToAnUnknownAddress),
	alone("copies/to-freed-memory", aCopyToFreedMemory),
	two("copies/between-devices-without-peer-access", copiesBetweenDevices),
	two("copies/between-devices-as-plain-copies", plainCopiesBetweenDevices),
}

const (
	smallCopy = 4 * kib // below the 64 KiB that the manual names
	largeCopy = 4 * mib
)

// Documented for up to 64 KiB: staged, so that the call returns before the copy
// has run. Measured while the stream is held.
func aSmallPageableSourceIsReadAtTheCall(b *bench) {
	s, p, src := b.stream(), b.memory(smallCopy, 0), repeated(1, smallCopy)
	release := b.hold(s)
	b.promptly(func() error { return s.MemcpyHtoDAsync(p, src) })
	copy(src, repeated(2, smallCopy))
	b.busy(s)
	release()
	b.done(s)
	b.requireAll(p, smallCopy, 1)
}

// Documented: once the call has returned, pageable memory may change.
func aLargePageableSourceMayChangeAfterTheCall(b *bench) {
	s, p, src := b.stream(), b.memory(largeCopy, 0), repeated(1, largeCopy)
	release := b.hold(s)
	returned := background(func() error { return s.MemcpyHtoDAsync(p, src) })
	release()
	b.ok(<-returned)
	copy(src, repeated(2, largeCopy))
	b.done(s)
	b.requireAll(p, largeCopy, 1)
}

// Measured: staging a large copy waits for the work before it.
func aLargePageableSourceIsWaitedFor(b *bench) {
	s, p, src := b.stream(), b.memory(largeCopy, 0), repeated(1, largeCopy)
	release := b.hold(s)
	b.onlyAfter(release, func() error { return s.MemcpyHtoDAsync(p, src) })
	b.done(s)
	b.requireAll(p, largeCopy, 1)
}

// Documented: to pageable memory the call returns once the copy has completed.
func aPageableDestinationIsWaitedFor(b *bench) {
	for _, n := range []int{1, smallCopy, largeCopy} {
		s, p, dst := b.stream(), b.memory(n, 0), make([]byte, n)
		release := b.hold(s)
		b.ok(s.MemsetD8Async(p, 1, n))
		b.onlyAfter(release, func() error { return s.MemcpyDtoHAsync(dst, p) })
		if dst[0] != 1 || dst[n-1] != 1 {
			b.Fatalf("the call returned before its %d bytes were there", n)
		}
	}
}

// Documented: with pinned memory the copy is asynchronous.
func aPinnedSourceIsReadWhenTheCopyRuns(b *bench) {
	for _, n := range []int{smallCopy, largeCopy} {
		s, p := b.stream(), b.memory(n, 0)
		_, src := b.pinned(n)
		release := b.hold(s)
		b.promptly(func() error { return s.MemcpyHtoDAsync(p, src) })
		copy(src, repeated(2, n))
		release()
		b.done(s)
		b.requireAll(p, n, 2)
	}
}

// Documented.
func aPinnedDestinationIsFilledWhenTheCopyRuns(b *bench) {
	s, p := b.stream(), b.memory(largeCopy, 1)
	_, dst := b.pinned(largeCopy)
	release := b.hold(s)
	b.promptly(func() error { return s.MemcpyDtoHAsync(dst, p) })
	if dst[0] != 0 {
		b.Fatalf("the destination holds %d before the copy has run", dst[0])
	}
	release()
	b.done(s)
	if dst[0] != 1 || dst[largeCopy-1] != 1 {
		b.Fatalf("the destination holds %d and %d after the copy", dst[0], dst[largeCopy-1])
	}
}

// Documented: the call returns once the source has been staged; the copy itself
// is ordered on the default stream.
func aCopyFromPageableMemoryWithoutAStream(b *bench) {
	p, src := b.memory(smallCopy, 0), repeated(1, smallCopy)
	b.ok(b.dev.MemcpyHtoD(p, src))
	copy(src, repeated(2, smallCopy))
	b.requireAll(p, smallCopy, 1)
}

// Documented: it returns once the data is there, after the blocking streams'.
func aCopyToPageableMemoryWithoutAStreamWaits(b *bench) {
	s, p, dst := b.blocking(), b.memory(smallCopy, 0), make([]byte, smallCopy)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, smallCopy))
	b.onlyAfter(release, func() error { return b.dev.MemcpyDtoH(dst, p) })
	if dst[smallCopy-1] != 1 {
		b.Fatalf("the copy came before the work of a blocking stream")
	}
}

// Documented: "synchronous with respect to the host".
func aCopyFromPinnedMemoryWithoutAStreamWaits(b *bench) {
	s, p := b.blocking(), b.memory(smallCopy, 0)
	_, src := b.pinned(smallCopy)
	copy(src, repeated(1, smallCopy))
	release := b.hold(s)
	b.onlyAfter(release, func() error { return b.dev.MemcpyHtoD(p, src) })
	b.requireAll(p, smallCopy, 1)
}

// Documented: no synchronisation on the host for copies from device to device.
func aCopyOnTheDeviceWithoutAStreamDoesNotWait(b *bench) {
	s, p, q := b.blocking(), b.memory(smallCopy, 1), b.memory(smallCopy, 0)
	release := b.hold(s)
	b.promptly(func() error { return b.dev.MemcpyDtoD(q, p, smallCopy) })
	b.busy(b.dev.DefaultStream())
	release()
	b.done(b.dev.DefaultStream())
	b.requireAll(q, smallCopy, 1)
}

// Documented: copies have no alignment.
func oddCopies(b *bench) {
	s, p, q := b.stream(), b.memory(64*kib, 9), b.memory(64*kib, 9)
	for i, n := range []int{1, 3, 255, 4097, 50_001} {
		from, to := driver.Ptr(1+i), driver.Ptr(7-i)
		data := drivertest.Pattern(n, uint64(n))
		b.ok(s.MemcpyHtoDAsync(p+from, data))
		b.ok(s.MemcpyDtoDAsync(q+to, p+from, n))
		b.done(s)
		b.requireBytes(q+to, data)
		b.requireAll(q+to-1, 1, 9)
		b.requireAll(q+to+driver.Ptr(n), 1, 9)
		b.set(q, 64*kib, 9)
	}
}

// Documented: with unified addressing pinned memory has one address.
func pinnedAddressesAreDeviceAddresses(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	from, src := b.pinned(kib)
	to, dst := b.pinned(kib)
	copy(src, drivertest.Pattern(kib, 1))
	b.ok(s.MemcpyDtoDAsync(p, from, kib))
	b.ok(s.MemcpyDtoDAsync(to, p, kib))
	b.done(s)
	b.requireBytes(p, drivertest.Pattern(kib, 1))
	if string(dst) != string(src) {
		b.Fatalf("the data did not come back")
	}
}

// Documented.
func copiesBetweenPlainAndPoolMemory(b *bench) {
	s, plain := b.stream(), b.memory(kib, 1)
	pooled := b.allocate(b.pool(0), kib, s)
	b.ok(s.MemcpyDtoDAsync(pooled, plain, kib))
	b.ok(s.MemsetD8Async(plain, 2, kib))
	b.ok(s.MemcpyDtoDAsync(plain, pooled, kib))
	b.done(s)
	b.requireAll(plain, kib, 1)
}

// Measured: an empty copy succeeds, whatever the addresses.
func copiesOfNothing(b *bench) {
	s, p, q := b.stream(), b.memory(kib, 1), b.memory(kib, 2)
	b.ok(b.raw.MemcpyDtoD(p, q, 0))
	b.ok(b.raw.MemcpyDtoDAsync(p, q, 0, handleOf(s)))
	b.ok(b.raw.MemsetAsync(p, 9, 1, 0, handleOf(s)))
	b.ok(b.raw.Memset(p, 9, 1, 0))
	b.done(s)
	b.requireAll(p, kib, 1)
}

// Measured, as are the next three: the driver checks the range of copies.
func aCopyPastTheEndToTheDevice(b *bench) {
	p := b.memory(2*mib, 0)
	b.fails(b.dev.MemcpyHtoD(p+mib, make([]byte, 4*mib)), api.CodeInvalidValue)
}

func aCopyPastTheEndFromTheDevice(b *bench) {
	p := b.memory(2*mib, 0)
	b.fails(b.dev.MemcpyDtoH(make([]byte, 4*mib), p+mib), api.CodeInvalidValue)
}

func aCopyPastTheEndOnAStream(b *bench) {
	s, p := b.stream(), b.memory(2*mib, 0)
	b.fails(s.MemcpyHtoDAsync(p+mib, make([]byte, 4*mib)), api.CodeInvalidValue)
	b.done(s)
}

func aCopyPastTheEndOnTheDevice(b *bench) {
	s, p, q := b.stream(), b.memory(2*mib, 0), b.memory(8*mib, 0)
	b.fails(s.MemcpyDtoDAsync(p+mib, q, 4*mib), api.CodeInvalidValue)
	b.fails(s.MemcpyDtoDAsync(q, p+mib, 4*mib), api.CodeInvalidValue)
	b.done(s)
}

// Measured.
func aCopyToAnUnknownAddress(b *bench) {
	b.fails(b.dev.MemcpyHtoD(0x1000, make([]byte, kib)), api.CodeInvalidValue)
}

// Measured: the whole allocation is gone, as it was alone in its 2 MiB.
func aCopyToFreedMemory(b *bench) {
	p, err := b.dev.MemAlloc(8 * mib)
	b.ok(err)
	b.ok(b.dev.MemFree(p))
	b.fails(b.dev.MemcpyHtoD(p, make([]byte, kib)), api.CodeInvalidValue)
}

// Documented: cuMemcpyPeerAsync needs no peer access.
func copiesBetweenDevices(b *bench) {
	s, p, q := b.stream(), b.memory(mib, 1), deviceMemory(b, b.peer, mib)
	b.ok(s.MemcpyPeerAsync(q, b.peer, p, b.dev, mib))
	b.ok(s.MemsetD8Async(p, 0, mib))
	b.ok(s.MemcpyPeerAsync(p, b.dev, q, b.peer, mib))
	b.done(s)
	b.requireAll(p, mib, 1)
}

// Documented: with unified addressing the driver knows where an address lies.
func plainCopiesBetweenDevices(b *bench) {
	s, p, q := b.stream(), b.memory(kib, 1), deviceMemory(b, b.peer, kib)
	b.ok(s.MemcpyDtoDAsync(q, p, kib))
	b.done(s)
	got := make([]byte, kib)
	b.ok(b.peer.MemcpyDtoH(got, q))
	if got[kib-1] != 1 {
		b.Fatalf("the peer holds %d, want 1", got[kib-1])
	}
}
