//go:build linux && !rmm_nocuda

package cudart

import (
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

// deviceCall is a call of the backend and CUDA's call that it must become.
type deviceCall struct {
	name string
	want []uintptr // as the headers order them
	do   func(*device) error
}

// everyCall lists one call for each function that works on a device, as CUDA 13
// has them.
func everyCall() []deviceCall {
	host := []byte("host")
	address := loader.AddressOf(&host[0])
	s, e, p := uintptr(stream), uintptr(event), uintptr(pool)
	return []deviceCall{
		{"cudaDeviceSynchronize", nil, func(d *device) error { return d.Synchronize() }},
		{"cudaMemGetInfo", []uintptr{out, out}, func(d *device) error { _, _, err := d.MemInfo(); return err }},
		{"cudaDeviceGetDefaultMemPool", []uintptr{out, 0}, func(d *device) error { _, err := d.DefaultPool(); return err }},
		{"cudaDeviceGetStreamPriorityRange", []uintptr{out, out}, func(d *device) error { _, _, err := d.StreamPriorities(); return err }},
		{"cudaStreamCreateWithPriority", []uintptr{out, 1, ^uintptr(2)}, func(d *device) error { _, err := d.StreamCreate(api.StreamNonBlocking, -3); return err }},
		{"cudaStreamDestroy", []uintptr{s}, func(d *device) error { return d.StreamDestroy(stream) }},
		{"cudaStreamQuery", []uintptr{s}, func(d *device) error { _, err := d.StreamQuery(stream); return err }},
		{"cudaStreamSynchronize", []uintptr{s}, func(d *device) error { return d.StreamSynchronize(stream) }},
		{"cudaStreamWaitEvent", []uintptr{s, e, 0}, func(d *device) error { return d.StreamWaitEvent(stream, event) }},
		{"cudaStreamIsCapturing", []uintptr{s, out}, func(d *device) error { _, err := d.StreamID(stream); return err }},
		{"cudaStreamGetId", []uintptr{s, out}, func(d *device) error { _, err := d.StreamID(stream); return err }},
		{"cudaLaunchHostFunc", []uintptr{s, out, out}, func(d *device) error { return d.LaunchHostFunc(stream, func() {}) }},
		{"cudaEventCreateWithFlags", []uintptr{out, 2}, func(d *device) error { _, err := d.EventCreate(api.EventDisableTiming); return err }},
		{"cudaEventDestroy", []uintptr{e}, func(d *device) error { return d.EventDestroy(event) }},
		{"cudaEventRecord", []uintptr{e, s}, func(d *device) error { return d.EventRecord(event, stream) }},
		{"cudaEventQuery", []uintptr{e}, func(d *device) error { _, err := d.EventQuery(event); return err }},
		{"cudaEventSynchronize", []uintptr{e}, func(d *device) error { return d.EventSynchronize(event) }},
		{"cudaEventElapsedTime", []uintptr{out, 1, 2}, func(d *device) error { _, err := d.EventElapsed(1, 2); return err }},
		{"cudaMalloc", []uintptr{out, 4096}, func(d *device) error { _, err := d.MemAlloc(4096); return err }},
		{"cudaFree", []uintptr{0x1000}, func(d *device) error { return d.MemFree(0x1000) }},
		{"cudaMallocManaged", []uintptr{out, 4096, 1}, func(d *device) error { _, err := d.MemAllocManaged(4096); return err }},
		{"cudaHostAlloc", []uintptr{out, 4096, 5}, func(d *device) error {
			_, err := d.MemHostAlloc(4096, api.HostPortable|api.HostWriteCombined)
			return err
		}},
		{"cudaFreeHost", []uintptr{0x1000}, func(d *device) error { return d.MemHostFree(0x1000) }},
		{"cudaHostRegister", []uintptr{address, 4, 3}, func(d *device) error { return d.MemHostRegister(host) }},
		{"cudaHostUnregister", []uintptr{address}, func(d *device) error { return d.MemHostUnregister(host) }},
		{"cuPointerGetAttributes", []uintptr{6, out, out, 0x1000}, func(d *device) error { _, err := d.PointerInfo(0x1000); return err }},
		{"cudaMallocAsync", []uintptr{out, 256, s}, func(d *device) error { _, err := d.MemAllocAsync(256, stream); return err }},
		{"cudaMallocFromPoolAsync", []uintptr{out, 256, p, s}, func(d *device) error { _, err := d.MemAllocFromPoolAsync(256, pool, stream); return err }},
		{"cudaFreeAsync", []uintptr{0x1000, s}, func(d *device) error { return d.MemFreeAsync(0x1000, stream) }},
		{"cudaMemPoolCreate", []uintptr{out, out}, func(d *device) error { _, err := d.PoolCreate(api.PoolProps{}); return err }},
		{"cudaMemPoolDestroy", []uintptr{p}, func(d *device) error { return d.PoolDestroy(pool) }},
		{"cudaMemPoolGetAttribute", []uintptr{p, 6, out}, func(d *device) error { _, err := d.PoolAttribute(pool, api.PoolReservedHigh); return err }},
		{"cudaMemPoolSetAttribute", []uintptr{p, 4, out}, func(d *device) error { return d.PoolSetAttribute(pool, api.PoolReleaseThreshold, 1) }},
		{"cudaMemPoolTrimTo", []uintptr{p, 1 << 20}, func(d *device) error { return d.PoolTrim(pool, 1<<20) }},
		{"cudaMemPoolSetAccess", []uintptr{p, out, 1}, func(d *device) error { return d.PoolSetAccess(pool, 1, api.AccessReadWrite) }},
		{"cudaMemPoolGetAccess", []uintptr{out, p, out}, func(d *device) error { _, err := d.PoolAccess(pool, 1); return err }},
		{"cudaMemPoolExportToShareableHandle", []uintptr{out, p, 1, 0}, func(d *device) error { _, err := d.PoolExport(pool, api.HandlePosixFD); return err }},
		{"cudaMemPoolImportFromShareableHandle", []uintptr{out, 7, 1, 0}, func(d *device) error {
			_, err := d.PoolImport(api.Shareable{Type: api.HandlePosixFD, FD: 7})
			return err
		}},
		{"cudaMemPoolExportPointer", []uintptr{out, 0x1000}, func(d *device) error { _, err := d.PoolExportPointer(0x1000); return err }},
		{"cudaMemPoolImportPointer", []uintptr{out, p, out}, func(d *device) error { _, err := d.PoolImportPointer(pool, api.PoolPointer{}); return err }},
		{"cudaMemcpy", []uintptr{0x1000, address, 4, 1}, func(d *device) error { return d.MemcpyHtoD(0x1000, host) }},
		{"cudaMemcpy", []uintptr{address, 0x1000, 4, 2}, func(d *device) error { return d.MemcpyDtoH(host, 0x1000) }},
		{"cudaMemcpy", []uintptr{0x2000, 0x1000, 7, 3}, func(d *device) error { return d.MemcpyDtoD(0x2000, 0x1000, 7) }},
		{"cudaMemcpyAsync", []uintptr{0x1000, address, 4, 1, s}, func(d *device) error { return d.MemcpyHtoDAsync(0x1000, host, stream) }},
		{"cudaMemcpyAsync", []uintptr{address, 0x1000, 4, 2, s}, func(d *device) error { return d.MemcpyDtoHAsync(host, 0x1000, stream) }},
		{"cudaMemcpyAsync", []uintptr{0x2000, 0x1000, 7, 3, s}, func(d *device) error { return d.MemcpyDtoDAsync(0x2000, 0x1000, 7, stream) }},
		{"cudaMemcpyPeerAsync", []uintptr{0x2000, 1, 0x1000, 0, 7, s}, func(d *device) error { return d.MemcpyPeerAsync(0x2000, 1, 0x1000, 0, 7, stream) }},
		{"cudaMemset", []uintptr{0x1000, 9, 7}, func(d *device) error { return d.Memset(0x1000, 9, 1, 7) }},
		{"cuMemsetD16", []uintptr{0x1000, 9, 7}, func(d *device) error { return d.Memset(0x1000, 9, 2, 7) }},
		{"cuMemsetD32", []uintptr{0x1000, 9, 7}, func(d *device) error { return d.Memset(0x1000, 9, 4, 7) }},
		{"cudaMemsetAsync", []uintptr{0x1000, 9, 7, s}, func(d *device) error { return d.MemsetAsync(0x1000, 9, 1, 7, stream) }},
		{"cuMemsetD16Async", []uintptr{0x1000, 9, 7, s}, func(d *device) error { return d.MemsetAsync(0x1000, 9, 2, 7, stream) }},
		{"cuMemsetD32Async", []uintptr{0x1000, 9, 7, s}, func(d *device) error { return d.MemsetAsync(0x1000, 9, 4, 7, stream) }},
		{"cudaMemPrefetchAsync", []uintptr{0x1000, 64, 1 | 1<<32, 0, s}, func(d *device) error { return d.PrefetchAsync(0x1000, 64, 1, stream) }},
		{"cudaMemAdvise", []uintptr{0x1000, 64, 3, 1 | 1<<32}, func(d *device) error { return d.MemAdvise(0x1000, 64, api.AdviseSetPreferredLocation, 1) }},
		{"cudaMemRangeGetAttribute", []uintptr{out, 4, 2, 0x1000, 64}, func(d *device) error {
			_, err := d.MemRangeAttribute(0x1000, 64, api.RangePreferredLocation)
			return err
		}},
		{"cudaDeviceCanAccessPeer", []uintptr{out, 0, 1}, func(d *device) error { _, err := d.CanAccessPeer(1); return err }},
		{"cudaDeviceEnablePeerAccess", []uintptr{1, 0}, func(d *device) error { return d.EnablePeerAccess(1) }},
		{"cudaDeviceDisablePeerAccess", []uintptr{1}, func(d *device) error { return d.DisablePeerAccess(1) }},
		{"cudaIpcGetMemHandle", []uintptr{out, 0x1000}, func(d *device) error { _, err := d.IpcMemHandle(0x1000); return err }},
		{"cudaIpcOpenMemHandle", []uintptr{out}, func(d *device) error { _, err := d.IpcOpenMem(api.IPCHandle{}); return err }},
		{"cudaIpcCloseMemHandle", []uintptr{0x1000}, func(d *device) error { return d.IpcCloseMem(0x1000) }},
		{"cudaIpcGetEventHandle", []uintptr{out, e}, func(d *device) error { _, err := d.IpcEventHandle(event); return err }},
		{"cudaIpcOpenEventHandle", []uintptr{out}, func(d *device) error { _, err := d.IpcOpenEvent(api.IPCHandle{}); return err }},
		{"cudaStreamBeginCapture", []uintptr{s, 2}, func(d *device) error { return d.StreamBeginCapture(stream, api.CaptureRelaxed) }},
		{"cudaStreamEndCapture", []uintptr{s, out}, func(d *device) error { _, err := d.StreamEndCapture(stream); return err }},
		{"cudaStreamGetCaptureInfo", []uintptr{s, out, out, out, 0, 0, 0}, func(d *device) error { _, _, err := d.StreamCapture(stream); return err }},
		{"cudaThreadExchangeStreamCaptureMode", []uintptr{out}, func(d *device) error {
			return d.WithCaptureMode(api.CaptureRelaxed, func() error { return nil })
		}},
		{"cudaGraphInstantiateWithFlags", []uintptr{out, 0x6a, 0}, func(d *device) error { _, err := d.GraphInstantiate(0x6a); return err }},
		{"cudaGraphLaunch", []uintptr{0x6e, s}, func(d *device) error { return d.GraphLaunch(0x6e, stream) }},
		{"cudaGraphDestroy", []uintptr{0x6a}, func(d *device) error { return d.GraphDestroy(0x6a) }},
		{"cudaGraphExecDestroy", []uintptr{0x6e}, func(d *device) error { return d.GraphExecDestroy(0x6e) }},
	}
}

func TestArgumentsInCUDAsOrder(t *testing.T) {
	for _, c := range everyCall() {
		t.Run(c.name, func(t *testing.T) {
			fake, d := openFake(t)
			require.NoError(t, c.do(d))
			call := find(t, fake.take(), c.name)
			for i, w := range c.want {
				if w == out {
					require.NotZero(t, call.args[i], "argument %d is an address", i)
					continue
				}
				require.Equal(t, w, call.args[i], "argument %d", i)
			}
		})
	}
}

func TestEveryCallRunsInTheDevicesContext(t *testing.T) {
	for _, c := range everyCall() {
		t.Run(c.name, func(t *testing.T) {
			fake, d := openFake(t)
			onForeignThread(t, fake, func() { require.NoError(t, c.do(d)) })
			require.Equal(t, contextOf(0), find(t, fake.take(), c.name).current)
		})
	}
}

func TestEveryFailureNamesItsCallAndLeavesNothing(t *testing.T) {
	for _, c := range everyCall() {
		t.Run(c.name, func(t *testing.T) {
			fake, d := openFake(t)
			fake.answer(c.name, api.CodeIllegalAddress)
			onForeignThread(t, fake, func() {
				err := c.do(d)
				require.ErrorIs(t, err, api.ErrFault)
				var failure *api.Error
				require.ErrorAs(t, err, &failure)
				require.Equal(t, c.name, failure.Call)
			})
			require.Zero(t, fake.leftErrors(), "cudaGetLastError finds nothing of ours")
		})
	}
}

// Every function of the tables must be in everyCall, but for those that open,
// that every call uses, and that have tests of their own.
func TestEveryFunctionHasACall(t *testing.T) {
	elsewhere := []string{"cudaGetDeviceCount", "cudaGetLastError", "cuCtxPushCurrent", "cuCtxPopCurrent",
		"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetUuid",
		"cuDeviceTotalMem", "cuDeviceGetAttribute", "cuGetErrorName", "cuGetErrorString",
		"cudaUserObjectCreate", "cudaUserObjectRelease", "cudaGraphRetainUserObject"}
	var covered []string
	for _, c := range everyCall() {
		covered = append(covered, c.name)
	}
	var rt runtimeAPI
	var drv driverAPI
	for _, s := range append(rt.table(cuda13), drv.table()...) {
		require.Contains(t, append(covered, elsewhere...), s.Name)
	}
}
