package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// PrefetchAsync moves nothing, because managed memory exists once; where to is
// noted for MemRangeAttribute.
func (d *device) PrefetchAsync(p api.Ptr, n int, toDevice int, s api.Stream) error {
	const call = "cuMemPrefetchAsync"
	if err := d.enter(call); err != nil {
		return err
	}
	for _, ordinal := range []int{toDevice, d.info.Ordinal} { // the stream's device takes part
		if err := d.machine.location(call, ordinal); err != nil {
			return err
		}
	}
	if err := d.uncapturable(call, s); err != nil {
		return err
	}
	h := d.machine.host
	h.mu.Lock()
	defer h.mu.Unlock()
	b, err := h.managed(call, p, n)
	if err != nil {
		return err
	}
	if _, err := d.submit(call, s, func() (work, error) { return nil, nil }); err != nil {
		return err
	}
	b.hint(p, n, func(h *hint) { h.prefetched = toDevice + 2 })
	return nil
}
