//go:build linux && !rmm_nocuda

package cuda

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// out stands for the address of a result, any value.
const out = ^uintptr(0)

const (
	stream = api.Stream(0x5100)
	event  = api.Event(0xe0)
	pool   = api.Pool(0xb0)
)

// backendCall is a call of the backend and the driver's call it must become.
type backendCall struct {
	name string
	want []uintptr // as cuda.h orders them
	do   func(*device) error
}

// everyCall lists one call for each function that works on a device.
func everyCall() []backendCall {
	return slices.Concat(coreCalls(), virtualCalls(), sharingCalls(), hintCalls(), kernelCalls(), graphCalls())
}

func coreCalls() []backendCall {
	host := []byte("host")
	at := loader.AddressOf(&host[0])
	return []backendCall{
		{"cuStreamCreateWithPriority", []uintptr{out, 1, ^uintptr(2)}, func(d *device) error { _, err := d.StreamCreate(api.StreamNonBlocking, -3); return err }},
		{"cuStreamDestroy", []uintptr{uintptr(stream)}, func(d *device) error { return d.StreamDestroy(stream) }},
		{"cuStreamQuery", []uintptr{uintptr(stream)}, func(d *device) error { _, err := d.StreamQuery(stream); return err }},
		{"cuStreamSynchronize", []uintptr{uintptr(stream)}, func(d *device) error { return d.StreamSynchronize(stream) }},
		{"cuStreamWaitEvent", []uintptr{uintptr(stream), uintptr(event), 0}, func(d *device) error { return d.StreamWaitEvent(stream, event) }},
		{"cuStreamGetId", []uintptr{uintptr(stream), out}, func(d *device) error { _, err := d.StreamID(stream); return err }},
		{"cuEventCreate", []uintptr{out, 2}, func(d *device) error { _, err := d.EventCreate(api.EventDisableTiming); return err }},
		{"cuEventDestroy", []uintptr{uintptr(event)}, func(d *device) error { return d.EventDestroy(event) }},
		{"cuEventRecord", []uintptr{uintptr(event), uintptr(stream)}, func(d *device) error { return d.EventRecord(event, stream) }},
		{"cuEventQuery", []uintptr{uintptr(event)}, func(d *device) error { _, err := d.EventQuery(event); return err }},
		{"cuEventSynchronize", []uintptr{uintptr(event)}, func(d *device) error { return d.EventSynchronize(event) }},
		{"cuEventElapsedTime", []uintptr{out, 1, 2}, func(d *device) error { _, err := d.EventElapsed(1, 2); return err }},
		{"cuMemAlloc", []uintptr{out, 4096}, func(d *device) error { _, err := d.MemAlloc(4096); return err }},
		{"cuMemFree", []uintptr{0x1000}, func(d *device) error { return d.MemFree(0x1000) }},
		{"cuMemAllocManaged", []uintptr{out, 4096, 1}, func(d *device) error { _, err := d.MemAllocManaged(4096); return err }},
		{"cuMemHostAlloc", []uintptr{out, 4096, 5}, func(d *device) error {
			_, err := d.MemHostAlloc(4096, api.HostPortable|api.HostWriteCombined)
			return err
		}},
		{"cuMemFreeHost", []uintptr{0x1000}, func(d *device) error { return d.MemHostFree(0x1000) }},
		{"cuMemAllocAsync", []uintptr{out, 256, uintptr(stream)}, func(d *device) error { _, err := d.MemAllocAsync(256, stream); return err }},
		{"cuMemAllocFromPoolAsync", []uintptr{out, 256, uintptr(pool), uintptr(stream)}, func(d *device) error { _, err := d.MemAllocFromPoolAsync(256, pool, stream); return err }},
		{"cuMemFreeAsync", []uintptr{0x1000, uintptr(stream)}, func(d *device) error { return d.MemFreeAsync(0x1000, stream) }},
		{"cuDeviceGetDefaultMemPool", []uintptr{out, 0}, func(d *device) error { _, err := d.DefaultPool(); return err }},
		{"cuMemPoolDestroy", []uintptr{uintptr(pool)}, func(d *device) error { return d.PoolDestroy(pool) }},
		{"cuMemPoolGetAttribute", []uintptr{uintptr(pool), 6, out}, func(d *device) error { _, err := d.PoolAttribute(pool, api.PoolReservedHigh); return err }},
		{"cuMemPoolSetAttribute", []uintptr{uintptr(pool), 4, out}, func(d *device) error { return d.PoolSetAttribute(pool, api.PoolReleaseThreshold, 1) }},
		{"cuMemPoolTrimTo", []uintptr{uintptr(pool), 1 << 20}, func(d *device) error { return d.PoolTrim(pool, 1<<20) }},
		{"cuMemcpyHtoD", []uintptr{0x1000, at, 4}, func(d *device) error { return d.MemcpyHtoD(0x1000, host) }},
		{"cuMemcpyDtoH", []uintptr{at, 0x1000, 4}, func(d *device) error { return d.MemcpyDtoH(host, 0x1000) }},
		{"cuMemcpyDtoD", []uintptr{0x2000, 0x1000, 7}, func(d *device) error { return d.MemcpyDtoD(0x2000, 0x1000, 7) }},
		{"cuMemcpyHtoDAsync", []uintptr{0x1000, at, 4, uintptr(stream)}, func(d *device) error { return d.MemcpyHtoDAsync(0x1000, host, stream) }},
		{"cuMemcpyDtoHAsync", []uintptr{at, 0x1000, 4, uintptr(stream)}, func(d *device) error { return d.MemcpyDtoHAsync(host, 0x1000, stream) }},
		{"cuMemcpyDtoDAsync", []uintptr{0x2000, 0x1000, 7, uintptr(stream)}, func(d *device) error { return d.MemcpyDtoDAsync(0x2000, 0x1000, 7, stream) }},
		{"cuMemcpyPeerAsync", []uintptr{0x2000, contextOf(1), 0x1000, contextOf(0), 7, uintptr(stream)}, func(d *device) error { return d.MemcpyPeerAsync(0x2000, 1, 0x1000, 0, 7, stream) }},
		{"cuMemsetD8", []uintptr{0x1000, 9, 7}, func(d *device) error { return d.Memset(0x1000, 9, 1, 7) }},
		{"cuMemsetD16", []uintptr{0x1000, 9, 7}, func(d *device) error { return d.Memset(0x1000, 9, 2, 7) }},
		{"cuMemsetD32", []uintptr{0x1000, 9, 7}, func(d *device) error { return d.Memset(0x1000, 9, 4, 7) }},
		{"cuMemsetD8Async", []uintptr{0x1000, 9, 7, uintptr(stream)}, func(d *device) error { return d.MemsetAsync(0x1000, 9, 1, 7, stream) }},
		{"cuMemsetD16Async", []uintptr{0x1000, 9, 7, uintptr(stream)}, func(d *device) error { return d.MemsetAsync(0x1000, 9, 2, 7, stream) }},
		{"cuMemsetD32Async", []uintptr{0x1000, 9, 7, uintptr(stream)}, func(d *device) error { return d.MemsetAsync(0x1000, 9, 4, 7, stream) }},
		{"cuMemPrefetchAsync", []uintptr{0x1000, 64, 1, uintptr(stream)}, func(d *device) error { return d.PrefetchAsync(0x1000, 64, 1, stream) }},
		{"cuDeviceGetAttribute", []uintptr{out, 115, 0}, func(d *device) error { _, err := d.Attribute(api.AttrMemoryPoolsSupported); return err }},
		{"cuMemGetInfo", []uintptr{out, out}, func(d *device) error { _, _, err := d.MemInfo(); return err }},
		{"cuCtxSynchronize", nil, func(d *device) error { return d.Synchronize() }},
	}
}

