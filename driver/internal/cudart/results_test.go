//go:build linux && !rmm_nocuda

package cudart

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

func TestHandlesAndAddressesComeBack(t *testing.T) {
	fake, d := openFake(t)
	const value = 0x7f00_0000_1000
	returning := func(argument int) func(arguments) int32 {
		return func(a arguments) int32 { return poke(a[argument], value) }
	}
	for name, c := range map[string]struct {
		argument int
		do       func() (uintptr, error)
	}{
		"cudaMalloc":                    {0, func() (uintptr, error) { p, err := d.MemAlloc(1); return uintptr(p), err }},
		"cudaMallocManaged":             {0, func() (uintptr, error) { p, err := d.MemAllocManaged(1); return uintptr(p), err }},
		"cudaHostAlloc":                 {0, func() (uintptr, error) { p, err := d.MemHostAlloc(1, 0); return uintptr(p), err }},
		"cudaMallocAsync":               {0, func() (uintptr, error) { p, err := d.MemAllocAsync(1, stream); return uintptr(p), err }},
		"cudaMallocFromPoolAsync":       {0, func() (uintptr, error) { p, err := d.MemAllocFromPoolAsync(1, pool, stream); return uintptr(p), err }},
		"cudaStreamCreateWithPriority":  {0, func() (uintptr, error) { s, err := d.StreamCreate(0, 0); return uintptr(s), err }},
		"cudaEventCreateWithFlags":      {0, func() (uintptr, error) { e, err := d.EventCreate(0); return uintptr(e), err }},
		"cudaDeviceGetDefaultMemPool":   {0, func() (uintptr, error) { p, err := d.DefaultPool(); return uintptr(p), err }},
		"cudaMemPoolCreate":             {0, func() (uintptr, error) { p, err := d.PoolCreate(api.PoolProps{}); return uintptr(p), err }},
		"cudaGraphInstantiateWithFlags": {0, func() (uintptr, error) { e, err := d.GraphInstantiate(1); return uintptr(e), err }},
		"cudaStreamEndCapture":          {1, func() (uintptr, error) { g, err := d.StreamEndCapture(stream); return uintptr(g), err }},
		"cudaIpcOpenMemHandle":          {0, func() (uintptr, error) { p, err := d.IpcOpenMem(api.IPCHandle{}); return uintptr(p), err }},
		"cudaIpcOpenEventHandle":        {0, func() (uintptr, error) { e, err := d.IpcOpenEvent(api.IPCHandle{}); return uintptr(e), err }},
		"cudaMemPoolImportPointer": {0, func() (uintptr, error) {
			p, err := d.PoolImportPointer(pool, api.PoolPointer{})
			return uintptr(p), err
		}},
		"cudaStreamGetId": {1, func() (uintptr, error) { id, err := d.StreamID(stream); return uintptr(id), err }},
	} {
		fake.answers[name] = returning(c.argument)
		got, err := c.do()
		require.NoError(t, err, name)
		require.EqualValues(t, value, got, name)
	}
}

func TestNumbersComeBack(t *testing.T) {
	fake, d := openFake(t)
	require.Equal(t, api.DeviceInfo{Name: "GPU", TotalMemory: 1 << 37}, d.Info())

	least, greatest, err := d.StreamPriorities()
	require.NoError(t, err)
	require.Equal(t, [2]int{0, -5}, [2]int{least, greatest})

	fake.answers["cudaMemGetInfo"] = func(a arguments) int32 { poke(a[0], 10); return poke(a[1], 20) }
	free, total, err := d.MemInfo()
	require.NoError(t, err)
	require.Equal(t, [2]int{10, 20}, [2]int{free, total})

	fake.answers["cudaEventElapsedTime"] = func(a arguments) int32 { return poke32(a[0], 0x3fc00000) }
	ms, err := d.EventElapsed(event, event)
	require.NoError(t, err)
	require.InDelta(t, 1.5, ms, 0)

	fake.answers["cuDeviceGetAttribute"] = func(a arguments) int32 { return poke32(a[0], uint32(a[1])+uint32(a[2])) }
	value, err := d.Attribute(api.AttrMemoryPoolsSupported)
	require.NoError(t, err)
	require.Equal(t, 115, value)

	fake.answers["cudaDeviceCanAccessPeer"] = func(a arguments) int32 { return poke32(a[0], 1) }
	can, err := d.CanAccessPeer(1)
	require.NoError(t, err)
	require.True(t, can)

	const none = -2
	fake.answers["cudaMemRangeGetAttribute"] = func(a arguments) int32 { minus := int32(none); return poke32(a[0], uint32(minus)) }
	location, err := d.MemRangeAttribute(1, 1, api.RangePreferredLocation)
	require.NoError(t, err)
	require.Equal(t, none, location)
}

