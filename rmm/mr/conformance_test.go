package mr_test

import (
	"testing"

	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
	"github.com/rmm-go/rmm-go/rmm/mr/mrtest"
)

func TestCudaConforms(t *testing.T) {
	mrtest.Run(t, func(t *testing.T) mr.Resource { return newCuda(t, drivertest.Device(t)) }, mrtest.Options{})
}

func TestCudaAsyncConforms(t *testing.T) {
	mrtest.Run(t, func(t *testing.T) mr.Resource {
		return newAsync(t, drivertest.Device(t), mr.CudaAsyncOptions{})
	}, mrtest.Options{})
}

func TestManagedConforms(t *testing.T) {
	mrtest.Run(t, func(t *testing.T) mr.Resource { return newManaged(t, drivertest.Device(t)) }, mrtest.Options{})
}

func TestPinnedHostConforms(t *testing.T) {
	mrtest.Run(t, func(t *testing.T) mr.Resource { return newPinnedHost(t, drivertest.Device(t)) }, mrtest.Options{})
}

func TestStatisticsConforms(t *testing.T) {
	mrtest.Run(t, func(t *testing.T) mr.Resource { return newStatistics(t, newCuda(t, drivertest.Device(t))) }, mrtest.Options{})
}

func TestLimitingConforms(t *testing.T) {
	mrtest.Run(t, func(t *testing.T) mr.Resource { return newLimiting(t, newCuda(t, drivertest.Device(t)), 4<<30) }, mrtest.Options{})
}

func TestAdaptorsOnCudaAsyncConform(t *testing.T) {
	mrtest.Run(t, func(t *testing.T) mr.Resource {
		async := newAsync(t, drivertest.Device(t), mr.CudaAsyncOptions{InitialSize: mib})
		t.Cleanup(func() {
			if err := async.Close(); err != nil {
				t.Errorf("close the upstream: %v", err)
			}
		})
		return newStatistics(t, newLimiting(t, async, 4<<30))
	}, mrtest.Options{})
}
