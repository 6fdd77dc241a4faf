package driver_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var virtualCases = []conformanceCase{
	one("virtual/granularities", granularities),
	one("virtual/reservations-do-not-overlap", reservationsDoNotOverlap),
	one("virtual/reservations-are-aligned", reservationsAreAligned),
	one("virtual/reserve-an-odd-size", reserveAnOddSize),
	one("virtual/free-a-reservation-twice", freeAReservationTwice),
	one("virtual/free-a-part-of-a-reservation", freeAPartOfAReservation),
	one("virtual/free-a-reservation-in-use", freeAReservationInUse),
	one("virtual/create-an-odd-size", createAnOddSize),
	one("virtual/create-nothing", createNothing),
	one("virtual/create-more-than-there-is", createMoreThanThereIs),
	one("virtual/mapped-memory-is-usable", mappedMemoryIsUsable),
	one("virtual/mappings-side-by-side-are-one-range", mappingsSideBySideAreOneRange),
	one("virtual/memory-keeps-its-data-wherever-it-is-mapped", memoryKeepsItsDataWhereverItIsMapped),
	one("virtual/memory-can-have-two-addresses", memoryCanHaveTwoAddresses),
	one("virtual/a-mapping-keeps-released-memory", aMappingKeepsReleasedMemory),
	one("virtual/map-where-something-is-mapped", mapWhereSomethingIsMapped),
	one("virtual/map-outside-of-a-reservation", mapOutsideOfAReservation),
	one("virtual/map-beyond-the-memory", mapBeyondTheMemory),
	one("virtual/map-a-part", mapAPart),
	one("virtual/map-at-an-odd-address", mapAtAnOddAddress),
	one("virtual/unmap-nothing", unmapNothing),
	one("virtual/unmap-a-part-of-a-mapping", unmapAPartOfAMapping),
	one("virtual/unmap-several-mappings", unmapSeveralMappings),
	one("virtual/access-to-nothing", accessToNothing),
	one("virtual/mem-free-of-a-mapping", memFreeOfAMapping),
	one("virtual/pointers-to-mappings", pointersToMappings),
	one("virtual/pointers-to-reservations", pointersToReservations),
	one("virtual/mapping-does-not-wait", mappingDoesNotWait),
	one("virtual/export-what-was-not-made-for-it", exportWhatWasNotMadeForIt),
	alone("virtual/use-without-access", useWithoutAccess),
	alone("virtual/use-after-unmap", useAfterUnmap),
	alone("virtual/use-of-a-reservation", useOfAReservation),
}

// piece is the granularity, the size that these cases work with.
func (b *bench) piece() int {
	offers[api.VirtualMemory](b, "virtual memory management")
	n, err := b.dev.MemGranularity(driver.HandleNone)
	b.ok(err)
	return n
}

// reserve is n bytes of addresses until the end of the case.
func (b *bench) reserve(n int) driver.Ptr {
	p, err := b.dev.MemAddressReserve(n, 0)
	b.ok(err)
	b.Cleanup(func() { b.ok(b.dev.MemAddressFree(p, n)) })
	return p
}

// physical is memory without an address until the end of the case.
func (b *bench) physical(n int) *driver.MemHandle {
	h, err := b.dev.MemCreate(n, driver.HandleNone)
	b.ok(err)
	b.Cleanup(func() { b.ok(h.Release()) })
	return h
}

// mapAt maps memory at p, usable by the device, until unmap is called.
func (b *bench) mapAt(p driver.Ptr, h *driver.MemHandle) (unmap func()) {
	b.ok(h.Map(p))
	b.ok(b.dev.MemSetAccess(p, h.Size(), b.dev, driver.AccessReadWrite))
	return func() { b.ok(b.dev.MemUnmap(p, h.Size())) }
}

// mapped is mapAt until the end of the case.
func (b *bench) mapped(p driver.Ptr, h *driver.MemHandle) {
	b.Cleanup(b.mapAt(p, h))
}

// rawMemory is the handle of new physical memory, for calls that package driver
// does not let through.
func (b *bench) rawMemory(n int) (api.VirtualMemory, api.MemHandle) {
	vm := offers[api.VirtualMemory](b, "virtual memory management")
	h, err := vm.MemCreate(n, api.HandleNone)
	b.ok(err)
	b.Cleanup(func() { b.ok(vm.MemRelease(h)) })
	return vm, h
}

// Documented: the recommended granularity is a multiple of the minimum.
func granularities(b *bench) {
	vm := offers[api.VirtualMemory](b, "virtual memory management")
	least, err := vm.MemGranularity(false, api.HandleNone)
	b.ok(err)
	best, err := vm.MemGranularity(true, api.HandleNone)
	b.ok(err)
	b.Logf("measured: granularities %d and %d", least, best)
	if least <= 0 || least&(least-1) != 0 || best%least != 0 {
		b.Fatalf("the granularities are %d and %d", least, best)
	}
}