func TestQueriesAnswerFalseWhileWorkIsPending(t *testing.T) {
	fake, d := openFake(t)
	for name, query := range map[string]func() (bool, error){
		"cudaStreamQuery": func() (bool, error) { return d.StreamQuery(stream) },
		"cudaEventQuery":  func() (bool, error) { return d.EventQuery(event) },
	} {
		done, err := query()
		require.NoError(t, err)
		require.True(t, done)
		fake.answer(name, api.CodeNotReady)
		done, err = query()
		require.NoError(t, err)
		require.False(t, done)
		require.Zero(t, fake.leftErrors(), "not ready is remembered too, unless taken back")
	}
}

func TestPendingWorkIsAnErrorToOtherCalls(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cudaEventElapsedTime", api.CodeNotReady)
	_, err := d.EventElapsed(1, 2)
	require.ErrorIs(t, err, api.ErrNotReady)
	require.ErrorContains(t, err, "cudaEventElapsedTime")
}

func TestStreamIDNeverTouchesACapture(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cudaStreamIsCapturing"] = func(a arguments) int32 { return poke32(a[1], 1) }
	_, err := d.StreamID(stream)
	require.ErrorIs(t, err, api.ErrCapture)
	require.NotContains(t, names(fake.take()), "cudaStreamGetId")
}

// libcuda is asked; what its answers mean is package pointerquery's business.
func TestPointerInfo(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cuPointerGetAttributes"] = func(a arguments) int32 {
		return poke32(at[uintptr](a[2]), 2)
	}
	info, err := d.PointerInfo(0x1234)
	require.NoError(t, err)
	require.Equal(t, api.PointerInfo{Type: api.MemoryDevice}, info)
}

func TestPoolPropsLayout(t *testing.T) {
	props := reflect.TypeFor[poolProps]()
	require.EqualValues(t, 88, props.Size())
	var offsets []uintptr
	for field := range props.NumField() {
		offsets = append(offsets, props.Field(field).Offset)
	}
	require.Equal(t, []uintptr{0, 4, 8, 16, 24, 32, 34}, offsets)
}

func TestPoolCreateFillsTheStruct(t *testing.T) {
	fake, b := newFake(t, fakeEntries13())
	d, err := b.device(1)
	require.NoError(t, err)
	var got poolProps
	fake.answers["cudaMemPoolCreate"] = func(a arguments) int32 { got = at[poolProps](a[1]); return api.Success }
	_, err = d.PoolCreate(api.PoolProps{HandleTypes: 1, MaxSize: 1 << 30})
	require.NoError(t, err)
	require.Equal(t, poolProps{allocationType: 1, handleTypes: 1, location: location{1, 1}, maxSize: 1 << 30}, got)
}

func TestPoolAttributesOfEitherWidth(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cudaMemPoolGetAttribute"] = func(a arguments) int32 {
		if api.PoolAttribute(a[1]) < api.PoolReleaseThreshold {
			return poke32(a[2], 1)
		}
		return poke(a[2], ^uint64(0))
	}
	flag, err := d.PoolAttribute(pool, api.PoolReuseAllowOpportunistic)
	require.NoError(t, err)
	require.EqualValues(t, 1, flag)
	bytes, err := d.PoolAttribute(pool, api.PoolReleaseThreshold)
	require.NoError(t, err)
	require.Equal(t, ^uint64(0), bytes)

	var set uint64
	fake.answers["cudaMemPoolSetAttribute"] = func(a arguments) int32 { set = at[uint64](a[2]); return api.Success }
	require.NoError(t, d.PoolSetAttribute(pool, api.PoolReleaseThreshold, 1<<63))
	require.Equal(t, uint64(1<<63), set)
}

func TestFillsRefuseOtherWidths(t *testing.T) {
	fake, d := openFake(t)
	for _, err := range []error{d.Memset(1, 0, 3, 1), d.MemsetAsync(1, 0, 8, 1, stream)} {
		require.ErrorIs(t, err, api.ErrInvalidValue)
		require.ErrorContains(t, err, "use 1, 2 or 4")
	}
	require.NotContains(t, names(fake.take()), "emset")
}

func TestEmptyCopiesHaveNoAddress(t *testing.T) {
	fake, d := openFake(t)
	require.NoError(t, d.MemcpyHtoDAsync(1, nil, stream))
	require.Equal(t, []uintptr{1, 0, 0, hostToDevice, uintptr(stream)}, fake.take()[1].args[:5])
}

func TestEmptySlicesCannotBePinned(t *testing.T) {
	fake, d := openFake(t)
	require.ErrorIs(t, d.MemHostRegister(nil), api.ErrInvalidValue)
	require.ErrorIs(t, d.MemHostUnregister([]byte{}), api.ErrInvalidValue)
	require.NotContains(t, names(fake.take()), "cudaHost")
}
