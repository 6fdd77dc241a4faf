package mr

import (
	"errors"
	"fmt"
	"math"

	"go.uber.org/zap"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/internal/debuglog"
)

// CudaAsync takes blocks from a memory pool of the driver's own
// (cuMemAllocFromPoolAsync): 600 ns a pair on an H200 once the pool is warm, and
// nothing waits. It is RMM's cuda_async_memory_resource and the one to try
// first.
//
// Close it after use.
type CudaAsync struct {
	blocks
	lifetime
	pool *driver.Pool
}

// CudaAsyncOptions describes a CudaAsync. The zero value is an empty pool that
// keeps all memory it ever took.
type CudaAsyncOptions struct {
	// InitialSize is how many bytes the pool takes from the device when it is made.
	// Default: 0.
	InitialSize int
	// ReleaseThreshold is how many bytes the pool may keep free for later when a
	// stream, event or device is synchronised; the rest goes back to the device.
	// Default: no limit, nothing goes back before Trim or Close. For CUDA's own
	// default, use ReleaseAll.
	ReleaseThreshold int
}

// ReleaseAll as CudaAsyncOptions.ReleaseThreshold gives all free memory back at
// every synchronisation.
const ReleaseAll = -1

// threshold is the attribute that CUDA knows.
func (o CudaAsyncOptions) threshold() uint64 {
	switch o.ReleaseThreshold {
	case 0:
		return math.MaxUint64
	case ReleaseAll:
		return 0
	}
	return uint64(o.ReleaseThreshold)
}

func (o CudaAsyncOptions) check() error {
	const call = "mr.NewCudaAsync"
	if o.InitialSize < 0 {
		return fmt.Errorf("%s: InitialSize is %d bytes, it must not be negative: %w", call, o.InitialSize, ErrInvalidSize)
	}
	if o.ReleaseThreshold < ReleaseAll {
		return fmt.Errorf("%s: ReleaseThreshold is %d bytes, it must not be negative (other than ReleaseAll): %w", call, o.ReleaseThreshold, ErrInvalidSize)
	}
	return nil
}

// NewCudaAsync makes a CudaAsync with a pool of its own. A device without memory
// pools is driver.ErrNotSupported; an InitialSize that the device does not have
// is an *OutOfMemoryError.
func NewCudaAsync(dev *driver.Device, opts CudaAsyncOptions) (*CudaAsync, error) {
	id, err := newIdentity("CudaAsync", dev)
	if err != nil {
		return nil, err
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	pool, err := dev.NewPool(driver.PoolOptions{})
	if err != nil {
		return nil, fmt.Errorf("mr.NewCudaAsync: %w", err)
	}
	c := &CudaAsync{pool: pool}
	c.init(id)
	if err := c.prepare(opts); err != nil {
		return nil, errors.Join(fmt.Errorf("mr.NewCudaAsync: %w", err), pool.Close())
	}
	debuglog.Logger().Debug("memory pool made",
		zap.Stringer("device", dev), zap.Int("initial_bytes", opts.InitialSize), zap.Uint64("release_threshold", opts.threshold()))
	return c, nil
}

func (c *CudaAsync) init(id identity) {
	c.identity = id
	c.alloc = c.pool.MemAllocAsync
	c.free = func(p driver.Ptr, s *driver.Stream) error { return s.MemFreeAsync(p) }
	c.usage = c.read
	c.memInfo = id.dev.MemInfo
	c.owner = id.name
	c.outstanding = c.live.total
	c.destroy = c.pool.Close
}

func (c *CudaAsync) prepare(opts CudaAsyncOptions) error {
	if err := c.pool.SetAttribute(driver.PoolReleaseThreshold, opts.threshold()); err != nil {
		return err
	}
	if opts.InitialSize == 0 {
		return nil
	}
	return c.prime(opts.InitialSize)
}

// prime fills the pool: it allocates and frees size bytes, on a stream of its
// own so that it waits for nobody's work.
func (c *CudaAsync) prime(size int) error {
	s, err := c.dev.NewStream(driver.StreamOptions{})
	if err != nil {
		return err
	}
	p, err := c.Allocate(size, 0, s)
	if err == nil {
		err = errors.Join(c.Deallocate(p, size, 0, s), s.Synchronize())
	}
	return errors.Join(err, s.Close())
}

// Allocate takes memory from the pool; see Resource. After Close or Retire it is
// ErrClosed.
func (c *CudaAsync) Allocate(size, align int, s *driver.Stream) (driver.Ptr, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.checkOpen("Allocate"); err != nil {
		return 0, err
	}
	return c.allocate(size, align, s)
}

// Deallocate gives memory back to the pool in the order of s; see Resource. A
// closed stream still orders it, after the work enqueued before Stream.Close.
func (c *CudaAsync) Deallocate(p driver.Ptr, size, align int, s *driver.Stream) error {
	if p == 0 && size == 0 {
		return nil
	}
	retired, err := c.release(p, size, align, s)
	if retired {
		err = errors.Join(err, c.endIfRetired())
	}
	return err
}

func (c *CudaAsync) release(p driver.Ptr, size, align int, s *driver.Stream) (retired bool, err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return false, c.closedError("Deallocate")
	}
	return c.retired, c.deallocate(p, size, align, s)
}

// Trim gives free memory of the pool back to the device, but lets at least keep
// bytes stay reserved, and returns how many bytes went. Memory whose release has not
// completed stays.
func (c *CudaAsync) Trim(keep int) (int, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return 0, c.closedError("Trim")
	}
	if keep < 0 {
		return 0, c.errorf(ErrInvalidSize, "Trim", "keep is %d bytes: it must not be negative", keep)
	}
	before := c.attribute(driver.PoolReservedCurrent)
	if err := c.pool.Trim(keep); err != nil {
		return 0, fmt.Errorf("CudaAsync.Trim: %w", err)
	}
	return max(before-c.attribute(driver.PoolReservedCurrent), 0), nil
}

// Usage reports what the pool has reserved and what of it is allocated.
func (c *CudaAsync) Usage() Usage {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return Usage{}
	}
	return c.read()
}

// read is Usage for callers that hold the lock.
func (c *CudaAsync) read() Usage {
	count, bytes := c.live.total()
	return Usage{
		Reserved:     c.attribute(driver.PoolReservedCurrent),
		ReservedPeak: c.attribute(driver.PoolReservedHigh),
		Allocated:    bytes,
		Allocations:  count,
	}
}

// attribute is 0 where the driver does not answer, as after a fault.
func (c *CudaAsync) attribute(a driver.PoolAttribute) int {
	v, err := c.pool.Attribute(a)
	if err != nil {
		return 0
	}
	return int(v)
}

// Handle is the CUmemoryPool, for C libraries in the same process.
func (c *CudaAsync) Handle() uintptr { return c.pool.Handle() }