func TestArgumentsInTheDriversOrder(t *testing.T) {
	for _, c := range everyCall() {
		t.Run(c.name, func(t *testing.T) {
			fake, d := openFake(t)
			require.NoError(t, c.do(d))
			requireArguments(t, fake.takeCall(t, c.name), c.want)
		})
	}
}

func TestEveryFailureNamesItsCall(t *testing.T) {
	for _, c := range everyCall() {
		t.Run(c.name, func(t *testing.T) {
			fake, d := openFake(t)
			fake.answer(c.name, api.CodeIllegalAddress)
			err := c.do(d)
			require.ErrorIs(t, err, api.ErrFault)
			var failure *api.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, c.name, failure.Call)
			require.Zero(t, fake.current(), "no context is left behind")
		})
	}
}

func TestFailuresWhileOpeningADevice(t *testing.T) {
	for _, name := range []string{"cuDeviceGet", "cuDeviceGetName", "cuDeviceGetUuid", "cuDeviceTotalMem", "cuDevicePrimaryCtxRetain"} {
		t.Run(name, func(t *testing.T) {
			fake, b := newFake(t)
			working := fake.answers[name]
			fake.answer(name, api.CodeNotPermitted)
			_, err := b.Device(0)
			require.ErrorIs(t, err, api.ErrNotPermitted)
			fake.answers[name] = working
			_, err = b.Device(0)
			require.NoError(t, err, "a failed open can be tried again")
			require.NoError(t, b.Close())
		})
	}
}

