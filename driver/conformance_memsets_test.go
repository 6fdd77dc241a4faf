package driver_test

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var memsetCases = []conformanceCase{
	one("memsets/of-bytes-stay-inside", memsetsOfBytesStayInside),
	one("memsets/of-16-bits-are-little-endian", memsetsOf16Bits),
	one("memsets/of-32-bits-are-little-endian", memsetsOf32Bits),
	one("memsets/16-bits-need-alignment", memsetsOf16BitsNeedAlignment),
	one("memsets/32-bits-need-alignment", memsetsOf32BitsNeedAlignment),
	one("memsets/of-pinned-memory-are-stream-ordered", memsetsOfPinnedMemoryAreStreamOrdered),
	one("memsets/of-pinned-memory-without-a-stream-wait", memsetsOfPinnedMemoryWait),
	one("memsets/on-a-stream-do-not-wait", memsetsOnAStreamDoNotWait),
	alone("memsets/past-the-end", aMemsetPastTheEnd),
	alone("memsets/of-an-unknown-address", aMemsetOfAnUnknownAddress),
}

// Documented.
func memsetsOfBytesStayInside(b *bench) {
	s, p := b.stream(), b.memory(kib, 9)
	b.ok(s.MemsetD8Async(p+3, 1, 1001-3))
	b.done(s)
	b.requireAll(p, 3, 9)
	b.requireAll(p+3, 1001-3, 1)
	b.requireAll(p+1001, kib-1001, 9)
}

// Documented: count is of elements.
func memsetsOf16Bits(b *bench) {
	s, p := b.stream(), b.memory(kib, 9)
	b.ok(s.MemsetD16Async(p+2, 0x0102, 2))
	b.done(s)
	b.requireBytes(p, []byte{9, 9, 2, 1, 2, 1, 9})
}

// Documented.
func memsetsOf32Bits(b *bench) {
	s, p := b.stream(), b.memory(kib, 9)
	b.ok(s.MemsetD32Async(p+4, 0x01020304, 2))
	b.done(s)
	b.requireBytes(p, []byte{9, 9, 9, 9, 4, 3, 2, 1, 4, 3, 2, 1, 9})
}

// Documented: the address must be aligned to two bytes.
func memsetsOf16BitsNeedAlignment(b *bench) {
	s, p := b.stream(), b.memory(kib, 9)
	b.fails(s.MemsetD16Async(p+1, 1, 4), api.CodeInvalidValue)
	b.fails(b.dev.MemsetD16(p+1, 1, 4), api.CodeInvalidValue)
	b.done(s)
	b.requireAll(p, kib, 9)
}

// Documented: the address must be aligned to four bytes.
func memsetsOf32BitsNeedAlignment(b *bench) {
	s, p := b.stream(), b.memory(kib, 9)
	b.fails(s.MemsetD32Async(p+2, 1, 4), api.CodeInvalidValue)
	b.fails(b.dev.MemsetD32(p+2, 1, 4), api.CodeInvalidValue)
	b.done(s)
	b.requireAll(p, kib, 9)
}

// Documented.
func memsetsOfPinnedMemoryAreStreamOrdered(b *bench) {
	s, q := b.stream(), b.memory(kib, 0)
	p, view := b.pinned(kib)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(s.MemcpyDtoDAsync(q, p, kib))
	b.ok(s.MemsetD8Async(p, 2, kib))
	release()
	b.done(s)
	b.requireAll(q, kib, 1)
	if view[kib-1] != 2 {
		b.Fatalf("the host sees %d, want 2", view[kib-1])
	}
}

// Documented: memsets of pinned host memory are synchronous.
func memsetsOfPinnedMemoryWait(b *bench) {
	s := b.blocking()
	p, view := b.pinned(kib)
	release := b.hold(s)
	b.onlyAfter(release, func() error { return b.dev.MemsetD8(p, 1, kib) })
	if view[kib-1] != 1 {
		b.Fatalf("the host sees %d, want 1", view[kib-1])
	}
}

// Documented: the Async forms are.
func memsetsOnAStreamDoNotWait(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	q, _ := b.pinned(kib)
	b.hold(s)
	b.promptly(func() error { return s.MemsetD8Async(p, 1, kib) })
	b.promptly(func() error { return s.MemsetD8Async(q, 1, kib) })
	b.busy(s)
}

// Measured: the driver checks the range.
func aMemsetPastTheEnd(b *bench) {
	s, p := b.stream(), b.memory(2*mib, 0)
	b.fails(s.MemsetD8Async(p+mib, 1, 4*mib), api.CodeInvalidValue)
	b.fails(b.dev.MemsetD8(p+mib, 1, 4*mib), api.CodeInvalidValue)
	b.done(s)
}

// Measured.
func aMemsetOfAnUnknownAddress(b *bench) {
	b.fails(b.dev.MemsetD8(0x1000, 1, kib), api.CodeInvalidValue)
}
