//go:build linux && !rmm_nocuda

package cuda

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// structArgument is the 64-byte struct that C gets by value as the second
// parameter, and the argument that follows it.
func structArgument(a fakeArgs) (value [64]byte, next uintptr) {
	if runtime.GOARCH == "amd64" {
		return *(*[64]byte)(unsafe.Pointer(&a[6])), a[1]
	}
	return at[[64]byte](a[1]), a[2]
}

func TestIPCHandlesAreOpenedByValue(t *testing.T) {
	fake, d := openFake(t)
	var got [64]byte
	var flags uintptr
	fake.answers["cuIpcOpenMemHandle"] = func(a fakeArgs) int32 {
		got, flags = structArgument(a)
		return poke(a[0], 0x7f00_0000_0000)
	}
	p, err := d.IpcOpenMem(fabric())
	require.NoError(t, err)
	require.Equal(t, api.Ptr(0x7f00_0000_0000), p)
	require.Equal(t, fabric(), got)
	require.EqualValues(t, 1, flags, "CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS")

	fake.answers["cuIpcOpenEventHandle"] = func(a fakeArgs) int32 {
		got, _ = structArgument(a)
		return poke(a[0], uint64(event))
	}
	e, err := d.IpcOpenEvent(api.IPCHandle{63: 9})
	require.NoError(t, err)
	require.Equal(t, event, e)
	require.Equal(t, [64]byte{63: 9}, got)
}

func TestIPCHandlesComeBack(t *testing.T) {
	fake, d := openFake(t)
	for _, name := range []string{"cuIpcGetMemHandle", "cuIpcGetEventHandle", "cuMemPoolExportPointer"} {
		write(fake, name, 0, fabric())
	}
	h, err := d.IpcMemHandle(0x1000)
	require.NoError(t, err)
	require.Equal(t, api.IPCHandle(fabric()), h)
	h, err = d.IpcEventHandle(event)
	require.NoError(t, err)
	require.Equal(t, api.IPCHandle(fabric()), h)
	data, err := d.PoolExportPointer(0x1000)
	require.NoError(t, err)
	require.Equal(t, api.PoolPointer(fabric()), data)
}

func TestPoolPointersArePassedByAddress(t *testing.T) {
	fake, d := openFake(t)
	got := remember[[64]byte](fake, "cuMemPoolImportPointer", 2)
	_, err := d.PoolImportPointer(pool, fabric())
	require.NoError(t, err)
	require.Equal(t, fabric(), *got)
}

func TestOpeningOnesOwnHandleIsExplained(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuIpcOpenMemHandle", api.CodeInvalidContext)
	p, err := d.IpcOpenMem(api.IPCHandle{})
	require.ErrorIs(t, err, api.ErrInvalidContext)
	require.ErrorContains(t, err, "cannot be opened in the process that exported it")
	require.Zero(t, p)

	fake.answer("cuIpcOpenMemHandle", api.CodeInvalidValue)
	_, err = d.IpcOpenMem(api.IPCHandle{})
	require.ErrorIs(t, err, api.ErrInvalidValue)
	require.NotContains(t, err.Error(), "exported it")
}
