package cuda

import (
	"slices"

	"github.com/rmm-go/rmm-go/loader"
)

// optionalFunctions are those behind the optional interfaces of package api,
// with their C parameters. A driver without one of them still works; the call
// that needs it is an error naming the versions.
type optionalFunctions struct {
	memGranularity    loader.Proc // (size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags)
	memAddressReserve loader.Proc // (CUdeviceptr *, size_t, size_t align, CUdeviceptr wanted, unsigned long long flags)
	memAddressFree    loader.Proc // (CUdeviceptr, size_t)
	memCreate         loader.Proc // (CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long flags)
	memRelease        loader.Proc // (CUmemGenericAllocationHandle)
	memMap            loader.Proc // (CUdeviceptr, size_t, size_t offset, CUmemGenericAllocationHandle, unsigned long long flags)
	memUnmap          loader.Proc // (CUdeviceptr, size_t)
	memSetAccess      loader.Proc // (CUdeviceptr, size_t, const CUmemAccessDesc *, size_t count)
	memExport         loader.Proc // (void *shareable, CUmemGenericAllocationHandle, CUmemAllocationHandleType, unsigned long long flags)
	memImport         loader.Proc // (CUmemGenericAllocationHandle *, void *shareable, CUmemAllocationHandleType)

	deviceCanAccessPeer  loader.Proc // (int *, CUdevice, CUdevice peer)
	ctxEnablePeerAccess  loader.Proc // (CUcontext peer, unsigned flags)
	ctxDisablePeerAccess loader.Proc // (CUcontext peer)
	poolSetAccess        loader.Proc // (CUmemoryPool, const CUmemAccessDesc *, size_t count)
	poolGetAccess        loader.Proc // (CUmemAccess_flags *, CUmemoryPool, CUmemLocation *)

	ipcGetMemHandle   loader.Proc // (CUipcMemHandle *, CUdeviceptr)
	ipcOpenMemHandle  loader.Proc // (CUdeviceptr *, CUipcMemHandle by value, unsigned flags)
	ipcCloseMemHandle loader.Proc // (CUdeviceptr)
	ipcGetEventHandle loader.Proc // (CUipcEventHandle *, CUevent)
	ipcOpenEvent      loader.Proc // (CUevent *, CUipcEventHandle by value)
	poolExport        loader.Proc // (void *shareable, CUmemoryPool, CUmemAllocationHandleType, unsigned long long flags)
	poolImport        loader.Proc // (CUmemoryPool *, void *shareable, CUmemAllocationHandleType, unsigned long long flags)
	poolExportPointer loader.Proc // (CUmemPoolPtrExportData *, CUdeviceptr)
	poolImportPointer loader.Proc // (CUdeviceptr *, CUmemoryPool, CUmemPoolPtrExportData *)

	memHostRegister   loader.Proc // (void *, size_t, unsigned flags)
	memHostUnregister loader.Proc // (void *)
	memAdvise         loader.Proc // (CUdeviceptr, size_t, CUmem_advise, CUdevice)
	memRangeAttribute loader.Proc // (void *data, size_t dataSize, CUmem_range_attribute, CUdeviceptr, size_t)

	moduleLoad      loader.Proc // (CUmodule *, const void *image, unsigned n, CUjit_option *, void **values)
	moduleUnload    loader.Proc // (CUmodule)
	moduleFunction  loader.Proc // (CUfunction *, CUmodule, const char *name)
	functionParam   loader.Proc // (CUfunction, size_t index, size_t *offset, size_t *size)
	launchKernel    loader.Proc // (CUfunction, unsigned grid[3], unsigned block[3], unsigned shared, CUstream, void **params, void **extra)
	primaryCtxReset loader.Proc // (CUdevice)

	streamBeginCapture    loader.Proc // (CUstream, CUstreamCaptureMode)
	streamEndCapture      loader.Proc // (CUstream, CUgraph *)
	streamCaptureInfo     loader.Proc // (CUstream, CUstreamCaptureStatus *, unsigned long long *id, CUgraph *, const CUgraphNode **, size_t *)
	threadExchangeCapture loader.Proc // (CUstreamCaptureMode *)
	graphInstantiate      loader.Proc // (CUgraphExec *, CUgraph, unsigned long long flags)
	graphLaunch           loader.Proc // (CUgraphExec, CUstream)
	graphDestroy          loader.Proc // (CUgraph)
	graphExecDestroy      loader.Proc // (CUgraphExec)
	userObjectCreate      loader.Proc // (CUuserObject *, void *, CUhostFn destroy, unsigned references, unsigned flags)
	userObjectRelease     loader.Proc // (CUuserObject, unsigned count)
	graphRetainUserObject loader.Proc // (CUgraph, CUuserObject, unsigned count, unsigned flags)
}

func (fn *optionalFunctions) table() []loader.Symbol {
	return slices.Concat(fn.virtualTable(), fn.sharingTable(), fn.hintTable(), fn.kernelTable(), fn.graphTable())
}

