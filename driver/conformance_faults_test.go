package driver_test

import (
	"errors"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var faultCases = []conformanceCase{
	alone("faults/an-illegal-address", anIllegalAddress),
	alone("faults/a-misaligned-address", aMisalignedAddress),
	alone("faults/freed-memory", aKernelOnFreedMemory),
	alone("faults/unmapped-memory", aKernelOnUnmappedMemory),
	alone("faults/read-only-memory", aKernelOnReadOnlyMemory),
	alone("faults/stay", faultsStay),
	alone("faults/drop-later-work", faultsDropLaterWork),
	aloneOnTwo("faults/a-peer-without-access", aPeerWithoutAccess),
	aloneOnTwo("faults/reach-other-devices", faultsReachOtherDevices),
}

// faults checks that the work on s ends in a fault with the code.
func (b *bench) faults(s *driver.Stream, code int) {
	err := s.Synchronize()
	b.fails(err, code)
	if !errors.Is(err, driver.ErrFault) {
		b.Fatalf("%v is not ErrFault", err)
	}
}

// Documented: CUDA_ERROR_ILLEGAL_ADDRESS, found when the kernel runs.
func anIllegalAddress(b *bench) {
	fill, s := b.kernel(drivertest.KernelFill), b.stream()
	b.fillWords(s, fill, 0x10000, 1, 1)
	b.faults(s, api.CodeIllegalAddress)
}

// Documented: CUDA_ERROR_MISALIGNED_ADDRESS.
func aMisalignedAddress(b *bench) {
	fill, s, p := b.kernel(drivertest.KernelFill), b.stream(), b.memory(kib, 0)
	b.fillWords(s, fill, p+2, 1, 1)
	b.faults(s, api.CodeMisalignedAddress)
}

// Measured: memory that was alone in its 2 MiB.
func aKernelOnFreedMemory(b *bench) {
	fill, s := b.kernel(drivertest.KernelFill), b.stream()
	p, err := b.dev.MemAlloc(64 * mib)
	b.ok(err)
	b.ok(b.dev.MemFree(p))
	b.fillWords(s, fill, p, 1, 1)
	b.faults(s, api.CodeIllegalAddress)
}

// Documented.
func aKernelOnUnmappedMemory(b *bench) {
	fill, n := b.kernel(drivertest.KernelFill), b.piece()
	s, p := b.stream(), b.reserve(n)
	b.mapAt(p, b.physical(n))()
	b.fillWords(s, fill, p, 1, 1)
	b.faults(s, api.CodeIllegalAddress)
}

// Documented for CU_MEM_ACCESS_FLAGS_PROT_READ, which devices may not support.
func aKernelOnReadOnlyMemory(b *bench) {
	fill, n := b.kernel(drivertest.KernelFill), b.piece()
	s, p := b.stream(), b.reserve(n)
	b.ok(b.physical(n).Map(p))
	if err := b.dev.MemSetAccess(p, n, b.dev, driver.AccessRead); errors.Is(err, driver.ErrNotSupported) {
		b.Skipf("this machine has no read-only access: %v", err)
	} else {
		b.ok(err)
	}
	b.fillWords(s, fill, p, 1, 1)
	b.faults(s, api.CodeIllegalAddress)
}

// Documented: the context is of no more use; every call answers the fault.
func faultsStay(b *bench) {
	fill, s, other, e, p := b.kernel(drivertest.KernelFill), b.stream(), b.stream(), b.event(), b.memory(kib, 0)
	b.fillWords(s, fill, 0x10000, 1, 1)
	b.faults(s, api.CodeIllegalAddress)
	_, alloc := b.dev.MemAlloc(kib)
	_, allocAsync := other.MemAllocAsync(kib)
	_, create := b.raw.StreamCreate(api.StreamNonBlocking, 0)
	_, query := other.Query()
	for call, err := range map[string]error{
		"MemAlloc": alloc, "MemAllocAsync": allocAsync, "StreamCreate": create, "StreamQuery": query,
		"StreamSynchronize": other.Synchronize(),
		"EventRecord":       e.Record(other),
		"MemcpyHtoD":        b.dev.MemcpyHtoD(p, make([]byte, 4)),
		"MemsetD8Async":     other.MemsetD8Async(p, 1, 1),
		"Synchronize":       b.dev.Synchronize(),
		"MemFree":           b.dev.MemFree(p),
	} {
		b.Logf("measured: %s after a fault: %s", call, describe(err))
		b.fails(err, api.CodeIllegalAddress)
	}
}

// Documented: what has not begun is dropped; a host function is not promised.
func faultsDropLaterWork(b *bench) {
	fill, s, ran := b.kernel(drivertest.KernelFill), b.stream(), &order{}
	release := b.hold(s)
	b.fillWords(s, fill, 0x10000, 1, 1)
	b.ok(s.LaunchHostFunc(ran.step("ran")))
	release()
	b.faults(s, api.CodeIllegalAddress)
	ran.require(b)
}

// Documented: without access the address means nothing to the device.
func aPeerWithoutAccess(b *bench) {
	b.peers()
	fill, s, p := b.kernel(drivertest.KernelFill), b.stream(), deviceMemory(b, b.peer, kib)
	b.fillWords(s, fill, p, 1, 1)
	b.faults(s, api.CodeIllegalAddress)
}

// Measured: a fault takes the other contexts of the process with it.
func faultsReachOtherDevices(b *bench) {
	fill, s, p := b.kernel(drivertest.KernelFill), b.stream(), deviceMemory(b, b.peer, kib)
	b.fillWords(s, fill, 0x10000, 1, 1)
	b.faults(s, api.CodeIllegalAddress)
	b.fails(b.peer.MemsetD8(p, 1, kib), api.CodeIllegalAddress)
	b.fails(b.peer.Synchronize(), api.CodeIllegalAddress)
}
