package driver_test

import (
	"os"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var ipcCases = []conformanceCase{
	one("ipc/memory-cannot-be-opened-by-its-own-process", memoryCannotBeOpenedByItsOwnProcess),
	one("ipc/events-cannot-be-opened-by-their-own-process", eventsCannotBeOpenedByTheirOwnProcess),
	one("ipc/the-middle-of-an-allocation-has-its-handle", theMiddleHasTheHandleOfTheAllocation),
	one("ipc/pool-memory-has-no-legacy-handle", poolMemoryHasNoLegacyHandle),
	one("ipc/pinned-memory-has-no-handle", pinnedMemoryHasNoIPCHandle),
	one("ipc/unknown-memory-has-no-handle", unknownMemoryHasNoIPCHandle),
	one("ipc/an-event-must-be-made-for-it", anEventMustBeMadeForIPC),
	one("ipc/a-handle-that-nobody-exported", aHandleThatNobodyExported),
	one("ipc/close-what-was-not-opened", closeWhatWasNotOpened),
	one("ipc/a-pool-must-be-made-for-export", aPoolMustBeMadeForExport),
	one("ipc/a-pool-can-be-imported-by-its-own-process", aPoolCanBeImportedByItsOwnProcess),
	one("ipc/an-imported-pool-does-not-allocate", anImportedPoolDoesNotAllocate),
	one("ipc/memory-can-be-imported-by-its-own-process", memoryCanBeImportedByItsOwnProcess),
}

// Measured: CUDA_ERROR_INVALID_CONTEXT.
func memoryCannotBeOpenedByItsOwnProcess(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	h, err := b.dev.IpcMemHandle(b.memory(kib, 0))
	b.ok(err)
	_, err = b.dev.IpcOpenMem(h)
	b.fails(err, api.CodeInvalidContext)
}

// Measured.
func eventsCannotBeOpenedByTheirOwnProcess(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	e, err := b.dev.NewEvent(driver.EventOptions{Interprocess: true})
	b.ok(err)
	b.Cleanup(func() { b.ok(e.Close()) })
	h, err := e.IpcHandle()
	b.ok(err)
	opened, err := b.dev.IpcOpenEvent(h)
	if err == nil {
		b.Cleanup(func() { b.ok(opened.Close()) })
	}
	b.fails(err, api.CodeInvalidContext)
}

// Measured: the handle is the allocation's.
func theMiddleHasTheHandleOfTheAllocation(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	p := b.memory(mib, 0)
	_, err := b.dev.IpcMemHandle(p)
	b.ok(err)
	_, err = b.dev.IpcMemHandle(p + mib/2)
	b.ok(err)
}

// Measured.
func poolMemoryHasNoLegacyHandle(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	_, err := b.dev.IpcMemHandle(b.allocate(b.pool(0), kib, b.stream()))
	b.fails(err, api.CodeInvalidValue)
}

// Measured.
func pinnedMemoryHasNoIPCHandle(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	p, _ := b.pinned(kib)
	_, err := b.dev.IpcMemHandle(p)
	b.fails(err, api.CodeInvalidValue)
}

// Measured.
func unknownMemoryHasNoIPCHandle(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	_, err := b.dev.IpcMemHandle(0x1000)
	b.fails(err, api.CodeInvalidValue)
}

// Documented: CU_EVENT_INTERPROCESS. To be measured: which of the errors.
func anEventMustBeMadeForIPC(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	_, err := b.event().IpcHandle()
	b.fails(err, api.CodeInvalidHandle, api.CodeInvalidValue)
}

// Measured. To be measured: which of the errors.
func aHandleThatNobodyExported(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	_, err := b.dev.IpcOpenMem(driver.IPCHandle{})
	b.fails(err, api.CodeInvalidHandle, api.CodeInvalidValue)
}

// Measured.
func closeWhatWasNotOpened(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	b.fails(b.dev.IpcCloseMem(b.memory(kib, 0)), api.CodeInvalidValue)
}

// Measured.
func aPoolMustBeMadeForExport(b *bench) {
	offers[api.IPC](b, "sharing between processes")
	_, err := b.pool(0).Export(driver.HandlePosixFD)
	b.fails(err, api.CodeInvalidValue)
}

// shared is a pool made for export, and the same pool imported.
func (b *bench) shared() (exported, imported *driver.Pool) {
	offers[api.IPC](b, "sharing between processes")
	types, err := b.dev.Attribute(driver.AttrMempoolSupportedHandleTypes)
	b.ok(err)
	if types&int(driver.HandlePosixFD) == 0 {
		b.Skipf("this machine has no pools that can be exported as file descriptors")
	}
	exported, err = b.dev.NewPool(driver.PoolOptions{Handles: driver.HandlePosixFD})
	b.ok(err)
	b.Cleanup(func() { b.ok(exported.Close()) })
	s, err := exported.Export(driver.HandlePosixFD)
	b.ok(err)
	imported, err = b.dev.ImportPool(s)
	b.ok(err)
	b.ok(os.NewFile(uintptr(s.FD), "pool").Close())
	b.Cleanup(func() { b.ok(imported.Close()) })
	return exported, imported
}

// Measured: unlike legacy handles.
func aPoolCanBeImportedByItsOwnProcess(b *bench) {
	exported, imported := b.shared()
	s := b.stream()
	p := b.allocate(exported, mib, s)
	b.ok(s.MemsetD8Async(p, 1, mib))
	b.done(s)
	data, err := exported.ExportPointer(p)
	b.ok(err)
	q, err := imported.ImportPointer(data)
	b.ok(err)
	if q == p {
		b.Fatalf("the imported memory has the address %v of the exported", p)
	}
	b.requireAll(q, mib, 1)
	b.ok(s.MemFreeAsync(q))
	b.done(s)
	b.requireAll(p, mib, 1)
}

// Measured. To be measured: which of the errors.
func anImportedPoolDoesNotAllocate(b *bench) {
	_, imported := b.shared()
	_, err := imported.MemAllocAsync(kib, b.stream())
	b.fails(err, api.CodeInvalidValue, api.CodeNotPermitted, api.CodeNotSupported)
}

// Measured: physical memory goes through a descriptor too.
func memoryCanBeImportedByItsOwnProcess(b *bench) {
	n := b.piece()
	ok, err := b.dev.Has(api.AttrHandleTypePosixFDSupported)
	b.ok(err)
	if !ok {
		b.Skipf("this machine has no memory that can be exported as file descriptors")
	}
	h, err := b.dev.MemCreate(n, driver.HandlePosixFD)
	b.ok(err)
	b.Cleanup(func() { b.ok(h.Release()) })
	s, err := h.Export(driver.HandlePosixFD)
	b.ok(err)
	same, err := b.dev.MemImport(s, n)
	b.ok(err)
	b.ok(os.NewFile(uintptr(s.FD), "memory").Close())
	b.Cleanup(func() { b.ok(same.Release()) })
	p := b.reserve(2 * n)
	b.mapped(p, h)
	b.mapped(p+driver.Ptr(n), same)
	b.set(p, n, 7)
	b.requireAll(p+driver.Ptr(n), n, 7)
}
