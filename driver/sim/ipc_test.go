package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// both is a rig that plays the exporting and the importing process.
func both(t *testing.T, config sim.Config) (*rig, api.IPC) {
	config.SameProcessIPC = true
	r := newRig(t, config)
	return r, r.Device.(api.IPC)
}

func TestMemoryIsOpenedByItsHandle(t *testing.T) {
	r, ipc := both(t, sim.Config{})
	p := r.alloc(1000)
	h, err := ipc.IpcMemHandle(p + 10)
	require.NoError(t, err)
	q, err := ipc.IpcOpenMem(h)
	require.NoError(t, err)
	require.NotEqual(t, p, q)
	require.NoError(t, r.MemcpyHtoD(p, []byte("shared")))
	require.Equal(t, []byte("shared"), r.read(q, 6, 0))
	code(t, api.CodeInvalidValue, "nothing is mapped", r.Memset(q, 0, 1, 1001))
	code(t, api.CodeInvalidValue, "not the address", r.MemFree(q))

	again, err := ipc.IpcOpenMem(h)
	require.NoError(t, err)
	require.Equal(t, q, again)
	require.NoError(t, ipc.IpcCloseMem(q))
	require.Equal(t, []byte("shared"), r.read(q, 6, 0), "it was opened twice")
	require.NoError(t, ipc.IpcCloseMem(q))
	code(t, api.CodeInvalidValue, "closed before", ipc.IpcCloseMem(q))
	code(t, api.CodeInvalidValue, "nothing is mapped", r.Memset(q, 0, 1, 1))
}

func TestEachDeviceOpensForItself(t *testing.T) {
	r, ipc := both(t, sim.Config{Devices: 2})
	h, err := ipc.IpcMemHandle(r.alloc(64))
	require.NoError(t, err)
	q, err := ipc.IpcOpenMem(h)
	require.NoError(t, err)
	far := r.on(1)
	other, err := far.Device.(api.IPC).IpcOpenMem(h)
	require.NoError(t, err)
	require.NotEqual(t, q, other)
	require.NoError(t, far.Memset(other, 1, 1, 64))
	require.NoError(t, far.Device.(api.IPC).IpcCloseMem(other))
	require.NoError(t, ipc.IpcCloseMem(q))
}

func TestMemoryThatHasNoHandle(t *testing.T) {
	r, ipc := both(t, sim.Config{Devices: 2})
	pooled, err := r.MemAllocAsync(64, 0)
	require.NoError(t, err)
	host, _ := r.pinned(64)
	far := r.on(1).alloc(64)
	for _, p := range []api.Ptr{0, pooled, host, far} {
		_, err = ipc.IpcMemHandle(p)
		code(t, api.CodeInvalidValue, "is not memory of MemAlloc on this device", err)
	}
	require.NoError(t, r.MemFreeAsync(pooled, 0))
}

func TestHandlesOfWhatIsGone(t *testing.T) {
	r, ipc := both(t, sim.Config{})
	p, err := r.MemAlloc(64)
	require.NoError(t, err)
	h, err := ipc.IpcMemHandle(p)
	require.NoError(t, err)
	require.NoError(t, r.MemFree(p))
	_, err = ipc.IpcOpenMem(h)
	code(t, api.CodeInvalidHandle, "still allocated", err)
	require.Equal(t, p, r.alloc(64), "the address is in use again, but not for others")
	_, err = ipc.IpcOpenMem(h)
	code(t, api.CodeInvalidHandle, "still allocated", err)
	_, err = ipc.IpcOpenMem(api.IPCHandle{})
	code(t, api.CodeInvalidHandle, "names nothing", err)
}

func TestAProcessDoesNotOpenItsOwnHandles(t *testing.T) {
	r := newRig(t, sim.Config{})
	ipc := r.Device.(api.IPC)
	h, err := ipc.IpcMemHandle(r.alloc(64))
	require.NoError(t, err)
	_, err = ipc.IpcOpenMem(h)
	code(t, api.CodeInvalidContext, "SameProcessIPC", err)
	h, err = ipc.IpcEventHandle(r.event(api.EventInterprocess | api.EventDisableTiming))
	require.NoError(t, err)
	_, err = ipc.IpcOpenEvent(h)
	code(t, api.CodeInvalidContext, "in the process that exported it", err)
}

