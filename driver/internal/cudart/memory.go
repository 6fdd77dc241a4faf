package cudart

import "github.com/rmm-go/rmm-go/driver/internal/api"

// attachGlobal is cudaMemAttachGlobal: any stream on any device may touch it.
const attachGlobal = 1

// MemAlloc allocates device memory.
func (d *device) MemAlloc(size int) (api.Ptr, error) {
	p, err := d.callOut(&d.b.rt.malloc, uintptr(size))
	return api.Ptr(p), err
}

// MemFree frees what MemAlloc or MemAllocManaged returned.
func (d *device) MemFree(p api.Ptr) error { return d.call(&d.b.rt.free, uintptr(p)) }

// MemAllocManaged allocates managed memory, attached globally.
func (d *device) MemAllocManaged(size int) (api.Ptr, error) {
	p, err := d.callOut(&d.b.rt.mallocManaged, uintptr(size), attachGlobal)
	return api.Ptr(p), err
}

// MemHostAlloc allocates pinned host memory.
func (d *device) MemHostAlloc(size int, flags api.HostAllocFlags) (api.Ptr, error) {
	p, err := d.callOut(&d.b.rt.hostAlloc, uintptr(size), uintptr(flags))
	return api.Ptr(p), err
}

// MemHostFree frees what MemHostAlloc returned.
func (d *device) MemHostFree(p api.Ptr) error { return d.call(&d.b.rt.freeHost, uintptr(p)) }

// MemAllocAsync allocates from the device's current pool, in s's order. On an
// explicit stream that is the pool of the stream's device.
func (d *device) MemAllocAsync(size int, s api.Stream) (api.Ptr, error) {
	p, err := d.callOut(&d.b.rt.mallocAsync, uintptr(size), handle(s))
	return api.Ptr(p), err
}

// MemAllocFromPoolAsync allocates from a pool, in s's order.
func (d *device) MemAllocFromPoolAsync(size int, pool api.Pool, s api.Stream) (api.Ptr, error) {
	p, err := d.callOut(&d.b.rt.mallocFromPoolAsync, uintptr(size), uintptr(pool), handle(s))
	return api.Ptr(p), err
}

// MemFreeAsync frees stream-ordered memory, in s's order.
func (d *device) MemFreeAsync(p api.Ptr, s api.Stream) error {
	return d.call(&d.b.rt.freeAsync, uintptr(p), handle(s))
}
