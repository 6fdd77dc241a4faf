//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// reads copies n words at p with a kernel of w's device, which needs access to
// them, and returns the copy.
func (w work) reads(t *testing.T, p api.Ptr, n int) []float32 {
	t.Helper()
	add := kernel(t, w.device, "vecadd.ptx", "vecadd")
	zero := w.alloc(t, 4*n)
	w.put(t, zero, make([]byte, 4*n))
	sum := w.alloc(t, 4*n)
	require.NoError(t, w.Launch(add, blocks(n), w.s, arguments(t, sum, p, zero, uint32(n))))
	return floatsIn(t, w.get(t, sum, 4*n))
}

func TestADeviceIsNoPeerOfItselfOnTheGPU(t *testing.T) {
	w := openGPU(t)
	can, err := w.CanAccessPeer(0)
	require.NoError(t, err)
	require.False(t, can)
	require.Error(t, w.EnablePeerAccess(0))
}

func TestAPoolBelongsToItsDeviceOnTheGPU(t *testing.T) {
	w := openGPU(t)
	pool, err := w.PoolCreate(api.PoolProps{})
	require.NoError(t, err)
	access, err := w.PoolAccess(pool, 0)
	require.NoError(t, err)
	require.Equal(t, api.AccessReadWrite, access)
	require.NoError(t, w.PoolDestroy(pool))
}

func TestPlainMemoryOfAPeerOnTheGPU(t *testing.T) {
	w := openGPU(t)
	other := w.openPeer(t)
	can, err := w.CanAccessPeer(1)
	require.NoError(t, err)
	if !can {
		t.Skip("this machine has devices that are no peers")
	}
	require.NoError(t, w.EnablePeerAccess(1))
	var failure *api.Error
	require.ErrorAs(t, w.EnablePeerAccess(1), &failure)
	require.Equal(t, api.CodePeerAccessEnabled, failure.Code)

	p, err := other.MemAlloc(64)
	require.NoError(t, err)
	require.NoError(t, other.MemcpyHtoD(p, floats([]float32{1, 2, 3})))
	require.Equal(t, []float32{1, 2, 3}, w.reads(t, p, 3))
	require.NoError(t, other.MemFree(p))

	require.NoError(t, w.DisablePeerAccess(1))
	require.ErrorAs(t, w.DisablePeerAccess(1), &failure)
	require.Equal(t, api.CodePeerAccessNotEnabled, failure.Code)
}

func TestPoolMemoryOfAPeerOnTheGPU(t *testing.T) {
	w := openGPU(t)
	other := w.openPeer(t)
	if can, err := w.CanAccessPeer(1); err != nil || !can {
		t.Skip("this machine has devices that are no peers")
	}
	pool, err := other.PoolCreate(api.PoolProps{})
	require.NoError(t, err)
	access, err := other.PoolAccess(pool, 0)
	require.NoError(t, err)
	require.Equal(t, api.AccessNone, access)
	require.NoError(t, other.PoolSetAccess(pool, 0, api.AccessReadWrite))
	access, err = other.PoolAccess(pool, 0)
	require.NoError(t, err)
	require.Equal(t, api.AccessReadWrite, access)

	s, err := other.StreamCreate(api.StreamNonBlocking, 0)
	require.NoError(t, err)
	p, err := other.MemAllocFromPoolAsync(64, pool, s)
	require.NoError(t, err)
	require.NoError(t, other.MemcpyHtoDAsync(p, floats([]float32{4, 5}), s))
	require.NoError(t, other.StreamSynchronize(s))
	require.Equal(t, []float32{4, 5}, w.reads(t, p, 2))
	require.NoError(t, other.MemFreeAsync(p, s))
	require.NoError(t, other.StreamSynchronize(s))
	require.NoError(t, other.StreamDestroy(s))
	require.NoError(t, other.PoolDestroy(pool))
}

func TestVirtualMemoryOfAPeerOnTheGPU(t *testing.T) {
	w := openGPU(t)
	w.openPeer(t)
	p, piece := w.space(t)
	other, err := w.b.device(1)
	require.NoError(t, err)
	h, err := other.MemCreate(piece, api.HandleNone)
	require.NoError(t, err)
	require.NoError(t, other.MemMap(p, piece, 0, h))
	for ordinal := range 2 {
		require.NoError(t, other.MemSetAccess(p, piece, ordinal, api.AccessReadWrite))
	}
	require.NoError(t, other.MemcpyHtoD(p, floats([]float32{6, 7})))
	require.Equal(t, []float32{6, 7}, w.reads(t, p, 2))
	require.NoError(t, other.MemUnmap(p, piece))
	require.NoError(t, other.MemRelease(h))
}
