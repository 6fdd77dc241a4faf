package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func (r *rig) reset() { require.NoError(r.t, r.Device.(api.Contexts).PrimaryContextReset()) }

// TestAResetTakesEverything leaves nothing for newRig to find at the end.
func TestAResetTakesEverything(t *testing.T) {
	r := newRig(t, sim.Config{MemoryPerDevice: 256 * mib})
	before := r.free()
	s, err := r.StreamCreate(0, 0)
	require.NoError(t, err)
	e, err := r.EventCreate(0)
	require.NoError(t, err)
	pool, err := r.PoolCreate(api.PoolProps{})
	require.NoError(t, err)
	p, err := r.MemAlloc(10 * mib)
	require.NoError(t, err)
	q, err := r.MemAllocFromPoolAsync(1000, pool, s)
	require.NoError(t, err)
	host, err := r.MemHostAlloc(64, 0)
	require.NoError(t, err)
	require.NoError(t, r.Device.(api.HostRegister).MemHostRegister(make([]byte, 64)))
	require.NoError(t, r.MemsetAsync(p, 1, 1, mib, s))
	r.reset()

	require.Equal(t, before, r.free())
	code(t, api.CodeInvalidHandle, "not a stream", r.StreamSynchronize(s))
	code(t, api.CodeInvalidHandle, "not an event", r.EventRecord(e, 0))
	code(t, api.CodeInvalidValue, "not the address", r.MemFree(p))
	code(t, api.CodeInvalidValue, "not the address", r.MemFreeAsync(q, 0))
	code(t, api.CodeInvalidValue, "not the address", r.MemHostFree(host))
	code(t, api.CodeInvalidValue, "not a memory pool", r.PoolTrim(pool, 0))
}

func TestTheDeviceWorksAfterAReset(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	far := r.on(1)
	kept := far.alloc(64)
	require.NoError(t, far.Memset(kept, 9, 1, 64))
	r.reset()
	p := r.alloc(64)
	s := r.stream(0)
	require.NoError(t, r.MemsetAsync(p, 5, 1, 64, s))
	require.NoError(t, r.Memset(p, 6, 1, 1))
	require.Equal(t, append([]byte{6}, repeated(5, 63)...), r.read(p, 64, 0))
	require.Equal(t, repeated(9, 64), far.read(kept, 64, 0), "other devices keep theirs")
}

func TestAResetKeepsVirtualMemory(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	p := v.reserve(1)
	h := v.create(1, 0)
	v.mapAt(p, 1, h)
	require.NoError(t, v.MemRelease(h))
	require.NoError(t, v.MemcpyHtoD(p, []byte("kept")))
	v.reset()
	require.Equal(t, []byte("kept"), v.read(p, 4, 0))
}

func TestAResetEndsImports(t *testing.T) {
	r, ipc := both(t, sim.Config{Devices: 2})
	memory, err := ipc.IpcMemHandle(r.alloc(64))
	require.NoError(t, err)
	far := r.on(1)
	q, err := far.Device.(api.IPC).IpcOpenMem(memory)
	require.NoError(t, err)
	e, err := far.EventCreate(api.EventInterprocess | api.EventDisableTiming)
	require.NoError(t, err)
	event, err := far.Device.(api.IPC).IpcEventHandle(e)
	require.NoError(t, err)
	far.reset()
	code(t, api.CodeInvalidValue, "closed before", far.Device.(api.IPC).IpcCloseMem(q))
	_, err = ipc.IpcOpenEvent(event)
	code(t, api.CodeInvalidHandle, "names nothing", err)
}

func TestAResetParts(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 3})
	peer := func(i int) api.Peer { return r.device(i).(api.Peer) }
	require.NoError(t, peer(0).EnablePeerAccess(1))
	require.NoError(t, peer(1).EnablePeerAccess(0))
	require.NoError(t, peer(2).EnablePeerAccess(1))
	r.reset()
	code(t, api.CodePeerAccessNotEnabled, "no access", peer(0).DisablePeerAccess(1))
	code(t, api.CodePeerAccessNotEnabled, "no access", peer(1).DisablePeerAccess(0))
	require.NoError(t, peer(2).DisablePeerAccess(1))
}
