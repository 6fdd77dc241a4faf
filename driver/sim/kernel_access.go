package sim

import (
	"errors"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// place is n numbers of a size, for the kernel to read or write.
func (k *Kernel) place(p Ptr, n, size int, access api.Access) place {
	if n < 0 || n > hugeSize {
		k.fail(api.CodeIllegalAddress, "it uses %d numbers at %v", n, p)
	}
	if n == 0 {
		return place{}
	}
	if int(p)%size != 0 {
		k.fail(api.CodeMisalignedAddress, "it uses %v, which is no multiple of %d bytes", p, size)
	}
	d := k.device
	h := d.machine.host
	h.mu.RLock()
	defer h.mu.RUnlock()
	at, err := d.place("kernel "+k.name, p, n*size, access)
	if err != nil {
		var why *api.Error
		errors.As(err, &why)
		k.fail(api.CodeIllegalAddress, "%s", why.Detail)
	}
	if owner := d.machine.deviceOf(p); owner != nil && owner != d && !d.sees(owner, p, access) {
		k.fail(api.CodeIllegalAddress, "device %d has no access to %v on device %d: plain memory needs EnablePeerAccess, memory of a pool PoolSetAccess", d.info.Ordinal, p, owner.info.Ordinal)
	}
	d.machine.graph.check.Access(k.act, checker.Range{Ptr: p, Size: n * size, Write: access == api.AccessReadWrite})
	return at
}

// sees reports whether kernels on the device may use memory of another one.
// Memory of pools does not follow the access between contexts.
func (d *device) sees(owner *device, p Ptr, access api.Access) bool {
	m := owner.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.live.find(p)
	if b != nil && b.pool != nil {
		return b.pool.access[d.info.Ordinal]&access == access
	}
	return d.peers.has(owner)
}
