package mr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func TestOutOfMemoryErrorText(t *testing.T) {
	dev := drivertest.Device(t)
	s := dev.DefaultStream()
	for _, c := range []struct {
		err  mr.OutOfMemoryError
		want string
	}{
		{
			mr.OutOfMemoryError{Resource: "Limiting", Requested: 3 * mib, Alignment: 256, Device: dev, Stream: s, Limit: 4 * mib, Usage: mr.Usage{Allocated: 2 * mib}, Cause: mr.ErrLimitExceeded},
			"Limiting: out of memory allocating 3 MiB (3145728 bytes, aligned to 256) on " + s.String() + ", limit 4 MiB, allocated 2 MiB: memory limit exceeded",
		},
		{
			mr.OutOfMemoryError{Resource: "Cuda", Requested: 100, Alignment: 512, DeviceFree: 5 * kib, DeviceTotal: mib},
			"Cuda: out of memory allocating 100 B (100 bytes, aligned to 512) on no stream, device free 5 KiB, device total 1 MiB",
		},
	} {
		require.EqualError(t, &c.err, c.want)
		require.ErrorIs(t, &c.err, driver.ErrOutOfMemory)
	}
}

func TestOutOfMemoryFromTheDevice(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	async := newAsync(t, dev, mr.CudaAsyncOptions{})
	defer async.Close()
	for _, r := range []mr.Resource{newCuda(t, dev), async} {
		_, err := r.Allocate(2*dev.TotalMemory(), 0, s)
		var oom *mr.OutOfMemoryError
		require.ErrorAs(t, err, &oom)
		require.Equal(t, 2*dev.TotalMemory(), oom.Requested)
		require.Equal(t, 256, oom.Alignment)
		require.Positive(t, oom.DeviceFree)
		require.Positive(t, oom.DeviceTotal)
		var cause *driver.Error
		require.ErrorAs(t, err, &cause, "the driver's own error is inside")
		require.Same(t, oom, err, "it comes as it is, without another layer around it")
	}
}
