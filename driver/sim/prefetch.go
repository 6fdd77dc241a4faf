package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// PrefetchAsync moves nothing, because managed memory exists once; where to is
// noted for Machine.PrefetchedTo.
func (d *device) PrefetchAsync(p api.Ptr, n int, toDevice int, s api.Stream) error {
	const call = "cuMemPrefetchAsync"
	if err := d.enter(call); err != nil {
		return err
	}
	m := d.machine
	if toDevice < -1 || toDevice >= len(m.devices) {
		return fail(call, api.CodeInvalidDevice, "device %d does not exist: use -1 for the host, or 0 to %d", toDevice, len(m.devices)-1)
	}
	if v, _ := d.attribute(api.AttrConcurrentManagedAccess); v == 0 {
		return fail(call, api.CodeInvalidDevice, "device %d is configured without concurrent managed access", d.info.Ordinal)
	}
	m.host.mu.Lock()
	defer m.host.mu.Unlock()
	b := m.host.live.find(p)
	if b == nil || b.kind != api.MemoryManaged || n <= 0 || uintptr(n) > b.end()-uintptr(p) {
		return fail(call, api.CodeInvalidValue, "%d bytes at %v are not inside managed memory", n, p)
	}
	if err := d.uncapturable(call, s); err != nil {
		return err
	}
	if _, err := d.submit(call, s, func() (work, error) { return nil, nil }); err != nil {
		return err
	}
	b.prefetched = toDevice + 2
	return nil
}

// PrefetchedTo is the device to which the managed allocation that contains p
// was last prefetched, -1 for the host; false if it never was.
func (m *Machine) PrefetchedTo(p Ptr) (device int, ok bool) {
	b, _ := m.lookup(p)
	return b.prefetched - 2, b.prefetched != 0
}
