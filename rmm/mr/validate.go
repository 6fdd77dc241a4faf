package mr

import (
	"fmt"
	"math"

	"github.com/rmm-go/rmm-go/driver"
)

// identity is a resource as its own messages call it. Its methods are the checks
// that every resource makes of its callers.
type identity struct {
	name string // "CudaAsync"
	dev  *driver.Device
}

// Device is the device whose streams this resource accepts.
func (id *identity) Device() *driver.Device { return id.dev }

// checkAllocate returns the alignment in force.
//
// Invariant: if it returns no error, size plus the alignment fits an int.
func (id *identity) checkAllocate(size, align int, s *driver.Stream) (int, error) {
	const call = "Allocate"
	align, err := id.checkShape(call, size, align)
	if err != nil {
		return 0, err
	}
	if err := id.checkStream(call, s); err != nil {
		return 0, err
	}
	if s.Closed() {
		return 0, id.errorf(driver.ErrStreamClosed, call, "%v was closed: use another stream", s)
	}
	return align, nil
}

// checkDeallocate returns the alignment in force. The stream may be closed. The
// caller has dealt with the nil Ptr of size 0.
func (id *identity) checkDeallocate(p driver.Ptr, size, align int, s *driver.Stream) (int, error) {
	const call = "Deallocate"
	align, err := id.checkShape(call, size, align)
	if err != nil {
		return 0, err
	}
	if p == 0 {
		return 0, id.errorf(ErrNilPointer, call, "the nil pointer cannot have %d bytes: only size 0 gives it", size)
	}
	return align, id.checkStream(call, s)
}

func (id *identity) checkShape(call string, size, align int) (int, error) {
	if align == 0 {
		align = DefaultAlignment
	}
	switch {
	case size < 0:
		return 0, id.errorf(ErrInvalidSize, call, "the size is %d bytes: it must not be negative", size)
	case align < 0 || align&(align-1) != 0:
		return 0, id.errorf(ErrInvalidAlignment, call, "the alignment is %d: it must be a power of two, or 0 for %d", align, DefaultAlignment)
	case size > math.MaxInt-align:
		return 0, id.errorf(ErrSizeOverflow, call, "%d bytes aligned to %d are more than an address space has", size, align)
	}
	return align, nil
}

func (id *identity) checkStream(call string, s *driver.Stream) error {
	if s == nil {
		return id.errorf(ErrNilStream, call, "the stream is nil: use Device.DefaultStream or Device.NewStream")
	}
	if s.Device() != id.dev {
		return id.errorf(driver.ErrWrongDevice, call, "%v does not belong to %v of this resource", s, id.dev)
	}
	return nil
}

func (id *identity) errorf(class error, call, format string, args ...any) error {
	return fmt.Errorf("%s.%s: %s: %w", id.name, call, fmt.Sprintf(format, args...), class)
}

// newIdentity refuses a nil device.
func newIdentity(name string, dev *driver.Device) (identity, error) {
	if dev == nil {
		return identity{}, &driver.ArgumentError{Call: "mr.New" + name, Reason: "the device is nil: open one with Driver.Device"}
	}
	return identity{name, dev}, nil
}

// adaptorIdentity refuses a nil upstream. An adaptor serves its upstream's
// device.
func adaptorIdentity(name string, upstream Resource) (identity, error) {
	if isNil(upstream) {
		return identity{}, fmt.Errorf("mr.New%s: the upstream resource is nil, make one first (for example with NewCudaAsync): %w", name, ErrNilResource)
	}
	return identity{name, upstream.Device()}, nil
}

// alignUp rounds up to a power of two.
func alignUp[T ~int | ~uint64 | ~uintptr](n, align T) T { return (n + align - 1) &^ (align - 1) }
