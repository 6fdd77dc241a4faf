package mr

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// Result codes of CUDA's.
const (
	outOfMemory    = 2
	invalidValue   = 1
	illegalAddress = 700
)

// failingDriver is a resource whose driver calls fail with a code, unless it is
// 0.
type failingDriver struct {
	*blocks
	allocCode, freeCode int
	freed               []driver.Ptr
}

func newFailingDriver(t *testing.T) (*failingDriver, *driver.Stream) {
	dev := drivertest.Device(t)
	f := &failingDriver{blocks: &blocks{identity: identity{"Failing", dev}}}
	f.alloc = func(int, *driver.Stream) (driver.Ptr, error) { return 1 << 20, failure("cuMemAlloc_v2", f.allocCode) }
	f.free = func(p driver.Ptr, _ *driver.Stream) error {
		if f.freeCode == 0 {
			f.freed = append(f.freed, p)
		}
		return failure("cuMemFree_v2", f.freeCode)
	}
	f.usage = func() Usage { return Usage{Reserved: 5 << 20} }
	return f, drivertest.Stream(t, dev)
}

func failure(call string, code int) error {
	if code == 0 {
		return nil
	}
	return &driver.Error{Call: call, Code: code, Name: "CUDA_ERROR"}
}

func TestOutOfMemorySaysWhatIsKnown(t *testing.T) {
	f, s := newFailingDriver(t)
	f.allocCode = outOfMemory
	f.memInfo = f.dev.MemInfo
	p, err := f.allocate(1000, 512, s)
	require.Zero(t, p)
	var oom *OutOfMemoryError
	require.ErrorAs(t, err, &oom)
	require.Equal(t, 1000, oom.Requested)
	require.Equal(t, 512, oom.Alignment)
	require.Same(t, f.dev, oom.Device)
	require.Same(t, s, oom.Stream)
	require.Equal(t, 5<<20, oom.Usage.Reserved)
	require.Equal(t, f.dev.TotalMemory(), oom.DeviceTotal)
	require.Positive(t, oom.DeviceFree)
	var cause *driver.Error
	require.ErrorAs(t, err, &cause)
	require.Equal(t, "cuMemAlloc_v2", cause.Call)
}

func TestAFaultIsNotOutOfMemory(t *testing.T) {
	f, s := newFailingDriver(t)
	f.allocCode = illegalAddress
	_, err := f.allocate(1000, 0, s)
	require.ErrorIs(t, err, driver.ErrFault)
	require.NotErrorIs(t, err, driver.ErrOutOfMemory)
	var oom *OutOfMemoryError
	require.False(t, errors.As(err, &oom))
	count, _ := f.live.total()
	require.Zero(t, count)
}

func TestAFailedFreeLosesNothing(t *testing.T) {
	f, s := newFailingDriver(t)
	p, err := f.allocate(1000, 0, s)
	require.NoError(t, err)
	f.freeCode = invalidValue
	require.ErrorIs(t, f.deallocate(p, 1000, 0, s), driver.ErrInvalidValue)
	count, bytes := f.live.total()
	require.Equal(t, 1, count)
	require.Equal(t, 1000, bytes)
	f.freeCode = 0
	require.NoError(t, f.deallocate(p, 1000, 0, s))
	require.Equal(t, []driver.Ptr{p}, f.freed)
}

// After a fault nothing can be freed; the resource must be able to close all the
// same.
func TestAFaultEndsTheBlock(t *testing.T) {
	f, s := newFailingDriver(t)
	p, err := f.allocate(1000, 0, s)
	require.NoError(t, err)
	f.freeCode = illegalAddress
	require.ErrorIs(t, f.deallocate(p, 1000, 0, s), driver.ErrFault)
	count, _ := f.live.total()
	require.Zero(t, count)
}

func TestLargeAlignmentFreesWhatTheDriverGave(t *testing.T) {
	f, s := newFailingDriver(t)
	f.alloc = func(size int, _ *driver.Stream) (driver.Ptr, error) {
		require.Equal(t, 1000+4096-256, size)
		return 1<<20 + 256, nil
	}
	p, err := f.allocate(1000, 4096, s)
	require.NoError(t, err)
	require.Equal(t, driver.Ptr(1<<20+4096), p)
	require.NoError(t, f.deallocate(p, 1000, 4096, s))
	require.Equal(t, []driver.Ptr{1<<20 + 256}, f.freed)
}