func optional(p *loader.Proc, name, export string, since int) loader.Symbol {
	return loader.Symbol{Proc: p, Name: name, Export: export, Since: since}
}

func (fn *optionalFunctions) virtualTable() []loader.Symbol {
	return []loader.Symbol{
		optional(&fn.memGranularity, "cuMemGetAllocationGranularity", "", 10020),
		optional(&fn.memAddressReserve, "cuMemAddressReserve", "", 10020),
		optional(&fn.memAddressFree, "cuMemAddressFree", "", 10020),
		optional(&fn.memCreate, "cuMemCreate", "", 10020),
		optional(&fn.memRelease, "cuMemRelease", "", 10020),
		optional(&fn.memMap, "cuMemMap", "", 10020),
		optional(&fn.memUnmap, "cuMemUnmap", "", 10020),
		optional(&fn.memSetAccess, "cuMemSetAccess", "", 10020),
		optional(&fn.memExport, "cuMemExportToShareableHandle", "", 10020),
		optional(&fn.memImport, "cuMemImportFromShareableHandle", "", 10020),
	}
}

func (fn *optionalFunctions) sharingTable() []loader.Symbol {
	return []loader.Symbol{
		optional(&fn.deviceCanAccessPeer, "cuDeviceCanAccessPeer", "", 4000),
		optional(&fn.ctxEnablePeerAccess, "cuCtxEnablePeerAccess", "", 4000),
		optional(&fn.ctxDisablePeerAccess, "cuCtxDisablePeerAccess", "", 4000),
		optional(&fn.poolSetAccess, "cuMemPoolSetAccess", "", 11020),
		optional(&fn.poolGetAccess, "cuMemPoolGetAccess", "", 11020),
		optional(&fn.ipcGetMemHandle, "cuIpcGetMemHandle", "", 4010),
		optional(&fn.ipcOpenMemHandle, "cuIpcOpenMemHandle", "cuIpcOpenMemHandle_v2", 11000),
		optional(&fn.ipcCloseMemHandle, "cuIpcCloseMemHandle", "", 4010),
		optional(&fn.ipcGetEventHandle, "cuIpcGetEventHandle", "", 4010),
		optional(&fn.ipcOpenEvent, "cuIpcOpenEventHandle", "", 4010),
		optional(&fn.poolExport, "cuMemPoolExportToShareableHandle", "", 11020),
		optional(&fn.poolImport, "cuMemPoolImportFromShareableHandle", "", 11020),
		optional(&fn.poolExportPointer, "cuMemPoolExportPointer", "", 11020),
		optional(&fn.poolImportPointer, "cuMemPoolImportPointer", "", 11020),
	}
}

func (fn *optionalFunctions) hintTable() []loader.Symbol {
	return []loader.Symbol{
		optional(&fn.memHostRegister, "cuMemHostRegister", "cuMemHostRegister_v2", 6050),
		optional(&fn.memHostUnregister, "cuMemHostUnregister", "", 4000),
		optional(&fn.memAdvise, "cuMemAdvise", "", 8000),
		optional(&fn.memRangeAttribute, "cuMemRangeGetAttribute", "", 8000),
	}
}

func (fn *optionalFunctions) kernelTable() []loader.Symbol {
	return []loader.Symbol{
		optional(&fn.moduleLoad, "cuModuleLoadDataEx", "", 2010),
		optional(&fn.moduleUnload, "cuModuleUnload", "", 2000),
		optional(&fn.moduleFunction, "cuModuleGetFunction", "", 2000),
		optional(&fn.functionParam, "cuFuncGetParamInfo", "", 12040),
		optional(&fn.launchKernel, "cuLaunchKernel", "", 4000),
		optional(&fn.primaryCtxReset, "cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxReset_v2", 11000),
	}
}

func (fn *optionalFunctions) graphTable() []loader.Symbol {
	return []loader.Symbol{
		optional(&fn.streamBeginCapture, "cuStreamBeginCapture", "cuStreamBeginCapture_v2", 10010),
		optional(&fn.streamEndCapture, "cuStreamEndCapture", "", 10000),
		optional(&fn.streamCaptureInfo, "cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 11030),
		optional(&fn.threadExchangeCapture, "cuThreadExchangeStreamCaptureMode", "", 10010),
		optional(&fn.graphInstantiate, "cuGraphInstantiateWithFlags", "", 11040),
		optional(&fn.graphLaunch, "cuGraphLaunch", "", 10000),
		optional(&fn.graphDestroy, "cuGraphDestroy", "", 10000),
		optional(&fn.graphExecDestroy, "cuGraphExecDestroy", "", 10000),
		optional(&fn.userObjectCreate, "cuUserObjectCreate", "", 11030),
		optional(&fn.userObjectRelease, "cuUserObjectRelease", "", 11030),
		optional(&fn.graphRetainUserObject, "cuGraphRetainUserObject", "", 11030),
	}
}
