package cuda

import (
	"slices"

	"github.com/rmm-go/rmm-go/loader"
)

// functions are the driver's functions that this backend calls, with their C
// parameters. CUdevice is int; CUdeviceptr, size_t and handles are words.
type functions struct {
	init              loader.Proc // (unsigned flags)
	getErrorName      loader.Proc // (CUresult, const char **)
	getErrorString    loader.Proc // (CUresult, const char **)
	ctxPushCurrent    loader.Proc // (CUcontext)
	ctxPopCurrent     loader.Proc // (CUcontext *)
	ctxSynchronize    loader.Proc // (void)
	ctxPriorityRange  loader.Proc // (int *least, int *greatest)
	primaryCtxRetain  loader.Proc // (CUcontext *, CUdevice)
	primaryCtxRelease loader.Proc // (CUdevice)

	deviceGet         loader.Proc // (CUdevice *, int ordinal)
	deviceGetCount    loader.Proc // (int *)
	deviceGetName     loader.Proc // (char *, int len, CUdevice)
	deviceGetUUID     loader.Proc // (CUuuid *, CUdevice)
	deviceTotalMem    loader.Proc // (size_t *, CUdevice)
	deviceAttribute   loader.Proc // (int *, CUdevice_attribute, CUdevice)
	deviceDefaultPool loader.Proc // (CUmemoryPool *, CUdevice)

	streamCreate      loader.Proc // (CUstream *, unsigned flags, int priority)
	streamDestroy     loader.Proc // (CUstream)
	streamQuery       loader.Proc // (CUstream)
	streamSynchronize loader.Proc // (CUstream)
	streamWaitEvent   loader.Proc // (CUstream, CUevent, unsigned flags)
	streamIsCapturing loader.Proc // (CUstream, CUstreamCaptureStatus *)
	streamGetID       loader.Proc // (CUstream, unsigned long long *)
	launchHostFunc    loader.Proc // (CUstream, CUhostFn, void *data)

	eventCreate      loader.Proc // (CUevent *, unsigned flags)
	eventDestroy     loader.Proc // (CUevent)
	eventRecord      loader.Proc // (CUevent, CUstream)
	eventQuery       loader.Proc // (CUevent)
	eventSynchronize loader.Proc // (CUevent)
	eventElapsed     loader.Proc // (float *ms, CUevent start, CUevent end)

	memGetInfo        loader.Proc // (size_t *free, size_t *total)
	memAlloc          loader.Proc // (CUdeviceptr *, size_t)
	memFree           loader.Proc // (CUdeviceptr)
	memAllocManaged   loader.Proc // (CUdeviceptr *, size_t, unsigned flags)
	memHostAlloc      loader.Proc // (void **, size_t, unsigned flags)
	memFreeHost       loader.Proc // (void *)
	pointerAttributes loader.Proc // (unsigned n, CUpointer_attribute *, void **data, CUdeviceptr)

	memAllocAsync    loader.Proc // (CUdeviceptr *, size_t, CUstream)
	memAllocFromPool loader.Proc // (CUdeviceptr *, size_t, CUmemoryPool, CUstream)
	memFreeAsync     loader.Proc // (CUdeviceptr, CUstream)
	poolCreate       loader.Proc // (CUmemoryPool *, const CUmemPoolProps *)
	poolDestroy      loader.Proc // (CUmemoryPool)
	poolGetAttribute loader.Proc // (CUmemoryPool, CUmemPool_attribute, void *)
	poolSetAttribute loader.Proc // (CUmemoryPool, CUmemPool_attribute, void *)
	poolTrim         loader.Proc // (CUmemoryPool, size_t keep)

	memcpyHtoD      loader.Proc // (CUdeviceptr dst, const void *src, size_t)
	memcpyDtoH      loader.Proc // (void *dst, CUdeviceptr src, size_t)
	memcpyDtoD      loader.Proc // (CUdeviceptr dst, CUdeviceptr src, size_t)
	memcpyHtoDAsync loader.Proc // … and CUstream
	memcpyDtoHAsync loader.Proc
	memcpyDtoDAsync loader.Proc
	memcpyPeerAsync loader.Proc // (CUdeviceptr dst, CUcontext, CUdeviceptr src, CUcontext, size_t, CUstream)
	memset8         loader.Proc // (CUdeviceptr, unsigned char, size_t count)
	memset16        loader.Proc
	memset32        loader.Proc
	memset8Async    loader.Proc // … and CUstream
	memset16Async   loader.Proc
	memset32Async   loader.Proc
	memPrefetch     loader.Proc // (CUdeviceptr, size_t, CUdevice, CUstream)

	optional optionalFunctions
}

// table binds the functions. Each version is that of the signature above. The
// headers of CUDA 12 and 13 give some of these names newer signatures
// (cuMemPrefetchAsync takes a CUmemLocation, for one); asking by version keeps
// the one that is meant.
func (fn *functions) table() []loader.Symbol {
	return slices.Concat(fn.contextTable(), fn.workTable(), fn.memoryTable(), fn.optional.table())
}

func required(p *loader.Proc, name, export string, since int) loader.Symbol {
	return loader.Symbol{Proc: p, Name: name, Export: export, Since: since, Required: true}
}

