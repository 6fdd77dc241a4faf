package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

func (d *device) DefaultPool() (api.Pool, error) {
	if err := d.enterPools("cuDeviceGetDefaultMemPool"); err != nil {
		return 0, err
	}
	return d.memory.current.handle, nil
}

func (d *device) PoolCreate(props api.PoolProps) (api.Pool, error) {
	const call = "cuMemPoolCreate"
	if err := d.enterPools(call); err != nil {
		return 0, err
	}
	supported, _ := d.attribute(api.AttrMempoolSupportedHandleTypes)
	if int(props.HandleTypes)&^supported != 0 {
		return 0, fail(call, api.CodeInvalidValue, "handle types %#x: the device supports %#x", props.HandleTypes, supported)
	}
	if props.MaxSize < 0 {
		return 0, fail(call, api.CodeInvalidValue, "the maximum size is %d bytes: it must not be negative", props.MaxSize)
	}
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	return d.memory.addPool(props).handle, nil
}

func (d *device) PoolDestroy(handle api.Pool) error {
	const call = "cuMemPoolDestroy"
	return d.onPool(call, handle, func(p *pool) error {
		m := p.memory
		if p == m.current {
			return fail(call, api.CodeInvalidValue, "a device's default pool cannot be destroyed")
		}
		m.handles.remove(uintptr(handle))
		d.machine.exports.remove(p)
		p.destroyed, p.threshold = true, 0
		p.trim(0)
		m.bury()
		return nil
	})
}

func (d *device) PoolAttribute(handle api.Pool, a api.PoolAttribute) (value uint64, err error) {
	const call = "cuMemPoolGetAttribute"
	err = d.onPool(call, handle, func(p *pool) error {
		v, ok := p.attribute(a)
		if !ok {
			return fail(call, api.CodeInvalidValue, "pools have no attribute %d", a)
		}
		value = v
		return nil
	})
	return value, err
}

func (p *pool) attribute(a api.PoolAttribute) (value uint64, ok bool) {
	switch a {
	case api.PoolReuseFollowEventDependencies, api.PoolReuseAllowOpportunistic, api.PoolReuseAllowInternalDependencies:
		if p.switches[a-1] {
			value = 1
		}
		return value, true
	case api.PoolReleaseThreshold:
		return p.threshold, true
	case api.PoolReservedCurrent:
		return uint64(p.reserved.now), true
	case api.PoolReservedHigh:
		return uint64(p.reserved.high), true
	case api.PoolUsedCurrent:
		return uint64(p.used.now), true
	case api.PoolUsedHigh:
		return uint64(p.used.high), true
	}
	return 0, false
}

func (d *device) PoolSetAttribute(handle api.Pool, a api.PoolAttribute, value uint64) error {
	const call = "cuMemPoolSetAttribute"
	return d.onPool(call, handle, func(p *pool) error {
		if !p.setAttribute(a, value) {
			return fail(call, api.CodeInvalidValue, "attribute %d cannot be set to %d: switches take 0 or 1, high-water marks 0, and current amounts cannot be set", a, value)
		}
		return nil
	})
}

func (p *pool) setAttribute(a api.PoolAttribute, value uint64) bool {
	switch a {
	case api.PoolReuseFollowEventDependencies, api.PoolReuseAllowOpportunistic, api.PoolReuseAllowInternalDependencies:
		if value <= 1 {
			p.switches[a-1] = value == 1
		}
		return value <= 1
	case api.PoolReleaseThreshold:
		p.threshold = value
		return true
	case api.PoolReservedHigh:
		return p.reserved.reset(value)
	case api.PoolUsedHigh:
		return p.used.reset(value)
	}
	return false
}

// reset starts the high-water mark anew.
func (g *gauge) reset(value uint64) bool {
	if value != 0 {
		return false
	}
	g.high = g.now
	return true
}

// PoolTrim keeps at least keep bytes reserved, as CUDA does.
func (d *device) PoolTrim(handle api.Pool, keep int) error {
	const call = "cuMemPoolTrimTo"
	return d.onPool(call, handle, func(p *pool) error {
		if keep < 0 {
			return fail(call, api.CodeInvalidValue, "%d bytes to keep: the number must not be negative", keep)
		}
		p.trim(uint64(keep))
		return nil
	})
}

// pool finds the pool of a handle. The caller holds mu.
func (m *memory) pool(call string, handle api.Pool) (*pool, error) {
	if p := m.handles.get(uintptr(handle)); p != nil {
		return p, nil
	}
	return nil, fail(call, api.CodeInvalidValue, "%#x is not a memory pool of this device, or not any more", uintptr(handle))
}

// onPool runs f on the pool of a handle, with the memory locked.
func (d *device) onPool(call string, handle api.Pool, f func(*pool) error) error {
	if err := d.enterPools(call); err != nil {
		return err
	}
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	p, err := d.memory.pool(call, handle)
	if err != nil {
		return err
	}
	return f(p)
}
