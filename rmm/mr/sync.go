package mr

import (
	"errors"
	"fmt"

	"github.com/rmm-go/rmm-go/driver"
)

// AllocateSync is Allocate without a stream: when it returns, work on every
// stream of the device may use the memory. It waits for the device's default
// stream. It is RMM's allocate_sync.
func AllocateSync(r Resource, size, align int) (driver.Ptr, error) {
	s, err := defaultStream("AllocateSync", r)
	if err != nil {
		return 0, err
	}
	p, err := r.Allocate(size, align, s)
	if err != nil {
		return 0, err
	}
	if err := s.Synchronize(); err != nil {
		return 0, errors.Join(fmt.Errorf("mr.AllocateSync: %w", err), r.Deallocate(p, size, align, s))
	}
	return p, nil
}

// DeallocateSync is Deallocate without a stream: it waits until no work on the
// device can be using the memory, and when it returns the memory has been
// released. It is RMM's deallocate_sync.
func DeallocateSync(r Resource, p driver.Ptr, size, align int) error {
	s, err := defaultStream("DeallocateSync", r)
	if err != nil {
		return err
	}
	if err := s.Device().Synchronize(); err != nil {
		return fmt.Errorf("mr.DeallocateSync: %w", err)
	}
	if err := r.Deallocate(p, size, align, s); err != nil {
		return err
	}
	return s.Synchronize()
}

func defaultStream(call string, r Resource) (*driver.Stream, error) {
	if isNil(r) {
		return nil, fmt.Errorf("mr.%s: %w", call, ErrNilResource)
	}
	dev := r.Device()
	if dev == nil {
		return nil, fmt.Errorf("mr.%s: the resource serves no device, make it with its constructor: %w", call, driver.ErrWrongDevice)
	}
	return dev.DefaultStream(), nil
}