func (fn *functions) contextTable() []loader.Symbol {
	return []loader.Symbol{
		required(&fn.init, "cuInit", "", 2000),
		required(&fn.getErrorName, "cuGetErrorName", "", 6000),
		required(&fn.getErrorString, "cuGetErrorString", "", 6000),
		required(&fn.ctxPushCurrent, "cuCtxPushCurrent", "cuCtxPushCurrent_v2", 4000),
		required(&fn.ctxPopCurrent, "cuCtxPopCurrent", "cuCtxPopCurrent_v2", 4000),
		required(&fn.ctxSynchronize, "cuCtxSynchronize", "", 2000),
		required(&fn.ctxPriorityRange, "cuCtxGetStreamPriorityRange", "", 5050),
		required(&fn.primaryCtxRetain, "cuDevicePrimaryCtxRetain", "", 7000),
		required(&fn.primaryCtxRelease, "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", 11000),
		required(&fn.deviceGet, "cuDeviceGet", "", 2000),
		required(&fn.deviceGetCount, "cuDeviceGetCount", "", 2000),
		required(&fn.deviceGetName, "cuDeviceGetName", "", 2000),
		required(&fn.deviceGetUUID, "cuDeviceGetUuid", "cuDeviceGetUuid_v2", 11040),
		required(&fn.deviceTotalMem, "cuDeviceTotalMem", "cuDeviceTotalMem_v2", 3020),
		required(&fn.deviceAttribute, "cuDeviceGetAttribute", "", 2000),
		required(&fn.deviceDefaultPool, "cuDeviceGetDefaultMemPool", "", 11020),
	}
}

func (fn *functions) workTable() []loader.Symbol {
	return []loader.Symbol{
		required(&fn.streamCreate, "cuStreamCreateWithPriority", "", 5050),
		required(&fn.streamDestroy, "cuStreamDestroy", "cuStreamDestroy_v2", 4000),
		required(&fn.streamQuery, "cuStreamQuery", "", 2000),
		required(&fn.streamSynchronize, "cuStreamSynchronize", "", 2000),
		required(&fn.streamWaitEvent, "cuStreamWaitEvent", "", 3020),
		required(&fn.streamIsCapturing, "cuStreamIsCapturing", "", 10000),
		{Proc: &fn.streamGetID, Name: "cuStreamGetId", Since: 12000},
		required(&fn.launchHostFunc, "cuLaunchHostFunc", "", 10000),
		required(&fn.eventCreate, "cuEventCreate", "", 2000),
		required(&fn.eventDestroy, "cuEventDestroy", "cuEventDestroy_v2", 4000),
		required(&fn.eventRecord, "cuEventRecord", "", 2000),
		required(&fn.eventQuery, "cuEventQuery", "", 2000),
		required(&fn.eventSynchronize, "cuEventSynchronize", "", 2000),
		required(&fn.eventElapsed, "cuEventElapsedTime", "", 2000),
	}
}

func (fn *functions) memoryTable() []loader.Symbol {
	return []loader.Symbol{
		required(&fn.memGetInfo, "cuMemGetInfo", "cuMemGetInfo_v2", 3020),
		required(&fn.memAlloc, "cuMemAlloc", "cuMemAlloc_v2", 3020),
		required(&fn.memFree, "cuMemFree", "cuMemFree_v2", 3020),
		required(&fn.memAllocManaged, "cuMemAllocManaged", "", 6000),
		required(&fn.memHostAlloc, "cuMemHostAlloc", "", 2020),
		required(&fn.memFreeHost, "cuMemFreeHost", "", 2000),
		required(&fn.pointerAttributes, "cuPointerGetAttributes", "", 7000),
		required(&fn.memAllocAsync, "cuMemAllocAsync", "", 11020),
		required(&fn.memAllocFromPool, "cuMemAllocFromPoolAsync", "", 11020),
		required(&fn.memFreeAsync, "cuMemFreeAsync", "", 11020),
		required(&fn.poolCreate, "cuMemPoolCreate", "", 11020),
		required(&fn.poolDestroy, "cuMemPoolDestroy", "", 11020),
		required(&fn.poolGetAttribute, "cuMemPoolGetAttribute", "", 11020),
		required(&fn.poolSetAttribute, "cuMemPoolSetAttribute", "", 11020),
		required(&fn.poolTrim, "cuMemPoolTrimTo", "", 11020),
		required(&fn.memcpyHtoD, "cuMemcpyHtoD", "cuMemcpyHtoD_v2", 3020),
		required(&fn.memcpyDtoH, "cuMemcpyDtoH", "cuMemcpyDtoH_v2", 3020),
		required(&fn.memcpyDtoD, "cuMemcpyDtoD", "cuMemcpyDtoD_v2", 3020),
		required(&fn.memcpyHtoDAsync, "cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", 3020),
		required(&fn.memcpyDtoHAsync, "cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", 3020),
		required(&fn.memcpyDtoDAsync, "cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2", 3020),
		required(&fn.memcpyPeerAsync, "cuMemcpyPeerAsync", "", 4000),
		required(&fn.memset8, "cuMemsetD8", "cuMemsetD8_v2", 3020),
		required(&fn.memset16, "cuMemsetD16", "cuMemsetD16_v2", 3020),
		required(&fn.memset32, "cuMemsetD32", "cuMemsetD32_v2", 3020),
		required(&fn.memset8Async, "cuMemsetD8Async", "", 3020),
		required(&fn.memset16Async, "cuMemsetD16Async", "", 3020),
		required(&fn.memset32Async, "cuMemsetD32Async", "", 3020),
		required(&fn.memPrefetch, "cuMemPrefetchAsync", "", 8000),
	}
}
