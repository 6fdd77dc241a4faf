package driver

import (
	"fmt"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Pool is one of the driver's own memory pools (cudaMemPool_t), from which
// stream-ordered allocations come.
type Pool struct {
	dev   *Device
	raw   api.Pool
	owned bool
	gate  gate
}

// PoolAttribute names a property of a Pool.
type PoolAttribute = api.PoolAttribute

// Attributes of a pool. The Reuse ones are switches, 0 or 1; the others are
// bytes. The high-water marks can be set to 0 to start anew.
const (
	PoolReuseFollowEventDependencies   = api.PoolReuseFollowEventDependencies
	PoolReuseAllowOpportunistic        = api.PoolReuseAllowOpportunistic
	PoolReuseAllowInternalDependencies = api.PoolReuseAllowInternalDependencies
	PoolReleaseThreshold               = api.PoolReleaseThreshold
	PoolReservedCurrent                = api.PoolReservedCurrent
	PoolReservedHigh                   = api.PoolReservedHigh
	PoolUsedCurrent                    = api.PoolUsedCurrent
	PoolUsedHigh                       = api.PoolUsedHigh
)

// PoolOptions describes a pool to create.
type PoolOptions struct {
	// MaxSize limits the pool in bytes (CUDA 12.2). Default: what the device has.
	MaxSize int
	// Handles lets Export make the pool available to other processes, as a file
	// descriptor or a fabric handle. Default: HandleNone.
	Handles HandleType
}

// NewPool creates a memory pool on the device. Its release threshold is CUDA's,
// 0: everything free goes back to the device at the next synchronisation. Close
// it after use.
func (d *Device) NewPool(opts PoolOptions) (*Pool, error) {
	const call = "Device.NewPool"
	if opts.MaxSize < 0 {
		return nil, badArgument(call, "MaxSize is %d bytes: it must not be negative", opts.MaxSize)
	}
	if err := d.needPools(call); err != nil {
		return nil, err
	}
	if err := d.register(call); err != nil {
		return nil, err
	}
	raw, err := d.raw.PoolCreate(api.PoolProps{MaxSize: opts.MaxSize, HandleTypes: int32(opts.Handles)})
	if err != nil {
		d.drv.open.Add(-1)
		return nil, err
	}
	return &Pool{dev: d, raw: raw, owned: true, gate: newGate()}, nil
}

// DefaultPool returns the device's default memory pool, always the same *Pool.
// It cannot be closed; the driver's Close ends it.
func (d *Device) DefaultPool() (*Pool, error) {
	const call = "Device.DefaultPool"
	if err := d.needPools(call); err != nil {
		return nil, err
	}
	if err := d.enter(call); err != nil {
		return nil, err
	}
	defer d.drv.gate.leave()
	return d.defaultPool.get(d)
}

// defaultPool is a device's default pool, asked for when first needed. The
// device closes it.
type defaultPool struct {
	mu   sync.Mutex
	pool *Pool
}

func (p *defaultPool) get(d *Device) (*Pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pool != nil {
		return p.pool, nil
	}
	raw, err := d.raw.DefaultPool()
	if err != nil {
		return nil, err
	}
	p.pool = &Pool{dev: d, raw: raw, gate: newGate()}
	return p.pool, nil
}

func (p *defaultPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pool != nil {
		p.pool.gate.shut()
	}
}

func (d *Device) needPools(call string) error {
	if d == nil {
		return nilDevice(call)
	}
	ok, err := d.Has(AttrMemoryPoolsSupported)
	if err == nil && !ok {
		err = &UnsupportedError{Feature: "stream-ordered allocation", Reason: fmt.Sprintf("%v has no memory pools (they need CUDA 11.2 and a GPU that offers them)", d)}
	}
	return err
}

// Device is the device whose memory the pool holds.
func (p *Pool) Device() *Device { return p.dev }

// Handle is the CUmemoryPool, for C libraries in the same process.
func (p *Pool) Handle() uintptr { return uintptr(p.raw) }

// MemAllocAsync allocates size bytes from the pool, usable by work on s from
// here on. The stream must belong to the pool's device.
func (p *Pool) MemAllocAsync(size int, s *Stream) (Ptr, error) {
	const call = "Pool.MemAllocAsync"
	if size <= 0 {
		return 0, badSize(call, size)
	}
	if err := p.enter(call); err != nil {
		return 0, err
	}
	if err := s.enter(call); err != nil {
		p.gate.leave()
		return 0, err
	}
	var ptr Ptr
	var err error
	if s.dev == p.dev {
		ptr, err = p.dev.raw.MemAllocFromPoolAsync(size, p.raw, s.raw)
	} else {
		err = wrongDevice(call, s.String(), s.dev, p.dev)
	}
	s.gate.leave()
	p.gate.leave()
	return ptr, err
}

// Attribute reads a property of the pool.
func (p *Pool) Attribute(a PoolAttribute) (uint64, error) {
	if err := p.enter("Pool.Attribute"); err != nil {
		return 0, err
	}
	defer p.gate.leave()
	return p.dev.raw.PoolAttribute(p.raw, a)
}

// SetAttribute sets a switch or the release threshold, or resets a high-water
// mark to 0.
func (p *Pool) SetAttribute(a PoolAttribute, value uint64) error {
	if err := p.enter("Pool.SetAttribute"); err != nil {
		return err
	}
	defer p.gate.leave()
	return p.dev.raw.PoolSetAttribute(p.raw, a, value)
}

// Trim gives free memory back to the device, but lets at least keep bytes stay
// reserved. Memory whose release has not completed stays.
func (p *Pool) Trim(keep int) error {
	if keep < 0 {
		return badArgument("Pool.Trim", "keep is %d bytes: it must not be negative", keep)
	}
	if err := p.enter("Pool.Trim"); err != nil {
		return err
	}
	defer p.gate.leave()
	return p.dev.raw.PoolTrim(p.raw, keep)
}

// Close destroys a pool that NewPool made. Its live allocations stay valid, and
// its memory goes back to the device when the last is freed. A second Close is
// ErrClosed.
func (p *Pool) Close() error {
	if p == nil || !p.owned {
		return badArgument("Pool.Close", "only pools made by NewPool can be closed")
	}
	if !p.gate.shut() {
		return p.closedError("Pool.Close")
	}
	defer p.dev.drv.open.Add(-1)
	return p.dev.raw.PoolDestroy(p.raw)
}

// enter holds the pool open for one call; the caller leaves p.gate.
func (p *Pool) enter(call string) error {
	if p == nil {
		return badArgument(call, "the pool is nil")
	}
	if !p.gate.enter() {
		return p.closedError(call)
	}
	return nil
}

func (p *Pool) closedError(call string) error {
	return fmt.Errorf("%s: the pool is %w", call, ErrClosed)
}
