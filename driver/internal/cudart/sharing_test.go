//go:build linux && !rmm_nocuda

package cudart

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// counting is 64 bytes, each another.
func counting() (bytes [64]byte) {
	for i := range bytes {
		bytes[i] = byte(i + 1)
	}
	return bytes
}

// handleOf reads the struct that a call got by value, as this platform's C code
// would: on the stack or behind an address.
func handleOf(a arguments) (h api.IPCHandle) {
	if runtime.GOARCH != "amd64" {
		return at[api.IPCHandle](a[1])
	}
	const registers = 6
	for i := range h {
		h[i] = byte(a[registers+i/8] >> (8 * (i % 8)))
	}
	return h
}

// flagOf is the argument behind the struct.
func flagOf(a arguments) uintptr {
	if runtime.GOARCH != "amd64" {
		return a[2]
	}
	return a[1]
}

func TestIpcHandlesByValue(t *testing.T) {
	fake, d := openFake(t)
	_, err := d.IpcOpenMem(counting())
	require.NoError(t, err)
	opened := find(t, fake.take(), "cudaIpcOpenMemHandle").args
	require.Equal(t, api.IPCHandle(counting()), handleOf(opened))
	require.EqualValues(t, lazyPeerAccess, flagOf(opened))

	_, err = d.IpcOpenEvent(counting())
	require.NoError(t, err)
	require.Equal(t, api.IPCHandle(counting()), handleOf(find(t, fake.take(), "cudaIpcOpenEventHandle").args))
}

// writes64 answers by filling 64 bytes at the first argument.
func writes64(a arguments) int32 {
	for i, b := range counting() {
		*(*byte)(pointer(a[0] + uintptr(i))) = b
	}
	return api.Success
}

func TestExportedHandlesComeBack(t *testing.T) {
	fake, d := openFake(t)
	for _, name := range []string{"cudaIpcGetMemHandle", "cudaIpcGetEventHandle", "cudaMemPoolExportPointer"} {
		fake.answers[name] = writes64
	}
	memory, err := d.IpcMemHandle(0x1000)
	require.NoError(t, err)
	require.Equal(t, api.IPCHandle(counting()), memory)
	shared, err := d.IpcEventHandle(event)
	require.NoError(t, err)
	require.Equal(t, api.IPCHandle(counting()), shared)
	data, err := d.PoolExportPointer(0x1000)
	require.NoError(t, err)
	require.Equal(t, api.PoolPointer(counting()), data)
}

func TestPoolsByFileDescriptor(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cudaMemPoolExportToShareableHandle"] = func(a arguments) int32 { return poke32(a[0], 12) }
	shared, err := d.PoolExport(pool, api.HandlePosixFD)
	require.NoError(t, err)
	require.Equal(t, api.Shareable{Type: api.HandlePosixFD, FD: 12}, shared)
	_, err = d.PoolImport(shared)
	require.NoError(t, err)
	require.EqualValues(t, 12, find(t, fake.take(), "cudaMemPoolImportFromShareableHandle").args[1], "the pointer itself")
}

func TestPoolsByFabricHandle(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cudaMemPoolExportToShareableHandle"] = writes64
	shared, err := d.PoolExport(pool, api.HandleFabric)
	require.NoError(t, err)
	require.Equal(t, api.Shareable{Type: api.HandleFabric, Fabric: counting()}, shared)

	var got [64]byte
	fake.answers["cudaMemPoolImportFromShareableHandle"] = func(a arguments) int32 {
		got = at[[64]byte](a[1])
		return poke(a[0], uint64(pool))
	}
	imported, err := d.PoolImport(shared)
	require.NoError(t, err)
	require.Equal(t, pool, imported)
	require.Equal(t, counting(), got)
}

func TestPoolsRefuseOtherHandles(t *testing.T) {
	fake, d := openFake(t)
	_, err := d.PoolExport(pool, api.HandleWin32)
	require.ErrorIs(t, err, api.ErrInvalidValue)
	require.ErrorContains(t, err, "use 1 (POSIX file descriptor) or 8 (fabric)")
	_, err = d.PoolImport(api.Shareable{})
	require.ErrorIs(t, err, api.ErrInvalidValue)
	require.NotContains(t, names(fake.take()), "cudaMemPool")
}

func TestPoolImportPointerPassesTheData(t *testing.T) {
	fake, d := openFake(t)
	var got api.PoolPointer
	fake.answers["cudaMemPoolImportPointer"] = func(a arguments) int32 { got = at[api.PoolPointer](a[2]); return api.Success }
	_, err := d.PoolImportPointer(pool, counting())
	require.NoError(t, err)
	require.Equal(t, api.PoolPointer(counting()), got)
}

func TestPoolAccess(t *testing.T) {
	fake, d := openFake(t)
	type accessDesc struct{ kind, id, flags int32 }
	var set accessDesc
	fake.answers["cudaMemPoolSetAccess"] = func(a arguments) int32 { set = at[accessDesc](a[1]); return api.Success }
	require.NoError(t, d.PoolSetAccess(pool, 1, api.AccessReadWrite))
	require.Equal(t, accessDesc{kind: 1, id: 1, flags: 3}, set)

	var asked location
	fake.answers["cudaMemPoolGetAccess"] = func(a arguments) int32 {
		asked = at[location](a[2])
		return poke32(a[0], 1)
	}
	access, err := d.PoolAccess(pool, 1)
	require.NoError(t, err)
	require.Equal(t, api.AccessRead, access)
	require.Equal(t, location{1, 1}, asked)
}
