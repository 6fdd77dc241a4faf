//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// fabric is a handle whose byte i is i+1.
func fabric() (f [64]byte) {
	for i := range f {
		f[i] = byte(i + 1)
	}
	return f
}

func TestExportOfAFileDescriptor(t *testing.T) {
	fake, d := openFake(t)
	write(fake, "cuMemExportToShareableHandle", 0, int32(42))
	s, err := d.MemExport(physical, api.HandlePosixFD)
	require.NoError(t, err)
	require.Equal(t, api.Shareable{Type: api.HandlePosixFD, FD: 42}, s)
}

func TestExportOfAFabricHandle(t *testing.T) {
	fake, d := openFake(t)
	write(fake, "cuMemPoolExportToShareableHandle", 0, fabric())
	s, err := d.PoolExport(pool, api.HandleFabric)
	require.NoError(t, err)
	require.Equal(t, api.Shareable{Type: api.HandleFabric, Fabric: fabric()}, s)
}

func TestImportTakesADescriptorByValueAndAFabricHandleByAddress(t *testing.T) {
	fake, d := openFake(t)
	write(fake, "cuMemPoolImportFromShareableHandle", 0, uint64(pool))
	p, err := d.PoolImport(api.Shareable{Type: api.HandlePosixFD, FD: 42})
	require.NoError(t, err)
	require.Equal(t, pool, p)
	require.EqualValues(t, 42, fake.take()[0].args[1])

	got := remember[[64]byte](fake, "cuMemImportFromShareableHandle", 1)
	_, err = d.MemImport(api.Shareable{Type: api.HandleFabric, Fabric: fabric()})
	require.NoError(t, err)
	require.Equal(t, fabric(), *got)
}

func TestFailedExportsGiveNothing(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuMemExportToShareableHandle", api.CodeNotSupported)
	for _, kind := range []api.HandleType{api.HandlePosixFD, api.HandleFabric} {
		s, err := d.MemExport(physical, kind)
		require.ErrorIs(t, err, api.ErrNotSupported)
		require.Zero(t, s)
	}
}

func TestOtherHandleTypesCannotBeShared(t *testing.T) {
	fake, d := openFake(t)
	for _, kind := range []api.HandleType{api.HandleNone, api.HandleWin32, api.HandlePosixFD | api.HandleFabric} {
		_, err := d.MemExport(physical, kind)
		require.ErrorIs(t, err, api.ErrInvalidValue)
		require.ErrorContains(t, err, "use a POSIX file descriptor (1) or a fabric handle (8)")
		_, err = d.PoolImport(api.Shareable{Type: kind})
		require.ErrorIs(t, err, api.ErrInvalidValue)
	}
	require.NotContains(t, names(fake.take()), "Shareable")
}
