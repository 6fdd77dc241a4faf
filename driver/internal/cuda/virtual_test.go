//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

func TestVirtualMemoryLayouts(t *testing.T) {
	requireOffsets[allocationProp](t, 32, 0, 4, 8, 16, 24)
	requireOffsets[memLocation](t, 8, 0, 4)
	requireOffsets[accessDesc](t, 12, 0, 8)
}

func TestMemCreateAsksForMemoryOfItsDevice(t *testing.T) {
	fake, b := newFake(t)
	d, err := b.device(1)
	require.NoError(t, err)
	got := remember[allocationProp](fake, "cuMemCreate", 2)
	_, err = d.MemCreate(1<<21, api.HandlePosixFD|api.HandleFabric)
	require.NoError(t, err)
	require.Equal(t, allocationProp{allocationType: 1, handleTypes: 9, location: memLocation{kind: 1, id: 1}}, *got)
}

func TestMemGranularity(t *testing.T) {
	fake, d := openFake(t)
	write(fake, "cuMemGetAllocationGranularity", 0, uint64(2<<20))
	size, err := d.MemGranularity(false, api.HandleNone)
	require.NoError(t, err)
	require.Equal(t, 2<<20, size)
	require.Zero(t, fake.take()[0].args[2], "CU_MEM_ALLOC_GRANULARITY_MINIMUM")
}

func TestMemSetAccessNamesTheDevice(t *testing.T) {
	fake, d := openFake(t)
	got := remember[accessDesc](fake, "cuMemSetAccess", 2)
	require.NoError(t, d.MemSetAccess(0x1000, 1<<21, 1, api.AccessReadWrite))
	require.Equal(t, accessDesc{location: memLocation{kind: 1, id: 1}, flags: 3}, *got)
	require.ErrorIs(t, d.MemSetAccess(0x1000, 1<<21, 7, api.AccessRead), api.ErrInvalidDevice)
}

func TestVirtualMemoryNeedsNoContext(t *testing.T) {
	fake, d := openFake(t)
	onForeignThread(t, fake, func() {
		h, err := d.MemCreate(1<<21, api.HandleNone)
		require.NoError(t, err)
		require.NoError(t, d.MemMap(0x1000, 1<<21, 0, h))
		require.NoError(t, d.MemUnmap(0x1000, 1<<21))
	})
	require.Equal(t, "cuMemCreate cuMemMap cuMemUnmap", names(fake.take()))
}

func TestResultsOfVirtualMemory(t *testing.T) {
	fake, d := openFake(t)
	write(fake, "cuMemAddressReserve", 0, uint64(0x7f00_0000_0000))
	p, err := d.MemAddressReserve(1<<30, 0)
	require.NoError(t, err)
	require.Equal(t, api.Ptr(0x7f00_0000_0000), p)
	write(fake, "cuMemCreate", 0, uint64(physical))
	h, err := d.MemCreate(1<<21, api.HandleNone)
	require.NoError(t, err)
	require.Equal(t, physical, h)
}
