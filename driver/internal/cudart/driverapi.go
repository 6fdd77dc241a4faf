package cudart

import "github.com/rmm-go/rmm-go/loader"

// driverAPI are the functions of libcuda that this backend needs beside the
// runtime's, with their C parameters.
type driverAPI struct {
	getErrorName      loader.Proc // (CUresult, const char **)
	getErrorString    loader.Proc // (CUresult, const char **)
	ctxPushCurrent    loader.Proc // (CUcontext)
	ctxPopCurrent     loader.Proc // (CUcontext *)
	primaryCtxRetain  loader.Proc // (CUcontext *, CUdevice)
	primaryCtxRelease loader.Proc // (CUdevice)

	deviceGet       loader.Proc // (CUdevice *, int ordinal)
	deviceGetName   loader.Proc // (char *, int len, CUdevice)
	deviceGetUUID   loader.Proc // (CUuuid *, CUdevice)
	deviceTotalMem  loader.Proc // (size_t *, CUdevice)
	deviceAttribute loader.Proc // (int *, CUdevice_attribute, CUdevice)

	pointerAttributes loader.Proc // (unsigned n, CUpointer_attribute *, void **data, CUdeviceptr)

	memset16      loader.Proc // (CUdeviceptr, unsigned short, size_t count)
	memset32      loader.Proc // (CUdeviceptr, unsigned, size_t count)
	memset16Async loader.Proc // … and CUstream
	memset32Async loader.Proc
}

func (drv *driverAPI) table() []loader.Symbol {
	symbol := func(p *loader.Proc, name, export string, since int) loader.Symbol {
		return loader.Symbol{Proc: p, Name: name, Export: export, Since: since, Required: true}
	}
	return []loader.Symbol{
		symbol(&drv.getErrorName, "cuGetErrorName", "", 6000),
		symbol(&drv.getErrorString, "cuGetErrorString", "", 6000),
		symbol(&drv.ctxPushCurrent, "cuCtxPushCurrent", "cuCtxPushCurrent_v2", 4000),
		symbol(&drv.ctxPopCurrent, "cuCtxPopCurrent", "cuCtxPopCurrent_v2", 4000),
		symbol(&drv.primaryCtxRetain, "cuDevicePrimaryCtxRetain", "", 7000),
		symbol(&drv.primaryCtxRelease, "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", 11000),
		symbol(&drv.deviceGet, "cuDeviceGet", "", 2000),
		symbol(&drv.deviceGetName, "cuDeviceGetName", "", 2000),
		symbol(&drv.deviceGetUUID, "cuDeviceGetUuid", "cuDeviceGetUuid_v2", 11040),
		symbol(&drv.deviceTotalMem, "cuDeviceTotalMem", "cuDeviceTotalMem_v2", 3020),
		symbol(&drv.deviceAttribute, "cuDeviceGetAttribute", "", 2000),
		symbol(&drv.pointerAttributes, "cuPointerGetAttributes", "", 7000),
		symbol(&drv.memset16, "cuMemsetD16", "cuMemsetD16_v2", 3020),
		symbol(&drv.memset32, "cuMemsetD32", "cuMemsetD32_v2", 3020),
		symbol(&drv.memset16Async, "cuMemsetD16Async", "", 3020),
		symbol(&drv.memset32Async, "cuMemsetD32Async", "", 3020),
	}
}