// Documented.
func reservationsDoNotOverlap(b *bench) {
	n := 4 * b.piece()
	p, q := b.reserve(n), b.reserve(n)
	if p < q+driver.Ptr(n) && q < p+driver.Ptr(n) {
		b.Fatalf("%d bytes at %v and at %v overlap", n, p, q)
	}
}

// Documented.
func reservationsAreAligned(b *bench) {
	n := b.piece()
	if p := b.reserve(n); int(p)%n != 0 {
		b.Fatalf("%v is not aligned to %d", p, n)
	}
	const large = 1 << 30
	p, err := b.dev.MemAddressReserve(n, large)
	b.ok(err)
	b.ok(b.dev.MemAddressFree(p, n))
	if p%large != 0 {
		b.Fatalf("%v is not aligned to %d", p, large)
	}
}

// Documented: a multiple of the host page size; measured for one byte more.
func reserveAnOddSize(b *bench) {
	_, err := b.dev.MemAddressReserve(b.piece()+1, 0)
	b.fails(err, api.CodeInvalidValue)
}

// Documented: only what was reserved.
func freeAReservationTwice(b *bench) {
	n := b.piece()
	p, err := b.dev.MemAddressReserve(n, 0)
	b.ok(err)
	b.ok(b.dev.MemAddressFree(p, n))
	b.fails(b.dev.MemAddressFree(p, n), api.CodeInvalidValue)
}

// Documented: the size must be that of the reservation.
func freeAPartOfAReservation(b *bench) {
	n := b.piece()
	p := b.reserve(2 * n)
	b.fails(b.dev.MemAddressFree(p, n), api.CodeInvalidValue)
	b.fails(b.dev.MemAddressFree(p+driver.Ptr(n), n), api.CodeInvalidValue)
}

// Documented: it must be unmapped first.
func freeAReservationInUse(b *bench) {
	n := b.piece()
	p := b.reserve(n)
	b.mapped(p, b.physical(n))
	b.fails(b.dev.MemAddressFree(p, n), api.CodeInvalidValue)
	b.set(p, n, 1)
}

// Documented: a multiple of the granularity.
func createAnOddSize(b *bench) {
	_, err := b.dev.MemCreate(b.piece()+1, driver.HandleNone)
	b.fails(err, api.CodeInvalidValue)
}

// Documented.
func createNothing(b *bench) {
	_, err := offers[api.VirtualMemory](b, "virtual memory management").MemCreate(0, api.HandleNone)
	b.fails(err, api.CodeInvalidValue)
}

// Documented.
func createMoreThanThereIs(b *bench) {
	n := b.piece()
	_, err := b.dev.MemCreate((b.dev.TotalMemory()/n+1)*n, driver.HandleNone)
	b.fails(err, api.CodeOutOfMemory)
}

// Documented.
func mappedMemoryIsUsable(b *bench) {
	n := b.piece()
	s, p, q := b.stream(), b.reserve(n), b.memory(kib, 0)
	b.mapped(p, b.physical(n))
	b.ok(s.MemsetD8Async(p, 1, n))
	b.ok(s.MemcpyDtoDAsync(q, p+driver.Ptr(n-kib), kib))
	b.done(s)
	b.requireAll(q, kib, 1)
}

// Documented: the use of a range does not know of its pieces. Measured for
// copies and memsets.
func mappingsSideBySideAreOneRange(b *bench) {
	n := b.piece()
	s, p, q := b.stream(), b.reserve(2*n), b.memory(2*n, 1)
	b.mapped(p, b.physical(n))
	b.mapped(p+driver.Ptr(n), b.physical(n))
	b.ok(s.MemcpyDtoDAsync(p, q, 2*n))
	b.ok(s.MemsetD8Async(p+driver.Ptr(n-kib), 2, 2*kib))
	b.done(s)
	b.requireAll(p, n-kib, 1)
	b.requireAll(p+driver.Ptr(n-kib), 2*kib, 2)
	b.requireAll(p+driver.Ptr(n+kib), n-kib, 1)
}

// Measured.
func memoryKeepsItsDataWhereverItIsMapped(b *bench) {
	n := b.piece()
	p, h := b.reserve(2*n), b.physical(n)
	unmap := b.mapAt(p, h)
	b.set(p, n, 7)
	unmap()
	unmap = b.mapAt(p+driver.Ptr(n), h)
	b.requireAll(p+driver.Ptr(n), n, 7)
	unmap()
}

// Documented: an allocation may be mapped several times.
func memoryCanHaveTwoAddresses(b *bench) {
	n := b.piece()
	p, h := b.reserve(2*n), b.physical(n)
	b.mapped(p, h)
	b.mapped(p+driver.Ptr(n), h)
	b.set(p, n, 7)
	b.requireAll(p+driver.Ptr(n), n, 7)
}

// Documented: the memory stays as long as it is mapped.
func aMappingKeepsReleasedMemory(b *bench) {
	n := b.piece()
	p := b.reserve(n)
	h, err := b.dev.MemCreate(n, driver.HandleNone)
	b.ok(err)
	b.mapped(p, h)
	b.set(p, n, 7)
	b.ok(h.Release())
	b.requireAll(p, n, 7)
}

