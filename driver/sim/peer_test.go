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
	code(t, 217, "no peer of itself", r.peer().EnablePeerAccess(0))
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
		r.on(1).reset()
	}
	return err
}

// plainMemory, pooledMemory and mappedMemory are 64 bytes or more of a device. free
// gives them back where no reset has.
func plainMemory(v vm) (p api.Ptr, free func() error) {
	p, err := v.MemAlloc(64)
	require.NoError(v.t, err)
	return p, func() error { return v.MemFree(p) }
}

func pooledMemory(v vm) (p api.Ptr, free func() error) {
	p, err := v.MemAllocAsync(64, 0)
	require.NoError(v.t, err)
	return p, func() error { return v.MemFreeAsync(p, 0) }
}

func mappedMemory(v vm) (p api.Ptr, free func() error) {
	p, h := v.reserve(1), v.create(1, 0)
	v.mapAt(p, 1, h)
	require.NoError(v.t, v.MemRelease(h))
	return p, func() error { return nil } // no reset takes it
}

// TestWhatKernelsReachOnAPeer: neither memory of pools nor virtual memory
// follows the access between contexts.
func TestWhatKernelsReachOnAPeer(t *testing.T) {
	nothing := func(*rig, api.Ptr) error { return nil }
	context := func(r *rig, _ api.Ptr) error { return r.peer().EnablePeerAccess(1) }
	pool := func(access api.Access) func(*rig, api.Ptr) error {
		return func(r *rig, _ api.Ptr) error { return r.on(1).peer().PoolSetAccess(r.on(1).defaultPool(), 0, access) }
	}
	mapping := func(r *rig, p api.Ptr) error { return newVM(r.on(1)).MemSetAccess(p, piece, 0, api.AccessReadWrite) }
	for name, c := range map[string]struct {
		memory func(vm) (api.Ptr, func() error)
		permit func(*rig, api.Ptr) error
		fault  string // none if it is empty
	}{
		"plain memory":                      {plainMemory, nothing, "EnablePeerAccess"},
		"plain memory between contexts":     {plainMemory, context, ""},
		"memory of a pool between contexts": {pooledMemory, context, "PoolSetAccess"},
		"memory of a pool that may be read": {pooledMemory, pool(api.AccessRead), "PoolSetAccess"},
		"memory of a pool that may be used": {pooledMemory, pool(api.AccessReadWrite), ""},
		"mapped memory between contexts":    {mappedMemory, context, "MemSetAccess does not let device 0"},
		"mapped memory that may be used":    {mappedMemory, mapping, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sim.Config{Devices: 2})
			far := newVM(r.on(1))
			p, free := c.memory(far)
			require.NoError(t, c.permit(r, p))
			err := r.touches(p)
			if c.fault != "" {
				code(t, api.CodeIllegalAddress, c.fault, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []byte{7, 0, 0, 0}, far.read(p, 4, 0))
			require.NoError(t, free())
		})
	}
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
