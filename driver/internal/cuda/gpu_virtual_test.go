//go:build linux && !rmm_nocuda

package cuda

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// space is reserved addresses for two pieces of the granularity.
func (w work) space(t *testing.T) (p api.Ptr, piece int) {
	t.Helper()
	piece, err := w.MemGranularity(true, api.HandlePosixFD)
	require.NoError(t, err)
	p, err = w.MemAddressReserve(2*piece, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.MemAddressFree(p, 2*piece)) })
	return p, piece
}

// mapped puts memory at p until the returned function unmaps it.
func (w work) mapped(t *testing.T, p api.Ptr, piece int, h api.MemHandle) func() {
	t.Helper()
	require.NoError(t, w.MemMap(p, piece, 0, h))
	require.NoError(t, w.MemSetAccess(p, piece, 0, api.AccessReadWrite))
	return func() { require.NoError(t, w.MemUnmap(p, piece)) }
}

func TestGranularityOnTheGPU(t *testing.T) {
	w := openGPU(t)
	least, err := w.MemGranularity(false, api.HandleNone)
	require.NoError(t, err)
	best, err := w.MemGranularity(true, api.HandleNone)
	require.NoError(t, err)
	require.Positive(t, least)
	require.Zero(t, best%least)
}

func TestMemoryKeepsItsDataWhereverItIsMappedOnTheGPU(t *testing.T) {
	w := openGPU(t)
	p, piece := w.space(t)
	h, err := w.MemCreate(piece, api.HandleNone)
	require.NoError(t, err)
	data := bytes.Repeat([]byte("kept "), 1000)

	unmap := w.mapped(t, p, piece, h)
	w.put(t, p+64, data)
	unmap()
	unmap = w.mapped(t, p+api.Ptr(piece), piece, h)
	require.Equal(t, data, w.get(t, p+api.Ptr(piece)+64, len(data)))
	unmap()
	require.NoError(t, w.MemRelease(h))
}

func TestMemoryCanHaveTwoAddressesOnTheGPU(t *testing.T) {
	w := openGPU(t)
	p, piece := w.space(t)
	h, err := w.MemCreate(piece, api.HandleNone)
	require.NoError(t, err)
	defer w.mapped(t, p, piece, h)()
	defer w.mapped(t, p+api.Ptr(piece), piece, h)()
	require.NoError(t, w.MemRelease(h), "the mappings keep the memory")
	w.put(t, p, []byte("alias"))
	require.Equal(t, []byte("alias"), w.get(t, p+api.Ptr(piece), 5))
}

func TestMemoryIsSharedThroughAFileDescriptorOnTheGPU(t *testing.T) {
	w := openGPU(t)
	p, piece := w.space(t)
	h, err := w.MemCreate(piece, api.HandlePosixFD)
	require.NoError(t, err)
	s, err := w.MemExport(h, api.HandlePosixFD)
	require.NoError(t, err)
	require.Positive(t, s.FD)
	imported, err := w.MemImport(s)
	require.NoError(t, err)
	require.NoError(t, syscall.Close(s.FD))

	unmap := w.mapped(t, p, piece, h)
	w.put(t, p, []byte("shared"))
	unmap()
	unmap = w.mapped(t, p, piece, imported)
	require.Equal(t, []byte("shared"), w.get(t, p, 6))
	unmap()
	require.NoError(t, w.MemRelease(h))
	require.NoError(t, w.MemRelease(imported))
}

func TestMisuseOfVirtualMemoryOnTheGPU(t *testing.T) {
	w := openGPU(t)
	p, piece := w.space(t)
	_, err := w.MemCreate(piece+1, api.HandleNone)
	require.ErrorIs(t, err, api.ErrInvalidValue, "not a multiple of the granularity")
	require.NoError(t, w.MemUnmap(p, piece), "the driver does not mind that nothing is mapped")
	h, err := w.MemCreate(piece, api.HandleNone)
	require.NoError(t, err)
	_, err = w.MemExport(h, api.HandlePosixFD)
	require.Error(t, err, "it was not created for that")
	unmap := w.mapped(t, p, piece, h)
	require.Error(t, w.MemMap(p, piece, 0, h), "the place is taken")
	unmap()
	require.NoError(t, w.MemRelease(h))
}

func TestMemoryIsBoundedByTheDeviceOnTheGPU(t *testing.T) {
	w := openGPU(t)
	piece, err := w.MemGranularity(true, api.HandleNone)
	require.NoError(t, err)
	_, err = w.MemCreate((w.Info().TotalMemory/piece+1)*piece, api.HandleNone)
	require.ErrorIs(t, err, api.ErrOutOfMemory)
}