func requireArguments(t *testing.T, c fakeCall, want []uintptr) {
	t.Helper()
	for i, w := range want {
		if w == out {
			require.NotZero(t, c.args[i], "argument %d is an address", i)
			continue
		}
		require.Equal(t, w, c.args[i], "argument %d", i)
	}
}

func TestPrefetchToTheHost(t *testing.T) {
	fake, d := openFake(t)
	require.NoError(t, d.PrefetchAsync(0x1000, 64, -1, stream))
	require.EqualValues(t, -1, int32(fake.take()[0].args[2]))
}

func TestResultsComeBack(t *testing.T) {
	fake, d := openFake(t)
	for _, name := range []string{"cuMemAlloc", "cuMemAllocManaged", "cuMemHostAlloc", "cuMemAllocAsync",
		"cuMemAllocFromPoolAsync", "cuStreamCreateWithPriority", "cuEventCreate", "cuDeviceGetDefaultMemPool", "cuMemPoolCreate"} {
		fake.answers[name] = func(a fakeArgs) int32 { return poke(a[0], 0x7f00_0000_1000) }
	}
	for name, do := range map[string]func() (uintptr, error){
		"MemAlloc":              func() (uintptr, error) { p, err := d.MemAlloc(1); return uintptr(p), err },
		"MemAllocManaged":       func() (uintptr, error) { p, err := d.MemAllocManaged(1); return uintptr(p), err },
		"MemHostAlloc":          func() (uintptr, error) { p, err := d.MemHostAlloc(1, 0); return uintptr(p), err },
		"MemAllocAsync":         func() (uintptr, error) { p, err := d.MemAllocAsync(1, stream); return uintptr(p), err },
		"MemAllocFromPoolAsync": func() (uintptr, error) { p, err := d.MemAllocFromPoolAsync(1, pool, stream); return uintptr(p), err },
		"StreamCreate":          func() (uintptr, error) { s, err := d.StreamCreate(0, 0); return uintptr(s), err },
		"EventCreate":           func() (uintptr, error) { e, err := d.EventCreate(0); return uintptr(e), err },
		"DefaultPool":           func() (uintptr, error) { p, err := d.DefaultPool(); return uintptr(p), err },
		"PoolCreate":            func() (uintptr, error) { p, err := d.PoolCreate(api.PoolProps{}); return uintptr(p), err },
	} {
		got, err := do()
		require.NoError(t, err)
		require.EqualValues(t, 0x7f00_0000_1000, got, name)
	}

	least, greatest, err := d.StreamPriorities()
	require.NoError(t, err)
	require.Equal(t, [2]int{0, -5}, [2]int{least, greatest})

	fake.answers["cuMemGetInfo"] = func(a fakeArgs) int32 { poke(a[0], 10); return poke(a[1], 20) }
	free, total, err := d.MemInfo()
	require.NoError(t, err)
	require.Equal(t, [2]int{10, 20}, [2]int{free, total})

	fake.answers["cuEventElapsedTime"] = func(a fakeArgs) int32 { return poke32(a[0], 0x3fc00000) }
	ms, err := d.EventElapsed(event, event)
	require.NoError(t, err)
	require.InDelta(t, 1.5, ms, 0)

	require.Equal(t, api.DeviceInfo{Name: "GPU", TotalMemory: 1 << 37}, d.Info())
}
