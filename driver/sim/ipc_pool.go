package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

func (d *device) PoolExport(handle api.Pool, t api.HandleType) (s api.Shareable, err error) {
	const call = "cuMemPoolExportToShareableHandle"
	err = d.onPool(call, handle, func(p *pool) (err error) {
		if t == api.HandleNone || p.handles&t != t {
			return fail(call, api.CodeInvalidValue, "the pool was not made for handle type %d: ask for it in PoolProps.HandleTypes", t)
		}
		s, err = d.machine.exports.add(p).share(call, t)
		return err
	})
	return s, err
}

// PoolImport makes a pool that only PoolImportPointer fills.
func (d *device) PoolImport(s api.Shareable) (api.Pool, error) {
	const call = "cuMemPoolImportFromShareableHandle"
	if err := d.enterPools(call); err != nil {
		return 0, err
	}
	object, err := d.machine.exports.shared(call, s)
	if err != nil {
		return 0, err
	}
	origin, ok := object.(*pool)
	if !ok {
		return 0, fail(call, api.CodeInvalidValue, "the handle is not one of a pool that still exists")
	}
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	p := d.memory.addPool(api.PoolProps{})
	p.imported = origin
	return p.handle, nil
}

func (d *device) PoolExportPointer(p api.Ptr) (data api.PoolPointer, err error) {
	const call = "cuMemPoolExportPointer"
	if err := d.enterPools(call); err != nil {
		return data, err
	}
	owner := d.machine.deviceOf(p)
	if owner == nil {
		return data, notExported(call, p)
	}
	a, ok := owner.memory.mark(p, func(b *block) bool { return b.pool != nil && b.pool.handles != 0 })
	if !ok {
		return data, notExported(call, p)
	}
	t := d.machine.exports.add(a)
	copy(data[:], t[:])
	return data, nil
}

func notExported(call string, p api.Ptr) error {
	return fail(call, api.CodeInvalidValue, "%v is not in memory of a pool that was made for export", p)
}

// PoolImportPointer gives the allocation a second address.
func (d *device) PoolImportPointer(handle api.Pool, data api.PoolPointer) (api.Ptr, error) {
	const call = "cuMemPoolImportPointer"
	var origin *pool
	err := d.onPool(call, handle, func(p *pool) error {
		origin = p.imported
		return nil
	})
	if err != nil {
		return 0, err
	}
	source, ok := d.machine.exports.find(data[:]).(allocation)
	size := 0
	if ok && origin != nil && source.pool == origin {
		size = source.size()
	}
	if size == 0 {
		return 0, fail(call, api.CodeInvalidValue, "the data does not name a live allocation of the pool from which this one was imported")
	}
	a := &d.machine.space
	a.mu.Lock()
	defer a.mu.Unlock()
	if r := d.open(source, size); r != nil {
		return api.Ptr(r.base), nil
	}
	return 0, fail(call, api.CodeOutOfMemory, "no %d bytes of simulated addresses are free", size)
}
