package mr

import "github.com/rmm-go/rmm-go/driver"

// direct is a resource that asks the driver for every block and holds nothing
// else. The driver's calls know no streams.
type direct struct {
	blocks
	reserved counter
}

func (d *direct) init(id identity, alloc func(int) (driver.Ptr, error), free func(driver.Ptr) error) {
	d.identity = id
	d.alloc = func(size int, _ *driver.Stream) (driver.Ptr, error) { return alloc(size) }
	d.free = func(p driver.Ptr, _ *driver.Stream) error { return free(p) }
	d.usage = d.Usage
}

// Allocate asks the driver for memory; see Resource. It is usable on every
// stream at once.
func (d *direct) Allocate(size, align int, s *driver.Stream) (driver.Ptr, error) {
	p, err := d.allocate(size, align, s)
	if p != 0 {
		d.reserved.add(size + padding(align))
	}
	return p, err
}

// Deallocate gives memory back to the driver; see Resource. The driver first
// waits for the work of the device, so the stream may be closed, and the caller
// may be held up.
func (d *direct) Deallocate(p driver.Ptr, size, align int, s *driver.Stream) error {
	if p == 0 && size == 0 {
		return nil
	}
	err := d.deallocate(p, size, align, s)
	if err == nil {
		d.reserved.take(size + padding(align))
	}
	return err
}

// Usage reports what this resource has taken from the driver.
func (d *direct) Usage() Usage {
	count, bytes := d.live.total()
	return Usage{
		Reserved:     int(d.reserved.value()),
		ReservedPeak: int(d.reserved.peak.Load()),
		Allocated:    bytes,
		Allocations:  count,
	}
}
