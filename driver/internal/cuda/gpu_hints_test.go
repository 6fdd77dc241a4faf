//go:build linux && !rmm_nocuda

package cuda

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

func TestHostMemoryIsRegisteredOnTheGPU(t *testing.T) {
	w := openGPU(t)
	memory := bytes.Repeat([]byte{7}, 1<<20)
	address := api.Ptr(hostAddress(memory))
	require.NoError(t, w.MemHostRegister(memory))
	info, err := w.PointerInfo(address)
	require.NoError(t, err)
	require.Equal(t, api.MemoryHost, info.Type)
	var failure *api.Error
	require.ErrorAs(t, w.MemHostRegister(memory), &failure)
	require.Equal(t, api.CodeHostMemoryRegistered, failure.Code)

	fill := kernel(t, w.device, "pattern.ptx", "fill")
	require.NoError(t, w.Launch(fill, blocks(1), w.s, arguments(t, address, uint64(1), uint32(0x04030201))))
	require.NoError(t, w.StreamSynchronize(w.s))
	require.Equal(t, []byte{1, 2, 3, 4, 7}, memory[:5], "the device wrote into the slice")

	require.NoError(t, w.MemHostUnregister(memory))
	require.Error(t, w.MemHostUnregister(memory))
	info, err = w.PointerInfo(address)
	require.NoError(t, err)
	require.Equal(t, api.MemoryUnregistered, info.Type)
}

func TestAdviceOnTheGPU(t *testing.T) {
	w := openGPU(t)
	const size = 1 << 21
	p, err := w.MemAllocManaged(size)
	require.NoError(t, err)
	ask := func(a api.RangeAttribute) int {
		value, err := w.MemRangeAttribute(p, size, a)
		require.NoError(t, err)
		return value
	}
	require.Equal(t, -2, ask(api.RangePreferredLocation), "nobody has said")
	for _, where := range []int{0, -1} {
		require.NoError(t, w.MemAdvise(p, size, api.AdviseSetPreferredLocation, where))
		require.Equal(t, where, ask(api.RangePreferredLocation))
	}
	require.NoError(t, w.MemAdvise(p, size, api.AdviseUnsetPreferredLocation, 0))
	require.Equal(t, -2, ask(api.RangePreferredLocation))

	require.Zero(t, ask(api.RangeReadMostly))
	require.NoError(t, w.MemAdvise(p, size, api.AdviseSetReadMostly, 0))
	require.Equal(t, 1, ask(api.RangeReadMostly))

	for _, where := range []int{0, -1} {
		require.NoError(t, w.PrefetchAsync(p, size, where, w.s))
		require.NoError(t, w.StreamSynchronize(w.s))
		require.Equal(t, where, ask(api.RangeLastPrefetchLocation))
	}
	require.NoError(t, w.MemFree(p))
}

func TestHintsAreForManagedMemoryOnTheGPU(t *testing.T) {
	w := openGPU(t)
	p := w.alloc(t, 4096)
	require.ErrorIs(t, w.MemAdvise(p, 4096, api.AdviseSetReadMostly, 0), api.ErrInvalidValue)
}
