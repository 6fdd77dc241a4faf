//go:build linux && !rmm_nocuda

package cuda

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

const (
	module     = api.Module(0x40d)
	function   = api.Function(0xf4)
	physical   = api.MemHandle(0x9a)
	graph      = api.Graph(0x64)
	launchable = api.GraphExec(0xec)
)

func virtualCalls() []backendCall {
	return []backendCall{
		{"cuMemGetAllocationGranularity", []uintptr{out, out, 1}, func(d *device) error { _, err := d.MemGranularity(true, api.HandleNone); return err }},
		{"cuMemAddressReserve", []uintptr{out, 1 << 30, 1 << 21, 0, 0}, func(d *device) error { _, err := d.MemAddressReserve(1<<30, 1<<21); return err }},
		{"cuMemAddressFree", []uintptr{0x1000, 1 << 30}, func(d *device) error { return d.MemAddressFree(0x1000, 1<<30) }},
		{"cuMemCreate", []uintptr{out, 1 << 21, out, 0}, func(d *device) error { _, err := d.MemCreate(1<<21, api.HandleNone); return err }},
		{"cuMemRelease", []uintptr{uintptr(physical)}, func(d *device) error { return d.MemRelease(physical) }},
		{"cuMemMap", []uintptr{0x1000, 1 << 21, 1 << 20, uintptr(physical), 0}, func(d *device) error { return d.MemMap(0x1000, 1<<21, 1<<20, physical) }},
		{"cuMemUnmap", []uintptr{0x1000, 1 << 21}, func(d *device) error { return d.MemUnmap(0x1000, 1<<21) }},
		{"cuMemSetAccess", []uintptr{0x1000, 1 << 21, out, 1}, func(d *device) error { return d.MemSetAccess(0x1000, 1<<21, 0, api.AccessReadWrite) }},
		{"cuMemExportToShareableHandle", []uintptr{out, uintptr(physical), 1, 0}, func(d *device) error { _, err := d.MemExport(physical, api.HandlePosixFD); return err }},
		{"cuMemImportFromShareableHandle", []uintptr{out, 7, 1}, func(d *device) error {
			_, err := d.MemImport(api.Shareable{Type: api.HandlePosixFD, FD: 7})
			return err
		}},
	}
}

func sharingCalls() []backendCall {
	return []backendCall{
		{"cuDeviceCanAccessPeer", []uintptr{out, 0, 1}, func(d *device) error { _, err := d.CanAccessPeer(1); return err }},
		{"cuCtxEnablePeerAccess", []uintptr{contextOf(1), 0}, func(d *device) error { return d.EnablePeerAccess(1) }},
		{"cuCtxDisablePeerAccess", []uintptr{contextOf(1)}, func(d *device) error { return d.DisablePeerAccess(1) }},
		{"cuMemPoolSetAccess", []uintptr{uintptr(pool), out, 1}, func(d *device) error { return d.PoolSetAccess(pool, 1, api.AccessRead) }},
		{"cuMemPoolGetAccess", []uintptr{out, uintptr(pool), out}, func(d *device) error { _, err := d.PoolAccess(pool, 1); return err }},
		{"cuIpcGetMemHandle", []uintptr{out, 0x1000}, func(d *device) error { _, err := d.IpcMemHandle(0x1000); return err }},
		{"cuIpcOpenMemHandle", []uintptr{out}, func(d *device) error { _, err := d.IpcOpenMem(api.IPCHandle{}); return err }},
		{"cuIpcCloseMemHandle", []uintptr{0x1000}, func(d *device) error { return d.IpcCloseMem(0x1000) }},
		{"cuIpcGetEventHandle", []uintptr{out, uintptr(event)}, func(d *device) error { _, err := d.IpcEventHandle(event); return err }},
		{"cuIpcOpenEventHandle", []uintptr{out}, func(d *device) error { _, err := d.IpcOpenEvent(api.IPCHandle{}); return err }},
		{"cuMemPoolExportToShareableHandle", []uintptr{out, uintptr(pool), 8, 0}, func(d *device) error { _, err := d.PoolExport(pool, api.HandleFabric); return err }},
		{"cuMemPoolImportFromShareableHandle", []uintptr{out, out, 8, 0}, func(d *device) error {
			_, err := d.PoolImport(api.Shareable{Type: api.HandleFabric})
			return err
		}},
		{"cuMemPoolExportPointer", []uintptr{out, 0x1000}, func(d *device) error { _, err := d.PoolExportPointer(0x1000); return err }},
		{"cuMemPoolImportPointer", []uintptr{out, uintptr(pool), out}, func(d *device) error { _, err := d.PoolImportPointer(pool, api.PoolPointer{}); return err }},
	}
}

