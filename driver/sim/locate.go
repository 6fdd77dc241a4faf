package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// place finds n bytes inside one live allocation, or of mapped virtual
// addresses that the device can use. The caller holds host.mu and keeps it
// until the operation is enqueued.
func (d *device) place(call string, p api.Ptr, n int, access api.Access) (place, error) {
	if virtual(p) {
		return d.virtualPlace(call, p, n, access)
	}
	b, owner, ok := d.machine.block(p)
	switch {
	case !ok:
		return place{}, fail(call, api.CodeInvalidValue, "%v is in no live allocation", p)
	case n < 0 || uintptr(n) > b.end()-uintptr(p):
		return place{}, fail(call, api.CodeInvalidValue, "%d bytes at %v do not lie in the allocation of %d bytes at %#x", n, p, b.asked, b.base)
	case owner == nil:
		return place{host: b.bytes(p, n)}, nil
	}
	return place{pages: &owner.memory.pages, base: uintptr(p)}, nil
}

// block finds the allocation that contains p, and the device whose memory it
// is, nil for host memory. The caller holds host.mu.
func (m *Machine) block(p api.Ptr) (b block, owner *device, ok bool) {
	if owner = m.deviceOf(p); owner != nil {
		b, ok = owner.memory.lookup(p)
		return b, owner, ok
	}
	if live := m.host.live.find(p); live != nil {
		return *live, nil, true
	}
	return block{}, nil, false
}
