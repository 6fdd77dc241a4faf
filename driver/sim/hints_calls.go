package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

var _ api.ManagedHints = (*device)(nil)

// MemAdvise notes the hint for MemRangeAttribute, which cannot ask about
// accessed-by. No hint changes what memory does here.
func (d *device) MemAdvise(p api.Ptr, n int, advice api.Advice, ordinal int) error {
	const call = "cuMemAdvise"
	if err := d.enter(call); err != nil {
		return err
	}
	change, err := d.advice(call, advice, ordinal)
	if err != nil {
		return err
	}
	h := d.machine.host
	h.mu.Lock()
	defer h.mu.Unlock()
	b, err := h.managed(call, p, n)
	if err != nil {
		return err
	}
	b.hint(p, n, change)
	return nil
}

// advice is what a hint changes. Only some concern a device.
func (d *device) advice(call string, advice api.Advice, ordinal int) (func(*hint), error) {
	switch advice {
	case api.AdviseSetReadMostly, api.AdviseUnsetReadMostly:
		return func(h *hint) { h.readMostly = advice == api.AdviseSetReadMostly }, nil
	case api.AdviseUnsetPreferredLocation:
		return func(h *hint) { h.preferred = 0 }, nil
	case api.AdviseSetPreferredLocation:
		return func(h *hint) { h.preferred = ordinal + 2 }, d.machine.location(call, ordinal)
	case api.AdviseSetAccessedBy, api.AdviseUnsetAccessedBy:
		return func(*hint) {}, d.machine.location(call, ordinal)
	}
	return nil, fail(call, api.CodeInvalidValue, "advice %d: there are 1 to 6", advice)
}

// location checks where managed memory can be: on a device that takes hints, or
// on the host (-1).
func (m *Machine) location(call string, ordinal int) error {
	if ordinal < -1 || ordinal >= len(m.devices) {
		return fail(call, api.CodeInvalidDevice, "device %d does not exist: use -1 for the host, or 0 to %d", ordinal, len(m.devices)-1)
	}
	if ordinal == -1 {
		return nil
	}
	if v, _ := m.devices[ordinal].attribute(api.AttrConcurrentManagedAccess); v == 0 {
		return fail(call, api.CodeInvalidDevice, "device %d is configured without concurrent managed access", ordinal)
	}
	return nil
}

// MemRangeAttribute answers for a range whose pages differ as if nobody had
// given a hint.
func (d *device) MemRangeAttribute(p api.Ptr, n int, a api.RangeAttribute) (int, error) {
	const call = "cuMemRangeGetAttribute"
	if err := d.enter(call); err != nil {
		return 0, err
	}
	h := d.machine.host
	h.mu.RLock()
	defer h.mu.RUnlock()
	b, err := h.managed(call, p, n)
	if err != nil {
		return 0, err
	}
	from, to, _ := b.pages(p, n)
	switch a {
	case api.RangeReadMostly:
		return b.hints.common(from, to, hint.mostlyRead), nil
	case api.RangePreferredLocation:
		return b.hints.common(from, to, func(h hint) int { return h.preferred }) - 2, nil
	case api.RangeLastPrefetchLocation:
		return b.hints.common(from, to, func(h hint) int { return h.prefetched }) - 2, nil
	}
	return 0, fail(call, api.CodeInvalidValue, "attribute %d: the simulator has 1, 2 and 4", a)
}

func (h hint) mostlyRead() int {
	if h.readMostly {
		return 1
	}
	return 0
}