func hintCalls() []backendCall {
	memory := make([]byte, 4096)
	at := loader.AddressOf(&memory[0])
	return []backendCall{
		{"cuMemHostRegister", []uintptr{at, 4096, 3}, func(d *device) error { return d.MemHostRegister(memory) }},
		{"cuMemHostUnregister", []uintptr{at}, func(d *device) error { return d.MemHostUnregister(memory) }},
		{"cuMemAdvise", []uintptr{0x1000, 64, 3, 1}, func(d *device) error {
			return d.MemAdvise(0x1000, 64, api.AdviseSetPreferredLocation, 1)
		}},
		{"cuMemRangeGetAttribute", []uintptr{out, 4, 2, 0x1000, 64}, func(d *device) error {
			_, err := d.MemRangeAttribute(0x1000, 64, api.RangePreferredLocation)
			return err
		}},
	}
}

func kernelCalls() []backendCall {
	shape := api.LaunchConfig{Grid: [3]uint32{1, 2, 3}, Block: [3]uint32{4, 5, 6}, SharedMemory: 7}
	params := api.Params{Buf: make([]byte, 16), Offsets: []int{0, 8}}
	return []backendCall{
		{"cuModuleLoadDataEx", []uintptr{out, out, 2, out, out}, func(d *device) error { _, err := d.ModuleLoad([]byte(".version")); return err }},
		{"cuModuleUnload", []uintptr{uintptr(module)}, func(d *device) error { return d.ModuleUnload(module) }},
		{"cuModuleGetFunction", []uintptr{out, uintptr(module), out}, func(d *device) error { _, err := d.ModuleFunction(module, "add"); return err }},
		{"cuFuncGetParamInfo", []uintptr{0, 0, out, out}, func(d *device) error { _, err := d.ModuleFunction(module, "add"); return err }},
		{"cuLaunchKernel", []uintptr{uintptr(function), 1, 2, 3, 4, 5, 6, 7, uintptr(stream), out, 0}, func(d *device) error {
			return d.Launch(function, shape, stream, params)
		}},
		{"cuDevicePrimaryCtxReset", []uintptr{0}, func(d *device) error { return d.PrimaryContextReset() }},
	}
}

func graphCalls() []backendCall {
	return []backendCall{
		{"cuStreamBeginCapture", []uintptr{uintptr(stream), 1}, func(d *device) error { return d.StreamBeginCapture(stream, api.CaptureThreadLocal) }},
		{"cuStreamEndCapture", []uintptr{uintptr(stream), out}, func(d *device) error { _, err := d.StreamEndCapture(stream); return err }},
		{"cuStreamGetCaptureInfo", []uintptr{uintptr(stream), out, out, 0, 0, 0}, func(d *device) error { _, _, err := d.StreamCapture(stream); return err }},
		{"cuThreadExchangeStreamCaptureMode", []uintptr{out}, func(d *device) error {
			return d.WithCaptureMode(api.CaptureRelaxed, func() error { return nil })
		}},
		{"cuGraphInstantiateWithFlags", []uintptr{out, uintptr(graph), 0}, func(d *device) error { _, err := d.GraphInstantiate(graph); return err }},
		{"cuGraphLaunch", []uintptr{uintptr(launchable), uintptr(stream)}, func(d *device) error { return d.GraphLaunch(launchable, stream) }},
		{"cuGraphDestroy", []uintptr{uintptr(graph)}, func(d *device) error { return d.GraphDestroy(graph) }},
		{"cuGraphExecDestroy", []uintptr{uintptr(launchable)}, func(d *device) error { return d.GraphExecDestroy(launchable) }},
	}
}
