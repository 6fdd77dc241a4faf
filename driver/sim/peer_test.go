package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func (r *rig) peer() api.Peer { return r.Device.(api.Peer) }

func TestPeerAccess(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 3, PeerAccess: func(device, peer int) bool { return device+peer != 2 }})
	for other, want := range []bool{false, true, false} {
		can, err := r.peer().CanAccessPeer(other)
		require.NoError(t, err)
		require.Equal(t, want, can)
	}
	_, err := r.peer().CanAccessPeer(3)
	code(t, api.CodeInvalidDevice, "there are 3", err)
	code(t, api.CodeInvalidDevice, "no peer of itself", r.peer().EnablePeerAccess(0))
	code(t, 217, "cannot reach device 2", r.peer().EnablePeerAccess(2))
	code(t, api.CodeInvalidDevice, "there are 3", r.peer().EnablePeerAccess(-1))
	code(t, api.CodePeerAccessNotEnabled, "has no access", r.peer().DisablePeerAccess(1))
	require.NoError(t, r.peer().EnablePeerAccess(1))
	code(t, api.CodePeerAccessEnabled, "already", r.peer().EnablePeerAccess(1))
	code(t, api.CodePeerAccessNotEnabled, "has no access", r.on(1).peer().DisablePeerAccess(0))
	require.NoError(t, r.peer().DisablePeerAccess(1))
}

func TestPoolAccess(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 3, PeerAccess: func(device, peer int) bool { return device+peer != 2 }})
	pool, err := r.DefaultPool()
	require.NoError(t, err)
	access := func(device int) api.Access {
		a, err := r.peer().PoolAccess(pool, device)
		require.NoError(t, err)
		return a
	}
	require.Equal(t, api.AccessReadWrite, access(0))
	require.Equal(t, api.AccessNone, access(1))
	require.NoError(t, r.peer().PoolSetAccess(pool, 1, api.AccessRead))
	require.Equal(t, api.AccessRead, access(1))
	require.NoError(t, r.peer().PoolSetAccess(pool, 1, api.AccessNone))
	require.Equal(t, api.AccessNone, access(1))
	code(t, api.CodeInvalidValue, "keeps its access", r.peer().PoolSetAccess(pool, 0, api.AccessNone))
	code(t, api.CodeInvalidDevice, "no peers", r.peer().PoolSetAccess(pool, 2, api.AccessRead))
	code(t, api.CodeInvalidValue, "use 0 (none)", r.peer().PoolSetAccess(pool, 1, 7))
	_, err = r.peer().PoolAccess(pool, 3)
	code(t, api.CodeInvalidDevice, "there are 3", err)
}

// touches runs a kernel on device 0 that writes to p, and returns its fault, if
// any, which it makes good.
func (r *rig) touches(p api.Ptr) error {
	launch := r.kernel(func(k *sim.Kernel) { sim.Store(k, p, int32(7)) })
	require.NoError(r.t, launch(0))
	err := r.StreamSynchronize(0)
	if err != nil {
		r.reset()
	}
	return err
}

// TestWhatKernelsReachOnAPeer: neither memory of pools nor virtual memory
// follows the access between contexts.
func TestWhatKernelsReachOnAPeer(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	far := newVM(r.on(1))
	plain := far.alloc(64)
	pooled, err := far.MemAllocAsync(64, 0)
	require.NoError(t, err)
	mapped := far.reserve(1)
	h := far.create(1, 0)
	far.mapAt(mapped, 1, h)
	require.NoError(t, far.MemRelease(h))

	code(t, api.CodeIllegalAddress, "EnablePeerAccess", r.touches(plain))
	require.NoError(t, r.peer().EnablePeerAccess(1))
	require.NoError(t, r.touches(plain))
	code(t, api.CodeIllegalAddress, "PoolSetAccess", r.touches(pooled))
	pool, err := far.DefaultPool()
	require.NoError(t, err)
	require.NoError(t, far.peer().PoolSetAccess(pool, 0, api.AccessRead))
	code(t, api.CodeIllegalAddress, "PoolSetAccess", r.touches(pooled))
	require.NoError(t, far.peer().PoolSetAccess(pool, 0, api.AccessReadWrite))
	require.NoError(t, r.touches(pooled))
	code(t, api.CodeIllegalAddress, "MemSetAccess does not let device 0", r.touches(mapped))
	require.NoError(t, far.MemSetAccess(mapped, piece, 0, api.AccessReadWrite))
	require.NoError(t, r.touches(mapped))
	for _, p := range []api.Ptr{plain, pooled, mapped} {
		require.Equal(t, []byte{7, 0, 0, 0}, far.read(p, 4, 0))
	}
	require.NoError(t, far.MemFreeAsync(pooled, 0))
}

func TestVirtualMemoryNeedsAPath(t *testing.T) {
	v := newVM(newRig(t, sim.Config{Devices: 2, PeerAccess: func(int, int) bool { return false }}))
	p := v.reserve(1)
	h := v.create(1, 0)
	v.mapAt(p, 1, h)
	require.NoError(t, v.MemRelease(h))
	code(t, api.CodeInvalidDevice, "no peers", v.MemSetAccess(p, piece, 1, api.AccessRead))
}

// TestPeerCopiesSeeMemoryAsItsDeviceDoes: a copy between devices needs no peer
// access.
func TestPeerCopiesSeeMemoryAsItsDeviceDoes(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	far := newVM(r.on(1))
	mapped := far.reserve(1)
	h := far.create(1, 0)
	far.mapAt(mapped, 1, h)
	require.NoError(t, far.MemRelease(h))
	p := r.alloc(64)
	require.NoError(t, far.MemcpyHtoD(mapped, []byte("far")))
	code(t, api.CodeInvalidValue, "MemSetAccess does not let device 0", r.MemcpyDtoD(p, mapped, 3))
	require.NoError(t, r.MemcpyPeerAsync(p, 0, mapped, 1, 3, 0))
	require.Equal(t, []byte("far"), r.read(p, 3, 0))
}
