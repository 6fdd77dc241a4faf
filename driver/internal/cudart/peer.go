package cudart

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// CanAccessPeer reports whether this device can reach the memory of peer.
func (d *device) CanAccessPeer(peer int) (bool, error) {
	if _, err := d.b.device(peer); err != nil {
		return false, err
	}
	can, err := d.callOut(&d.b.rt.canAccessPeer, d.ordinal(), uintptr(peer))
	return int32(can) != 0, err
}

// EnablePeerAccess lets this device reach plain memory of the peer.
func (d *device) EnablePeerAccess(peer int) error {
	if _, err := d.b.device(peer); err != nil {
		return err
	}
	return d.call(&d.b.rt.enablePeerAccess, uintptr(peer), 0)
}

// DisablePeerAccess ends what EnablePeerAccess began.
func (d *device) DisablePeerAccess(peer int) error {
	if _, err := d.b.device(peer); err != nil {
		return err
	}
	return d.call(&d.b.rt.disablePeerAccess, uintptr(peer))
}

// PoolSetAccess lets a device reach the memory of a pool of this device.
func (d *device) PoolSetAccess(pool api.Pool, device int, access api.Access) error {
	if _, err := d.b.device(device); err != nil {
		return err
	}
	f := loader.Acquire()
	defer f.Release()
	// cudaMemAccessDesc is a location and an int.
	f.SetWord(0, locationOf(device).word())
	f.SetWord(1, uint64(access))
	f.Set(uintptr(pool), f.WordAddr(0), 1)
	return d.invoke(f, &d.b.rt.poolSetAccess)
}

// PoolAccess is what a device may do with the memory of a pool.
func (d *device) PoolAccess(pool api.Pool, device int) (api.Access, error) {
	if _, err := d.b.device(device); err != nil {
		return api.AccessNone, err
	}
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	f.SetWord(1, locationOf(device).word())
	f.Set(f.WordAddr(0), uintptr(pool), f.WordAddr(1))
	if err := d.invoke(f, &d.b.rt.poolGetAccess); err != nil {
		return api.AccessNone, err
	}
	return api.Access(f.Int32(0)), nil
}
