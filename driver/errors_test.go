package driver_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestFailedCallIsAnError(t *testing.T) {
	dev := drivertest.Device(t)
	_, err := dev.MemAlloc(2 * dev.TotalMemory())
	require.ErrorIs(t, err, driver.ErrOutOfMemory)
	var failed *driver.Error
	require.ErrorAs(t, err, &failed)
	require.Regexp(t, "(?i)alloc", failed.Call)
	require.Equal(t, 2, failed.Code)
	require.Equal(t, "CUDA_ERROR_OUT_OF_MEMORY", failed.Name)
	require.ErrorContains(t, err, failed.Call)
}

func TestErrorClassesAreApart(t *testing.T) {
	outOfMemory := &driver.Error{Call: "cuMemAlloc_v2", Code: 2}
	fault := &driver.Error{Call: "cuCtxSynchronize", Code: 700}
	capture := &driver.Error{Call: "cuEventQuery", Code: 900}

	require.ErrorIs(t, outOfMemory, driver.ErrOutOfMemory)
	require.NotErrorIs(t, outOfMemory, driver.ErrFault)
	require.ErrorIs(t, fault, driver.ErrFault)
	require.ErrorIs(t, fault, driver.ErrIllegalAddress)
	require.NotErrorIs(t, fault, driver.ErrOutOfMemory)
	require.ErrorIs(t, capture, driver.ErrCapture)
	require.NotErrorIs(t, capture, driver.ErrFault)
}

func TestErrorTextNamesCallCodeAndReason(t *testing.T) {
	err := &driver.Error{Call: "cuMemAlloc_v2", Code: 2, Name: "CUDA_ERROR_OUT_OF_MEMORY", Message: "out of memory", Detail: "1 TiB asked"}
	require.EqualError(t, err, "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory: 1 TiB asked")
}

func TestUnsupportedErrorIsNotSupported(t *testing.T) {
	err := &driver.UnsupportedError{Feature: "cuStreamGetId", Reason: "it came with CUDA 12.0, the driver is for 11.4"}
	require.ErrorIs(t, err, driver.ErrNotSupported)
	require.EqualError(t, err, "cuStreamGetId is not supported: it came with CUDA 12.0, the driver is for 11.4")
}

func TestArgumentErrorIsInvalidValue(t *testing.T) {
	dev := drivertest.Device(t)
	_, err := dev.MemAlloc(-5)
	var bad *driver.ArgumentError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "Device.MemAlloc", bad.Call)
	require.Contains(t, bad.Reason, "-5 bytes")
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	var failed *driver.Error
	require.False(t, errors.As(err, &failed), "CUDA was not asked")
}
