package cuda

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

var _ api.Peer = (*device)(nil)

// CanAccessPeer reports whether this device can reach memory of the peer. A
// device is no peer of itself.
func (d *device) CanAccessPeer(peer int) (bool, error) {
	other, err := d.b.device(peer)
	if err != nil {
		return false, err
	}
	can, err := d.b.callOut(&d.b.fn.optional.deviceCanAccessPeer, d.id, other.id)
	return uint32(can) != 0, err
}

// EnablePeerAccess lets work of this device's context reach plain memory of the
// peer's.
func (d *device) EnablePeerAccess(peer int) error {
	other, err := d.b.device(peer)
	if err != nil {
		return err
	}
	return d.current(&d.b.fn.optional.ctxEnablePeerAccess, other.context.Load(), 0)
}

// DisablePeerAccess takes EnablePeerAccess back.
func (d *device) DisablePeerAccess(peer int) error {
	other, err := d.b.device(peer)
	if err != nil {
		return err
	}
	return d.current(&d.b.fn.optional.ctxDisablePeerAccess, other.context.Load())
}

// PoolSetAccess says what a device may do with a pool's memory. The access of
// the device that the pool belongs to cannot be taken away.
func (d *device) PoolSetAccess(p api.Pool, device int, access api.Access) error {
	desc, err := d.b.accessOf(device, access)
	if err != nil {
		return err
	}
	err = d.direct(&d.b.fn.optional.poolSetAccess, uintptr(p), loader.AddressOf(desc), 1)
	runtime.KeepAlive(desc)
	return err
}

// PoolAccess is what a device may do with a pool's memory.
func (d *device) PoolAccess(p api.Pool, device int) (api.Access, error) {
	other, err := d.b.device(device)
	if err != nil {
		return api.AccessNone, err
	}
	where := other.location()
	access, err := d.directOut(&d.b.fn.optional.poolGetAccess, uintptr(p), loader.AddressOf(&where))
	runtime.KeepAlive(&where)
	return api.Access(uint32(access)), err
}