func TestEventsAreShared(t *testing.T) {
	r, ipc := both(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	e, err := r.EventCreate(api.EventInterprocess | api.EventDisableTiming)
	require.NoError(t, err)
	h, err := ipc.IpcEventHandle(e)
	require.NoError(t, err)
	opened, err := ipc.IpcOpenEvent(h)
	require.NoError(t, err)
	require.NotEqual(t, e, opened)

	release := r.hold(s)
	require.NoError(t, r.EventRecord(e, s))
	require.False(t, r.done(opened), "it stands for what the exporter recorded")
	release()
	require.NoError(t, r.EventSynchronize(opened))
	require.True(t, r.done(e))

	require.NoError(t, r.EventDestroy(e))
	again, err := ipc.IpcOpenEvent(h)
	require.NoError(t, err, "somebody still has it open")
	require.NoError(t, r.EventDestroy(again))
	require.NoError(t, r.EventDestroy(opened))
	_, err = ipc.IpcOpenEvent(h)
	code(t, api.CodeInvalidHandle, "names nothing", err)
}

func TestHandlesOfTheWrongKind(t *testing.T) {
	r, ipc := both(t, sim.Config{})
	_, err := ipc.IpcEventHandle(r.event(0))
	code(t, api.CodeInvalidHandle, "interprocess flag", err)
	memory, err := ipc.IpcMemHandle(r.alloc(64))
	require.NoError(t, err)
	_, err = ipc.IpcOpenEvent(memory)
	code(t, api.CodeInvalidHandle, "does not name an event", err)
	event, err := ipc.IpcEventHandle(r.event(api.EventInterprocess | api.EventDisableTiming))
	require.NoError(t, err)
	_, err = ipc.IpcOpenMem(event)
	code(t, api.CodeInvalidHandle, "does not name memory", err)
}

// exported is a pool made for export, as what another process imports.
func exported(r *rig, ipc api.IPC) (origin, imported api.Pool) {
	origin, err := r.PoolCreate(api.PoolProps{HandleTypes: int32(api.HandleFabric)})
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, r.PoolDestroy(origin)) })
	s, err := ipc.PoolExport(origin, api.HandleFabric)
	require.NoError(r.t, err)
	imported, err = ipc.PoolImport(s)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, r.PoolDestroy(imported)) })
	return origin, imported
}

func TestPoolsAreExportedAndImported(t *testing.T) {
	r := newRig(t, sim.Config{}) // CUDA allows this inside a process
	ipc := r.Device.(api.IPC)
	s := r.stream(api.StreamNonBlocking)
	origin, imported := exported(r, ipc)
	p, err := r.MemAllocFromPoolAsync(100, origin, s)
	require.NoError(t, err)
	data, err := ipc.PoolExportPointer(p)
	require.NoError(t, err)
	q, err := ipc.PoolImportPointer(imported, data)
	require.NoError(t, err)
	require.NotEqual(t, p, q)
	require.NoError(t, r.MemcpyHtoDAsync(p, []byte("pooled"), s))
	require.Equal(t, []byte("pooled"), r.read(q, 6, s))

	release := r.hold(s)
	require.NoError(t, r.MemsetAsync(q, 7, 1, 6, s))
	require.NoError(t, r.MemFreeAsync(q, s))
	code(t, api.CodeInvalidValue, "freed before", r.MemFreeAsync(q, s))
	release()
	require.Equal(t, repeated(7, 6), r.read(p, 6, s))
	r.sync(s)
	code(t, api.CodeInvalidValue, "nothing is mapped", r.Memset(q, 0, 1, 1))

	q, err = ipc.PoolImportPointer(imported, data)
	require.NoError(t, err)
	require.NoError(t, r.MemFree(q))
	code(t, api.CodeInvalidValue, "freed before", r.MemFree(q))
	require.NoError(t, r.MemFreeAsync(p, s))
	_, err = ipc.PoolImportPointer(imported, data)
	code(t, api.CodeInvalidValue, "does not name a live allocation", err)
}

func TestMisuseOfSharedPools(t *testing.T) {
	r := newRig(t, sim.Config{})
	ipc := r.Device.(api.IPC)
	origin, imported := exported(r, ipc)
	_, err := r.MemAllocFromPoolAsync(64, imported, 0)
	code(t, api.CodeInvalidValue, "the pool is imported", err)
	_, err = ipc.PoolExport(origin, api.HandlePosixFD)
	code(t, api.CodeInvalidValue, "was not made for handle type 1", err)
	_, err = ipc.PoolImport(api.Shareable{Type: api.HandleFabric})
	code(t, api.CodeInvalidValue, "names nothing", err)
	_, err = ipc.PoolExportPointer(r.alloc(64))
	code(t, api.CodeInvalidValue, "made for export", err)
	_, err = ipc.PoolImportPointer(origin, api.PoolPointer{})
	code(t, api.CodeInvalidValue, "does not name a live allocation", err)

	h, err := r.Device.(api.VirtualMemory).MemCreate(piece, api.HandleFabric)
	require.NoError(t, err)
	s, err := r.Device.(api.VirtualMemory).MemExport(h, api.HandleFabric)
	require.NoError(t, err)
	_, err = ipc.PoolImport(s)
	code(t, api.CodeInvalidValue, "not one of a pool", err)
	require.NoError(t, r.Device.(api.VirtualMemory).MemRelease(h))
}
