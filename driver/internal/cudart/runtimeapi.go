package cudart

import (
	"slices"

	"github.com/rmm-go/rmm-go/loader"
)

// runtimeAPI are the functions of libcudart that this backend calls, with their
// C parameters. size_t and handles are words, enumerations are int.
type runtimeAPI struct {
	getLastError   loader.Proc // (void)
	getDeviceCount loader.Proc // (int *)

	deviceSynchronize loader.Proc // (void)
	deviceDefaultPool loader.Proc // (cudaMemPool_t *, int device)
	priorityRange     loader.Proc // (int *least, int *greatest)
	memGetInfo        loader.Proc // (size_t *free, size_t *total)

	streamCreate      loader.Proc // (cudaStream_t *, unsigned flags, int priority)
	streamDestroy     loader.Proc // (cudaStream_t)
	streamQuery       loader.Proc // (cudaStream_t)
	streamSynchronize loader.Proc // (cudaStream_t)
	streamWaitEvent   loader.Proc // (cudaStream_t, cudaEvent_t, unsigned flags)
	streamIsCapturing loader.Proc // (cudaStream_t, cudaStreamCaptureStatus *)
	streamGetID       loader.Proc // (cudaStream_t, unsigned long long *)
	launchHostFunc    loader.Proc // (cudaStream_t, cudaHostFn_t, void *data)

	eventCreate      loader.Proc // (cudaEvent_t *, unsigned flags)
	eventDestroy     loader.Proc // (cudaEvent_t)
	eventRecord      loader.Proc // (cudaEvent_t, cudaStream_t)
	eventQuery       loader.Proc // (cudaEvent_t)
	eventSynchronize loader.Proc // (cudaEvent_t)
	eventElapsed     loader.Proc // (float *ms, cudaEvent_t start, cudaEvent_t end)

	malloc         loader.Proc // (void **, size_t)
	free           loader.Proc // (void *)
	mallocManaged  loader.Proc // (void **, size_t, unsigned flags)
	hostAlloc      loader.Proc // (void **, size_t, unsigned flags)
	freeHost       loader.Proc // (void *)
	hostRegister   loader.Proc // (void *, size_t, unsigned flags)
	hostUnregister loader.Proc // (void *)

	mallocAsync         loader.Proc // (void **, size_t, cudaStream_t)
	mallocFromPoolAsync loader.Proc // (void **, size_t, cudaMemPool_t, cudaStream_t)
	freeAsync           loader.Proc // (void *, cudaStream_t)
	poolCreate          loader.Proc // (cudaMemPool_t *, const cudaMemPoolProps *)
	poolDestroy         loader.Proc // (cudaMemPool_t)
	poolGetAttribute    loader.Proc // (cudaMemPool_t, cudaMemPoolAttr, void *)
	poolSetAttribute    loader.Proc // (cudaMemPool_t, cudaMemPoolAttr, void *)
	poolTrim            loader.Proc // (cudaMemPool_t, size_t keep)
	poolSetAccess       loader.Proc // (cudaMemPool_t, const cudaMemAccessDesc *, size_t count)
	poolGetAccess       loader.Proc // (cudaMemAccessFlags *, cudaMemPool_t, cudaMemLocation *)
	poolExport          loader.Proc // (void *handle, cudaMemPool_t, cudaMemAllocationHandleType, unsigned flags)
	poolImport          loader.Proc // (cudaMemPool_t *, void *handle, cudaMemAllocationHandleType, unsigned flags)
	poolExportPointer   loader.Proc // (cudaMemPoolPtrExportData *, void *)
	poolImportPointer   loader.Proc // (void **, cudaMemPool_t, cudaMemPoolPtrExportData *)

	memcpy            loader.Proc // (void *dst, const void *src, size_t, cudaMemcpyKind)
	memcpyAsync       loader.Proc // … and cudaStream_t
	memcpyPeerAsync   loader.Proc // (void *dst, int device, const void *src, int device, size_t, cudaStream_t)
	memset            loader.Proc // (void *, int value, size_t count)
	memsetAsync       loader.Proc // … and cudaStream_t
	memPrefetch       loader.Proc // (const void *, size_t, int device, cudaStream_t); CUDA 13: (…, cudaMemLocation, unsigned flags, cudaStream_t)
	memAdvise         loader.Proc // (const void *, size_t, cudaMemoryAdvise, int device); CUDA 13: (…, cudaMemLocation)
	memRangeAttribute loader.Proc // (void *, size_t, cudaMemRangeAttribute, const void *, size_t)

	canAccessPeer     loader.Proc // (int *, int device, int peer)
	enablePeerAccess  loader.Proc // (int peer, unsigned flags)
	disablePeerAccess loader.Proc // (int peer)

	ipcGetMem    loader.Proc // (cudaIpcMemHandle_t *, void *)
	ipcOpenMem   loader.Proc // (void **, cudaIpcMemHandle_t, unsigned flags)
	ipcCloseMem  loader.Proc // (void *)
	ipcGetEvent  loader.Proc // (cudaIpcEventHandle_t *, cudaEvent_t)
	ipcOpenEvent loader.Proc // (cudaEvent_t *, cudaIpcEventHandle_t)

	beginCapture        loader.Proc // (cudaStream_t, cudaStreamCaptureMode)
	endCapture          loader.Proc // (cudaStream_t, cudaGraph_t *)
	captureInfo         loader.Proc // (cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *id, cudaGraph_t *, …); the rest may be null
	exchangeCaptureMode loader.Proc // (cudaStreamCaptureMode *)
	graphInstantiate    loader.Proc // (cudaGraphExec_t *, cudaGraph_t, unsigned long long flags)
	graphLaunch         loader.Proc // (cudaGraphExec_t, cudaStream_t)
	graphDestroy        loader.Proc // (cudaGraph_t)
	graphExecDestroy    loader.Proc // (cudaGraphExec_t)
	userObjectCreate    loader.Proc // (cudaUserObject_t *, void *, cudaHostFn_t destroy, unsigned references, unsigned flags)
	userObjectRelease   loader.Proc // (cudaUserObject_t, unsigned references)
	graphRetainObject   loader.Proc // (cudaGraph_t, cudaUserObject_t, unsigned references, unsigned flags)
}

