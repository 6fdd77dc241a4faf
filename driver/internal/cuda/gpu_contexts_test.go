//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDeviceWorksAfterAResetOnTheGPU(t *testing.T) {
	b, err := Open(Options{})
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	d, err := b.(*backend).device(0)
	require.NoError(t, err)
	lost, err := d.MemAlloc(1 << 30)
	require.NoError(t, err)
	before, _, err := d.MemInfo()
	require.NoError(t, err)
	require.NoError(t, d.PrimaryContextReset())

	after, _, err := d.MemInfo()
	require.NoError(t, err)
	require.GreaterOrEqual(t, after-before, 1<<29, "the memory is the device's again")
	require.Error(t, d.MemFree(lost))
	p, err := d.MemAlloc(64)
	require.NoError(t, err)
	require.NoError(t, d.Memset(p, 1, 1, 64))
	require.NoError(t, d.Synchronize())
	require.NoError(t, d.MemFree(p))
	require.NoError(t, b.Close())
}
