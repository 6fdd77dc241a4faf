package mr

import (
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/internal/bytesize"
	"github.com/rmm-go/rmm-go/rmm/internal/debuglog"
)

// OutOfMemoryError is an allocation that found no memory: the resource that gave
// up and what it knew. It is driver.ErrOutOfMemory, and unwraps to the cause. A
// CUDA fault never becomes one. It is RMM's out_of_memory.
//
// Amounts are bytes; 0 means that the resource does not know.
type OutOfMemoryError struct {
	Resource    string // the type that gave up: "CudaAsync"
	Requested   int
	Alignment   int
	Device      *driver.Device
	Stream      *driver.Stream
	Limit       int // what a Limiting allows
	Usage       Usage
	DeviceFree  int
	DeviceTotal int
	Cause       error
}

// Error is one line.
func (e *OutOfMemoryError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: out of memory allocating %s (%d bytes, aligned to %d) on %v", e.Resource, bytesize.Format(e.Requested), e.Requested, e.Alignment, e.Stream)
	for _, known := range []struct {
		what  string
		bytes int
	}{
		{"limit", e.Limit}, {"reserved", e.Usage.Reserved}, {"allocated", e.Usage.Allocated},
		{"device free", e.DeviceFree}, {"device total", e.DeviceTotal},
	} {
		if known.bytes != 0 {
			fmt.Fprintf(&b, ", %s %s", known.what, bytesize.Format(known.bytes))
		}
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *OutOfMemoryError) Unwrap() error { return e.Cause }

// Is holds for driver.ErrOutOfMemory, whatever the cause.
func (e *OutOfMemoryError) Is(target error) bool { return target == driver.ErrOutOfMemory }

// logged writes the error to the debug log.
func (e *OutOfMemoryError) logged() error {
	debuglog.Logger().Error("out of memory",
		zap.String("resource", e.Resource), zap.Int("bytes", e.Requested), zap.Stringer("stream", e.Stream),
		zap.Int("limit", e.Limit), zap.Int("reserved", e.Usage.Reserved), zap.Int("allocated", e.Usage.Allocated),
		zap.Int("device_free", e.DeviceFree))
	return e
}