// cuda13 is where signatures changed: devices that are prefetched to or advised
// about became locations, and the newest form of cudaStreamGetCaptureInfo lost
// its suffix.
const cuda13 = 13000

// table binds the functions as a libcudart of a version names them; 0 counts as
// 11.
func (rt *runtimeAPI) table(version int) []loader.Symbol {
	return slices.Concat(rt.workTable(), rt.memoryTable(), rt.poolTable(), rt.sharingTable(), rt.graphTable(version))
}

func required(p *loader.Proc, name string, since int) loader.Symbol {
	return loader.Symbol{Proc: p, Name: name, Since: since, Required: true}
}

func (rt *runtimeAPI) workTable() []loader.Symbol {
	return []loader.Symbol{
		required(&rt.getLastError, "cudaGetLastError", 2000),
		required(&rt.getDeviceCount, "cudaGetDeviceCount", 2000),
		required(&rt.deviceSynchronize, "cudaDeviceSynchronize", 4000),
		required(&rt.deviceDefaultPool, "cudaDeviceGetDefaultMemPool", 11020),
		required(&rt.priorityRange, "cudaDeviceGetStreamPriorityRange", 5050),
		required(&rt.streamCreate, "cudaStreamCreateWithPriority", 5050),
		required(&rt.streamDestroy, "cudaStreamDestroy", 2000),
		required(&rt.streamQuery, "cudaStreamQuery", 2000),
		required(&rt.streamSynchronize, "cudaStreamSynchronize", 2000),
		required(&rt.streamWaitEvent, "cudaStreamWaitEvent", 3020),
		required(&rt.streamIsCapturing, "cudaStreamIsCapturing", 10000),
		{Proc: &rt.streamGetID, Name: "cudaStreamGetId", Since: 12000},
		required(&rt.launchHostFunc, "cudaLaunchHostFunc", 10000),
		required(&rt.eventCreate, "cudaEventCreateWithFlags", 2020),
		required(&rt.eventDestroy, "cudaEventDestroy", 2000),
		required(&rt.eventRecord, "cudaEventRecord", 2000),
		required(&rt.eventQuery, "cudaEventQuery", 2000),
		required(&rt.eventSynchronize, "cudaEventSynchronize", 2000),
		required(&rt.eventElapsed, "cudaEventElapsedTime", 2000),
	}
}

