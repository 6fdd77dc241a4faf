package sim

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// window is how the work of a call on a device sees virtual addresses.
type window struct {
	space  *addressSpace
	device *device
	call   string
}

// bytes returns contiguous memory at p, at most n bytes. What is not mapped and
// accessible when the work gets there is a fault.
func (w *window) bytes(p uintptr, n int, access api.Access) []byte {
	w.space.mu.RLock()
	defer w.space.mu.RUnlock()
	m := w.space.mapping(p)
	if why := m.refuses(p, w.device, access); why != "" {
		fault(w.call, api.CodeIllegalAddress, "%s", why)
	}
	n = min(n, int(m.end()-p))
	pages, at := &m.device.memory.pages, m.at+(p-m.base)
	var b []byte
	if access == api.AccessRead {
		b = pages.read(at)
	} else {
		b = pages.write(at)
	}
	return b[:min(n, len(b))]
}

// refuses says why a device cannot use the mapping at p, "" if it can. A nil
// mapping is what is not there.
func (m *mapping) refuses(p uintptr, d *device, access api.Access) string {
	if m == nil {
		return fmt.Sprintf("nothing is mapped at %#x", p)
	}
	if m.access[d.info.Ordinal]&access != access {
		return fmt.Sprintf("MemSetAccess does not let device %d use %#x in this way", d.info.Ordinal, p)
	}
	return ""
}

// check says why a device cannot use n bytes at p, "" if it can.
func (a *addressSpace) check(p uintptr, n int, d *device, access api.Access) string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for end := p + uintptr(n); ; {
		m := a.mapping(p)
		if why := m.refuses(p, d, access); why != "" {
			return why
		}
		if p = m.end(); p >= end {
			return ""
		}
	}
}

// virtualPlace is n bytes of virtual addresses for a call on the device.
func (d *device) virtualPlace(call string, p api.Ptr, n int, access api.Access) (place, error) {
	a := &d.machine.space
	if n < 0 || n > hugeSize {
		return place{}, fail(call, api.CodeInvalidValue, "%d bytes at %v are impossible", n, p)
	}
	if why := a.check(uintptr(p), n, d, access); why != "" {
		return place{}, fail(call, api.CodeInvalidValue, "%d bytes at %v: %s", n, p, why)
	}
	return place{window: &window{a, d, call}, base: uintptr(p)}, nil
}
