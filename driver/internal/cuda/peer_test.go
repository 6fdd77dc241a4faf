//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

func TestCanAccessPeer(t *testing.T) {
	fake, d := openFake(t)
	for answer, want := range map[int32]bool{0: false, 1: true} {
		write(fake, "cuDeviceCanAccessPeer", 0, answer)
		can, err := d.CanAccessPeer(1)
		require.NoError(t, err)
		require.Equal(t, want, can)
	}
}

func TestPeerAccessIsTheDevicesOwn(t *testing.T) {
	fake, d := openFake(t)
	require.NoError(t, d.EnablePeerAccess(1))
	c := fake.takeCall(t, "cuCtxEnablePeerAccess")
	require.Equal(t, contextOf(0), c.current, "who reaches")
	require.Equal(t, contextOf(1), c.args[0], "who is reached")
}

func TestPeersThatDoNotExist(t *testing.T) {
	_, d := openFake(t)
	_, canErr := d.CanAccessPeer(7)
	_, poolErr := d.PoolAccess(pool, 7)
	for _, err := range []error{canErr, poolErr, d.EnablePeerAccess(7), d.DisablePeerAccess(-1), d.PoolSetAccess(pool, 7, api.AccessRead)} {
		require.ErrorIs(t, err, api.ErrInvalidDevice)
	}
}

func TestPoolAccess(t *testing.T) {
	fake, d := openFake(t)
	set := remember[accessDesc](fake, "cuMemPoolSetAccess", 1)
	require.NoError(t, d.PoolSetAccess(pool, 1, api.AccessReadWrite))
	require.Equal(t, accessDesc{location: memLocation{kind: 1, id: 1}, flags: 3}, *set)

	var asked memLocation
	fake.answers["cuMemPoolGetAccess"] = func(a fakeArgs) int32 {
		asked = at[memLocation](a[2])
		return poke32(a[0], uint32(api.AccessRead))
	}
	access, err := d.PoolAccess(pool, 1)
	require.NoError(t, err)
	require.Equal(t, api.AccessRead, access)
	require.Equal(t, memLocation{kind: 1, id: 1}, asked)
}
