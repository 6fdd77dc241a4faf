package cudart

import (
	"bytes"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// device is one GPU with its primary context retained. The runtime counts
// devices as the driver does.
type device struct {
	b       *backend
	id      uintptr // CUdevice
	context uintptr // CUcontext
	info    api.DeviceInfo
}

var (
	_ api.Device       = (*device)(nil)
	_ api.Peer         = (*device)(nil)
	_ api.IPC          = (*device)(nil)
	_ api.HostRegister = (*device)(nil)
	_ api.ManagedHints = (*device)(nil)
	_ api.Graphs       = (*device)(nil)
)

func (b *backend) open(ordinal int) (*device, error) {
	id, err := b.driverOut(&b.drv.deviceGet, uintptr(ordinal))
	if err != nil {
		return nil, err
	}
	d := &device{b: b, id: uintptr(id), info: api.DeviceInfo{Ordinal: ordinal}}
	if err := d.describe(); err != nil {
		return nil, err
	}
	context, err := b.driverOut(&b.drv.primaryCtxRetain, d.id)
	if err != nil {
		return nil, err
	}
	d.context = uintptr(context)
	return d, nil
}

// describe reads what never changes. cudaDeviceProp has it too, in a layout that
// differs between versions.
func (d *device) describe() error {
	drv := &d.b.drv
	name := make([]byte, 256)
	if err := d.b.driver(&drv.deviceGetName, loader.AddressOf(&name[0]), uintptr(len(name)), d.id); err != nil {
		return err
	}
	text, _, _ := bytes.Cut(name, []byte{0})
	d.info.Name = string(text)
	if err := d.b.driver(&drv.deviceGetUUID, loader.AddressOf(&d.info.UUID), d.id); err != nil {
		return err
	}
	total, err := d.b.driverOut(&drv.deviceTotalMem, d.id)
	d.info.TotalMemory = int(total)
	return err
}

// Info is what never changes about the device.
func (d *device) Info() api.DeviceInfo { return d.info }

// Attribute reads a device attribute. The runtime's cudaDeviceAttr lacks some of
// the driver's (virtual memory, the ways to export it).
func (d *device) Attribute(a api.Attribute) (int, error) {
	value, err := d.b.driverOut(&d.b.drv.deviceAttribute, uintptr(a), d.id)
	return int(int32(value)), err
}

// MemInfo returns free and total bytes of the device.
func (d *device) MemInfo() (free, total int, err error) {
	f := loader.Acquire()
	defer f.Release()
	f.Set(f.WordAddr(0), f.WordAddr(1))
	if err := d.invoke(f, &d.b.rt.memGetInfo); err != nil {
		return 0, 0, err
	}
	return int(f.Word(0)), int(f.Word(1)), nil
}

// Synchronize waits for all work of the primary context.
func (d *device) Synchronize() error { return d.call(&d.b.rt.deviceSynchronize) }