func (rt *runtimeAPI) memoryTable() []loader.Symbol {
	return []loader.Symbol{
		required(&rt.memGetInfo, "cudaMemGetInfo", 3000),
		required(&rt.malloc, "cudaMalloc", 2000),
		required(&rt.free, "cudaFree", 2000),
		required(&rt.mallocManaged, "cudaMallocManaged", 6000),
		required(&rt.hostAlloc, "cudaHostAlloc", 2020),
		required(&rt.freeHost, "cudaFreeHost", 2000),
		required(&rt.hostRegister, "cudaHostRegister", 4000),
		required(&rt.hostUnregister, "cudaHostUnregister", 4000),
		required(&rt.memcpy, "cudaMemcpy", 2000),
		required(&rt.memcpyAsync, "cudaMemcpyAsync", 2000),
		required(&rt.memcpyPeerAsync, "cudaMemcpyPeerAsync", 4000),
		required(&rt.memset, "cudaMemset", 2000),
		required(&rt.memsetAsync, "cudaMemsetAsync", 3020),
		required(&rt.memPrefetch, "cudaMemPrefetchAsync", 8000),
		required(&rt.memAdvise, "cudaMemAdvise", 8000),
		required(&rt.memRangeAttribute, "cudaMemRangeGetAttribute", 8000),
	}
}

func (rt *runtimeAPI) poolTable() []loader.Symbol {
	return []loader.Symbol{
		required(&rt.mallocAsync, "cudaMallocAsync", 11020),
		required(&rt.mallocFromPoolAsync, "cudaMallocFromPoolAsync", 11020),
		required(&rt.freeAsync, "cudaFreeAsync", 11020),
		required(&rt.poolCreate, "cudaMemPoolCreate", 11020),
		required(&rt.poolDestroy, "cudaMemPoolDestroy", 11020),
		required(&rt.poolGetAttribute, "cudaMemPoolGetAttribute", 11020),
		required(&rt.poolSetAttribute, "cudaMemPoolSetAttribute", 11020),
		required(&rt.poolTrim, "cudaMemPoolTrimTo", 11020),
		required(&rt.poolSetAccess, "cudaMemPoolSetAccess", 11020),
		required(&rt.poolGetAccess, "cudaMemPoolGetAccess", 11020),
		required(&rt.poolExport, "cudaMemPoolExportToShareableHandle", 11020),
		required(&rt.poolImport, "cudaMemPoolImportFromShareableHandle", 11020),
		required(&rt.poolExportPointer, "cudaMemPoolExportPointer", 11020),
		required(&rt.poolImportPointer, "cudaMemPoolImportPointer", 11020),
	}
}

func (rt *runtimeAPI) sharingTable() []loader.Symbol {
	return []loader.Symbol{
		required(&rt.canAccessPeer, "cudaDeviceCanAccessPeer", 4000),
		required(&rt.enablePeerAccess, "cudaDeviceEnablePeerAccess", 4000),
		required(&rt.disablePeerAccess, "cudaDeviceDisablePeerAccess", 4000),
		required(&rt.ipcGetMem, "cudaIpcGetMemHandle", 4010),
		required(&rt.ipcOpenMem, "cudaIpcOpenMemHandle", 4010),
		required(&rt.ipcCloseMem, "cudaIpcCloseMemHandle", 4010),
		required(&rt.ipcGetEvent, "cudaIpcGetEventHandle", 4010),
		required(&rt.ipcOpenEvent, "cudaIpcOpenEventHandle", 4010),
	}
}

// graphTable: of cudaStreamGetCaptureInfo only the first four parameters are
// used, which the forms since CUDA 11.3 share. It is optional so that a library
// of unknown version, under a driver too old for it, opens as far as the call
// that says so.
func (rt *runtimeAPI) graphTable(version int) []loader.Symbol {
	captureInfo := "cudaStreamGetCaptureInfo_v2"
	if version >= cuda13 {
		captureInfo = "cudaStreamGetCaptureInfo"
	}
	return []loader.Symbol{
		required(&rt.beginCapture, "cudaStreamBeginCapture", 10000),
		required(&rt.endCapture, "cudaStreamEndCapture", 10000),
		{Proc: &rt.captureInfo, Name: captureInfo, Since: 11030},
		required(&rt.exchangeCaptureMode, "cudaThreadExchangeStreamCaptureMode", 10010),
		required(&rt.graphInstantiate, "cudaGraphInstantiateWithFlags", 11040),
		required(&rt.graphLaunch, "cudaGraphLaunch", 10000),
		required(&rt.graphDestroy, "cudaGraphDestroy", 10000),
		required(&rt.graphExecDestroy, "cudaGraphExecDestroy", 10000),
		required(&rt.userObjectCreate, "cudaUserObjectCreate", 11030),
		required(&rt.userObjectRelease, "cudaUserObjectRelease", 11030),
		required(&rt.graphRetainObject, "cudaGraphRetainUserObject", 11030),
	}
}
