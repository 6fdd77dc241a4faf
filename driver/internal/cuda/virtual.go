package cuda

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

var _ api.VirtualMemory = (*device)(nil)

// allocationProp is CUmemAllocationProp.
type allocationProp struct {
	allocationType int32
	handleTypes    int32
	location       memLocation
	_              uintptr // win32HandleMetaData
	_              [8]byte // allocFlags: no compression, no GPUDirect RDMA, no usage
}

// physical describes memory of this device that can be exported as handles.
func (d *device) physical(handles api.HandleType) *allocationProp {
	return &allocationProp{allocationType: allocationPinned, handleTypes: int32(handles), location: d.location()}
}

// MemGranularity is the unit of sizes and addresses, in bytes:
// CU_MEM_ALLOC_GRANULARITY_MINIMUM is 0, RECOMMENDED is 1.
func (d *device) MemGranularity(recommended bool, handles api.HandleType) (int, error) {
	prop, which := d.physical(handles), uintptr(0)
	if recommended {
		which = 1
	}
	size, err := d.directOut(&d.b.fn.optional.memGranularity, loader.AddressOf(prop), which)
	runtime.KeepAlive(prop)
	return int(size), err
}

// MemAddressReserve reserves addresses without memory.
func (d *device) MemAddressReserve(size, align int) (api.Ptr, error) {
	p, err := d.directOut(&d.b.fn.optional.memAddressReserve, uintptr(size), uintptr(align), 0, 0)
	return api.Ptr(p), err
}

// MemAddressFree gives a whole reservation up.
func (d *device) MemAddressFree(p api.Ptr, size int) error {
	return d.direct(&d.b.fn.optional.memAddressFree, uintptr(p), uintptr(size))
}

// MemCreate takes physical memory of the device.
func (d *device) MemCreate(size int, handles api.HandleType) (api.MemHandle, error) {
	prop := d.physical(handles)
	h, err := d.directOut(&d.b.fn.optional.memCreate, uintptr(size), loader.AddressOf(prop), 0)
	runtime.KeepAlive(prop)
	return api.MemHandle(h), err
}

// MemRelease gives physical memory up; mappings keep it.
func (d *device) MemRelease(h api.MemHandle) error {
	return d.direct(&d.b.fn.optional.memRelease, uintptr(h))
}

// MemMap puts memory at a reserved address. No device can use it there before
// MemSetAccess.
func (d *device) MemMap(p api.Ptr, size, offset int, h api.MemHandle) error {
	return d.direct(&d.b.fn.optional.memMap, uintptr(p), uintptr(size), uintptr(offset), uintptr(h), 0)
}

// MemUnmap takes memory away from addresses. It waits for no work.
func (d *device) MemUnmap(p api.Ptr, size int) error {
	return d.direct(&d.b.fn.optional.memUnmap, uintptr(p), uintptr(size))
}

// MemSetAccess says what a device may do with mapped addresses.
func (d *device) MemSetAccess(p api.Ptr, size int, device int, access api.Access) error {
	desc, err := d.b.accessOf(device, access)
	if err != nil {
		return err
	}
	err = d.direct(&d.b.fn.optional.memSetAccess, uintptr(p), uintptr(size), loader.AddressOf(desc), 1)
	runtime.KeepAlive(desc)
	return err
}

// MemExport makes physical memory available to another process.
func (d *device) MemExport(h api.MemHandle, t api.HandleType) (api.Shareable, error) {
	return d.export(&d.b.fn.optional.memExport, uintptr(h), t)
}

// MemImport opens physical memory that another process exported.
func (d *device) MemImport(s api.Shareable) (api.MemHandle, error) {
	h, err := d.importHandle(&d.b.fn.optional.memImport, s)
	return api.MemHandle(h), err
}
