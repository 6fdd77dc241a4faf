package driver

import "github.com/rmm-go/rmm-go/driver/internal/api"

// CanAccessPeer reports whether the device can reach memory of another one
// directly. A device is no peer of itself.
func (d *Device) CanAccessPeer(peer *Device) (can bool, err error) {
	err = d.withPeer("Device.CanAccessPeer", peer, func(p api.Peer) (err error) {
		can, err = p.CanAccessPeer(peer.Ordinal())
		return err
	})
	return can, err
}

// EnablePeerAccess lets the device reach plain memory (MemAlloc) of the peer.
// Neither pools (Pool.SetAccess) nor virtual memory (MemSetAccess) follow it.
func (d *Device) EnablePeerAccess(peer *Device) error {
	return d.withPeer("Device.EnablePeerAccess", peer, func(p api.Peer) error { return p.EnablePeerAccess(peer.Ordinal()) })
}

// DisablePeerAccess takes EnablePeerAccess back.
func (d *Device) DisablePeerAccess(peer *Device) error {
	return d.withPeer("Device.DisablePeerAccess", peer, func(p api.Peer) error { return p.DisablePeerAccess(peer.Ordinal()) })
}

func (d *Device) withPeer(call string, peer *Device, f func(api.Peer) error) error {
	if peer == nil {
		return badArgument(call, "the other device is nil: use Driver.Device")
	}
	return with(d, call, func(p api.Peer) error {
		if err := d.sameDriver(call, peer); err != nil {
			return err
		}
		return f(p)
	})
}

// SetAccess says what a device may do with the memory of the pool:
// AccessReadWrite, or AccessNone.
func (p *Pool) SetAccess(who *Device, access Access) error {
	const call = "Pool.SetAccess"
	if err := checkAccess(call, access); err != nil {
		return err
	}
	return p.withPeer(call, who, func(peer api.Peer) error { return peer.PoolSetAccess(p.raw, who.Ordinal(), access) })
}

// Access is what a device may do with the memory of the pool.
func (p *Pool) Access(who *Device) (access Access, err error) {
	err = p.withPeer("Pool.Access", who, func(peer api.Peer) (err error) {
		access, err = peer.PoolAccess(p.raw, who.Ordinal())
		return err
	})
	return access, err
}

func (p *Pool) withPeer(call string, who *Device, f func(api.Peer) error) error {
	if err := p.enter(call); err != nil {
		return err
	}
	defer p.gate.leave()
	return p.dev.withPeer(call, who, f)
}
