package driver

import "github.com/rmm-go/rmm-go/driver/internal/api"

// Advice is a hint on managed memory.
type Advice = api.Advice

// The hints.
const (
	AdviseSetReadMostly          = api.AdviseSetReadMostly
	AdviseUnsetReadMostly        = api.AdviseUnsetReadMostly
	AdviseSetPreferredLocation   = api.AdviseSetPreferredLocation
	AdviseUnsetPreferredLocation = api.AdviseUnsetPreferredLocation
	AdviseSetAccessedBy          = api.AdviseSetAccessedBy
	AdviseUnsetAccessedBy        = api.AdviseUnsetAccessedBy
)

// hostLocation is the host where CUDA expects the ordinal of a device.
const hostLocation = -1

// RangeAttribute is a property of a range of managed memory.
type RangeAttribute = api.RangeAttribute

// The range attributes. Locations are device ordinals, -1 the host, -2 none.
const (
	RangeReadMostly           = api.RangeReadMostly
	RangePreferredLocation    = api.RangePreferredLocation
	RangeLastPrefetchLocation = api.RangeLastPrefetchLocation
)

// MemAdvise gives a hint on n bytes of managed memory. The hint concerns the
// device to, or the host if it is nil.
func (d *Device) MemAdvise(p Ptr, n int, advice Advice, to *Device) error {
	const call = "Device.MemAdvise"
	if n <= 0 {
		return badSize(call, n)
	}
	return with(d, call, func(m api.ManagedHints) error {
		if to == nil {
			return m.MemAdvise(p, n, advice, hostLocation)
		}
		if err := d.sameDriver(call, to); err != nil {
			return err
		}
		return m.MemAdvise(p, n, advice, to.Ordinal())
	})
}

// MemRangeAttribute asks for a property of n bytes of managed memory.
func (d *Device) MemRangeAttribute(p Ptr, n int, a RangeAttribute) (value int, err error) {
	const call = "Device.MemRangeAttribute"
	if n <= 0 {
		return 0, badSize(call, n)
	}
	err = with(d, call, func(m api.ManagedHints) (err error) {
		value, err = m.MemRangeAttribute(p, n, a)
		return err
	})
	return value, err
}

// MemHostRegister pins memory that the caller allocated outside the Go heap and
// maps it for every device. Keep it where it is until MemHostUnregister: nobody
// else keeps it alive.
func (d *Device) MemHostRegister(memory []byte) error {
	const call = "Device.MemHostRegister"
	if len(memory) == 0 {
		return badSize(call, 0)
	}
	return with(d, call, func(h api.HostRegister) error { return h.MemHostRegister(memory) })
}

// MemHostUnregister takes MemHostRegister back.
func (d *Device) MemHostUnregister(memory []byte) error {
	const call = "Device.MemHostUnregister"
	if len(memory) == 0 {
		return badSize(call, 0)
	}
	return with(d, call, func(h api.HostRegister) error { return h.MemHostUnregister(memory) })
}
