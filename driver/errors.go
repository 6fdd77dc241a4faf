package driver

import (
	"errors"
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// Error is a failed CUDA call: which one, its code, CUDA's name and text for it.
type Error = api.Error

// UnsupportedError says what the backend, driver or device lacks for a
// feature. It is ErrNotSupported.
type UnsupportedError = api.UnsupportedError

// Classes of failed CUDA calls, for errors.Is.
var (
	ErrOutOfMemory    error = api.ErrOutOfMemory
	ErrNoDevice       error = api.ErrNoDevice
	ErrInvalidDevice  error = api.ErrInvalidDevice
	ErrInvalidValue   error = api.ErrInvalidValue
	ErrInvalidContext error = api.ErrInvalidContext
	ErrInvalidHandle  error = api.ErrInvalidHandle
	ErrNotReady       error = api.ErrNotReady
	ErrNotSupported   error = api.ErrNotSupported
	ErrNotPermitted   error = api.ErrNotPermitted
	ErrIllegalAddress error = api.ErrIllegalAddress
	ErrCapture        error = api.ErrCapture
	// ErrFault holds for faults that stay: after one, every call on the device
	// fails the same way until the process ends.
	ErrFault error = api.ErrFault
	// ErrLibraryNotFound means that libcuda could not be loaded; the error lists
	// every place that was tried.
	ErrLibraryNotFound error = loader.ErrLibraryNotFound
)

// Errors that this package finds before it calls CUDA.
var (
	// ErrClosed means that the Driver, or anything made through it but a Stream,
	// was closed or released.
	ErrClosed = errors.New("already closed")
	// ErrStreamClosed means that the stream was closed or its wrap forgotten.
	ErrStreamClosed = errors.New("stream is closed")
	// ErrWrongDevice means that objects of two devices were mixed.
	ErrWrongDevice = errors.New("wrong device")
	// ErrOutstanding means that something still in use keeps another thing open.
	ErrOutstanding = errors.New("still in use")
)

// ArgumentError is a bad argument, found before CUDA was called. It is
// ErrInvalidValue.
type ArgumentError struct {
	Call   string // the method, as "Device.MemAlloc"
	Reason string // what is wrong and what is wanted
}

// Error says which argument of which call is wrong.
func (e *ArgumentError) Error() string { return e.Call + ": " + e.Reason }

// Is holds for ErrInvalidValue.
func (e *ArgumentError) Is(target error) bool { return target == ErrInvalidValue }

func badArgument(call, format string, args ...any) error {
	return &ArgumentError{Call: call, Reason: fmt.Sprintf(format, args...)}
}

// wrongDevice names both sides of a mix-up.
func wrongDevice(call, what string, has, wants *Device) error {
	return fmt.Errorf("%s: %s belongs to %v, not to %v: %w", call, what, has, wants, ErrWrongDevice)
}
