package cuda

import (
	"bytes"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// device is one GPU with its primary context retained.
type device struct {
	b       *backend
	id      uintptr        // CUdevice
	context atomic.Uintptr // CUcontext; PrimaryContextReset changes it
	info    api.DeviceInfo
}

var _ api.Device = (*device)(nil)

func (b *backend) open(ordinal int) (*device, error) {
	id, err := b.callOut(&b.fn.deviceGet, uintptr(ordinal))
	if err != nil {
		return nil, err
	}
	d := &device{b: b, id: uintptr(id), info: api.DeviceInfo{Ordinal: ordinal}}
	if err := d.describe(); err != nil {
		return nil, err
	}
	context, err := b.callOut(&b.fn.primaryCtxRetain, d.id)
	if err != nil {
		return nil, err
	}
	d.context.Store(uintptr(context))
	return d, nil
}

// describe reads what never changes.
func (d *device) describe() error {
	fn := &d.b.fn
	name := make([]byte, 256)
	if err := d.b.call(&fn.deviceGetName, loader.AddressOf(&name[0]), uintptr(len(name)), d.id); err != nil {
		return err
	}
	text, _, _ := bytes.Cut(name, []byte{0})
	d.info.Name = string(text)
	if err := d.b.call(&fn.deviceGetUUID, loader.AddressOf(&d.info.UUID), d.id); err != nil {
		return err
	}
	total, err := d.b.callOut(&fn.deviceTotalMem, d.id)
	d.info.TotalMemory = int(total)
	return err
}

// Info is what never changes about the device.
func (d *device) Info() api.DeviceInfo { return d.info }

// Attribute reads a device attribute.
func (d *device) Attribute(a api.Attribute) (int, error) {
	value, err := d.b.callOut(&d.b.fn.deviceAttribute, uintptr(a), d.id)
	return int(int32(value)), err
}

// MemInfo returns free and total bytes of the device.
func (d *device) MemInfo() (free, total int, err error) {
	f := loader.Acquire()
	defer f.Release()
	f.Set(f.WordAddr(0), f.WordAddr(1))
	if err := d.invokeCurrent(f, &d.b.fn.memGetInfo); err != nil {
		return 0, 0, err
	}
	return int(f.Word(0)), int(f.Word(1)), nil
}

// Synchronize waits for all work of the primary context.
func (d *device) Synchronize() error { return d.current(&d.b.fn.ctxSynchronize) }
