package sim

import (
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var _ api.Peer = (*device)(nil)

// peers are the devices whose plain memory a device's kernels may use.
type peers struct {
	mu      sync.RWMutex
	enabled map[*device]bool
}

func (p *peers) has(d *device) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.enabled[d]
}

// reaches reports whether the machine lets a device use memory of another one.
func (m *Machine) reaches(d, peer *device) bool {
	return d == peer || m.config.PeerAccess == nil || m.config.PeerAccess(d.info.Ordinal, peer.info.Ordinal)
}

// CanAccessPeer is false for the device itself.
func (d *device) CanAccessPeer(ordinal int) (bool, error) {
	const call = "cuDeviceCanAccessPeer"
	if err := d.machine.enter(call); err != nil {
		return false, err
	}
	peer, err := d.machine.peer(call, ordinal)
	if err != nil {
		return false, err
	}
	return peer != d && d.machine.reaches(d, peer), nil
}

func (m *Machine) peer(call string, ordinal int) (*device, error) {
	if ordinal < 0 || ordinal >= len(m.devices) {
		return nil, fail(call, api.CodeInvalidDevice, "device %d does not exist, there are %d", ordinal, len(m.devices))
	}
	return m.devices[ordinal], nil
}

func (d *device) EnablePeerAccess(ordinal int) error {
	const call = "cuCtxEnablePeerAccess"
	return d.onPeer(call, ordinal, func(peer *device) error {
		switch {
		case peer == d:
			return fail(call, codePeerAccessUnsupported, "a device is no peer of itself")
		case !d.machine.reaches(d, peer):
			return fail(call, codePeerAccessUnsupported, "device %d cannot reach device %d: ask CanAccessPeer first", d.info.Ordinal, ordinal)
		case d.peers.enabled[peer]:
			return fail(call, api.CodePeerAccessEnabled, "device %d has access to device %d already", d.info.Ordinal, ordinal)
		}
		if d.peers.enabled == nil {
			d.peers.enabled = map[*device]bool{}
		}
		d.peers.enabled[peer] = true
		return nil
	})
}

func (d *device) DisablePeerAccess(ordinal int) error {
	const call = "cuCtxDisablePeerAccess"
	return d.onPeer(call, ordinal, func(peer *device) error {
		if !d.peers.enabled[peer] {
			return fail(call, api.CodePeerAccessNotEnabled, "device %d has no access to device %d", d.info.Ordinal, ordinal)
		}
		delete(d.peers.enabled, peer)
		return nil
	})
}

// onPeer runs f on another device, with this device's peers locked.
func (d *device) onPeer(call string, ordinal int, f func(*device) error) error {
	if err := d.enter(call); err != nil {
		return err
	}
	peer, err := d.machine.peer(call, ordinal)
	if err != nil {
		return err
	}
	d.peers.mu.Lock()
	defer d.peers.mu.Unlock()
	return f(peer)
}

// PoolSetAccess cannot take the access of the pool's own device away.
func (d *device) PoolSetAccess(handle api.Pool, ordinal int, access api.Access) error {
	const call = "cuMemPoolSetAccess"
	return d.onPool(call, handle, func(p *pool) error {
		if err := d.machine.validAccess(call, ordinal, access); err != nil {
			return err
		}
		who := d.machine.devices[ordinal]
		switch {
		case who == d && access != api.AccessReadWrite:
			return fail(call, api.CodeInvalidValue, "the device of a pool keeps its access to it")
		case !d.machine.reaches(who, d):
			return fail(call, api.CodeInvalidDevice, "device %d cannot reach memory of device %d: they are no peers", ordinal, d.info.Ordinal)
		}
		p.access[ordinal] = access
		return nil
	})
}

func (d *device) PoolAccess(handle api.Pool, ordinal int) (access api.Access, err error) {
	const call = "cuMemPoolGetAccess"
	err = d.onPool(call, handle, func(p *pool) error {
		if _, err := d.machine.peer(call, ordinal); err != nil {
			return err
		}
		access = p.access[ordinal]
		return nil
	})
	return access, err
}