// Measured: which error.
func mapWhereSomethingIsMapped(b *bench) {
	n := b.piece()
	p := b.reserve(n)
	b.mapped(p, b.physical(n))
	b.fails(b.physical(n).Map(p), api.CodeInvalidValue)
	b.set(p, n, 1)
}

// Documented: the range must be reserved.
func mapOutsideOfAReservation(b *bench) {
	n := b.piece()
	p, err := b.dev.MemAddressReserve(n, 0)
	b.ok(err)
	b.ok(b.dev.MemAddressFree(p, n))
	b.fails(b.physical(n).Map(p), api.CodeInvalidValue)
}

// Measured.
func mapBeyondTheMemory(b *bench) {
	n := b.piece()
	vm, h := b.rawMemory(n)
	b.fails(vm.MemMap(b.reserve(2*n), 2*n, 0, h), api.CodeNotSupported)
}

// Documented: the offset must be zero. Measured: which error. To be measured for
// the first half.
func mapAPart(b *bench) {
	n := b.piece()
	vm, h := b.rawMemory(2 * n)
	p := b.reserve(2 * n)
	b.fails(vm.MemMap(p, n, n, h), api.CodeNotSupported)
	err := vm.MemMap(p, n, 0, h)
	b.Logf("measured: to map the first half: %s", describe(err))
	if err == nil {
		b.ok(vm.MemUnmap(p, n))
	}
}

// Documented: a multiple of the granularity.
func mapAtAnOddAddress(b *bench) {
	n := b.piece()
	b.fails(b.physical(n).Map(b.reserve(2*n)+4096), api.CodeInvalidValue)
}

// Measured: it succeeds.
func unmapNothing(b *bench) {
	n := b.piece()
	b.ok(b.dev.MemUnmap(b.reserve(n), n))
}

// Documented: a mapping is unmapped as a whole.
func unmapAPartOfAMapping(b *bench) {
	n := b.piece()
	p := b.reserve(2 * n)
	b.mapped(p, b.physical(2*n))
	b.fails(b.dev.MemUnmap(p, n), api.CodeInvalidValue)
	b.set(p, 2*n, 1)
}

// Documented: a range that covers mappings entirely. Measured: once more does no
// harm.
func unmapSeveralMappings(b *bench) {
	n := b.piece()
	p := b.reserve(2 * n)
	b.mapAt(p, b.physical(n))
	b.mapAt(p+driver.Ptr(n), b.physical(n))
	b.ok(b.dev.MemUnmap(p, 2*n))
	b.ok(b.dev.MemUnmap(p, n))
	b.unregistered(p)
}

// Documented: the range must be mapped.
func accessToNothing(b *bench) {
	n := b.piece()
	b.fails(b.dev.MemSetAccess(b.reserve(n), n, b.dev, driver.AccessReadWrite), api.CodeInvalidValue)
}

// Measured.
func memFreeOfAMapping(b *bench) {
	n := b.piece()
	p := b.reserve(n)
	b.mapped(p, b.physical(n))
	b.fails(b.dev.MemFree(p), api.CodeInvalidValue)
	b.set(p, n, 1)
}

// Measured: base and size are the reservation's.
func pointersToMappings(b *bench) {
	n := b.piece()
	p := b.reserve(2 * n)
	b.mapped(p, b.physical(n))
	b.points(p+1, driver.PointerInfo{Type: driver.MemoryDevice, Base: p, Size: 2 * n})
}

// Measured.
func pointersToReservations(b *bench) {
	b.unregistered(b.reserve(b.piece()))
}

// Measured: calls on virtual memory do not wait for a kernel.
func mappingDoesNotWait(b *bench) {
	n := b.piece()
	s, p, h := b.stream(), b.reserve(n), b.physical(n)
	b.hold(s)
	b.promptly(func() error {
		b.mapAt(p, h)()
		return nil
	})
	b.busy(s)
}

// Measured: which error.
func exportWhatWasNotMadeForIt(b *bench) {
	_, err := b.physical(b.piece()).Export(driver.HandlePosixFD)
	b.fails(err, api.CodeInvalidValue)
}

// Measured: the call answers, and no work faults. So it is for the next two.
func useWithoutAccess(b *bench) {
	n := b.piece()
	p := b.reserve(n)
	b.ok(b.physical(n).Map(p))
	b.fails(b.dev.MemcpyHtoD(p, make([]byte, kib)), api.CodeInvalidValue)
}

func useAfterUnmap(b *bench) {
	n := b.piece()
	p := b.reserve(n)
	b.mapAt(p, b.physical(n))()
	b.fails(b.dev.MemcpyHtoD(p, make([]byte, kib)), api.CodeInvalidValue)
}

func useOfAReservation(b *bench) {
	b.fails(b.dev.MemcpyHtoD(b.reserve(b.piece()), make([]byte, kib)), api.CodeInvalidValue)
}
