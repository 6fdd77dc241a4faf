package api

import (
	"fmt"
)

// Error is a failed CUDA call.
type Error struct {
	Call    string // the function as CUDA names it: "cuMemAlloc_v2"
	Code    int    // CUresult or cudaError_t
	Name    string // "CUDA_ERROR_OUT_OF_MEMORY"
	Message string // CUDA's own description
	Detail  string // what this library can add: arguments, what to do; may be empty
}

// Error says which call failed, with which code, and why.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code)
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Is makes errors.Is(err, ErrOutOfMemory) and its like work.
func (e *Error) Is(target error) bool {
	k, ok := target.(*Kind)
	return ok && k.has(e.Code)
}

// Kind is a class of CUDA errors to compare with errors.Is.
type Kind struct {
	text  string
	codes []int
}

// Error names the class.
func (k *Kind) Error() string { return k.text }

func (k *Kind) has(code int) bool {
	for _, c := range k.codes {
		if c == code {
			return true
		}
	}
	return false
}

// Result codes that backends produce or look for. The driver and the runtime
// API share these numbers.
const (
	Success                  = 0
	CodeInvalidValue         = 1
	CodeOutOfMemory          = 2
	CodeNotInitialized       = 3
	CodeDeinitialized        = 4
	CodeNoDevice             = 100
	CodeInvalidDevice        = 101
	CodeInvalidContext       = 201
	CodeECCUncorrectable     = 214
	CodeInvalidHandle        = 400
	CodeIllegalState         = 401
	CodeNotFound             = 500
	CodeNotReady             = 600
	CodeIllegalAddress       = 700
	CodeLaunchTimeout        = 702
	CodePeerAccessEnabled    = 704
	CodePeerAccessNotEnabled = 705
	CodeContextIsDestroyed   = 709
	CodeAssert               = 710
	CodeHostMemoryRegistered = 712
	CodeHardwareStackError   = 714
	CodeIllegalInstruction   = 715
	CodeMisalignedAddress    = 716
	CodeInvalidAddressSpace  = 717
	CodeInvalidPC            = 718
	CodeLaunchFailed         = 719
	CodeNotPermitted         = 800
	CodeNotSupported         = 801
	CodeSystemNotReady       = 802
	CodeSystemDriverMismatch = 803
	CodeCaptureUnsupported   = 900
	CodeCaptureInvalidated   = 901
	CodeCaptureMerge         = 902
	CodeCaptureUnmatched     = 903
	CodeCaptureUnjoined      = 904
	CodeCaptureIsolation     = 905
	CodeCaptureImplicit      = 906
	CodeCapturedEvent        = 907
	CodeCaptureWrongThread   = 908
	CodeUnknown              = 999
)

// Classes of errors.
var (
	ErrOutOfMemory    = &Kind{"out of memory", []int{CodeOutOfMemory}}
	ErrNoDevice       = &Kind{"no CUDA device", []int{CodeNoDevice}}
	ErrInvalidDevice  = &Kind{"invalid device", []int{CodeInvalidDevice}}
	ErrInvalidValue   = &Kind{"invalid value", []int{CodeInvalidValue}}
	ErrInvalidContext = &Kind{"invalid context", []int{CodeInvalidContext}}
	ErrInvalidHandle  = &Kind{"invalid handle", []int{CodeInvalidHandle}}
	ErrNotReady       = &Kind{"not ready", []int{CodeNotReady}}
	ErrNotSupported   = &Kind{"not supported", []int{CodeNotSupported}}
	ErrNotPermitted   = &Kind{"not permitted", []int{CodeNotPermitted}}
	ErrIllegalAddress = &Kind{"illegal address", []int{CodeIllegalAddress}}
	ErrCapture        = &Kind{"not allowed during stream capture", []int{900, 901, 902, 903, 904, 905, 906, 907, 908}}

	// ErrFault holds for the faults after which CUDA answers every later call
	// on the context with the same error: only a new process recovers.
	ErrFault = &Kind{"sticky CUDA fault", []int{CodeECCUncorrectable, CodeIllegalAddress, CodeLaunchTimeout,
		CodeAssert, CodeHardwareStackError, CodeIllegalInstruction, CodeMisalignedAddress,
		CodeInvalidAddressSpace, CodeInvalidPC, CodeLaunchFailed}}
)

// UnsupportedError says that the backend, the driver or the device lacks a
// feature, and what would have it. It is ErrNotSupported.
type UnsupportedError struct {
	Feature string // what was asked: a function or a capability
	Reason  string // what is missing, with both versions where versions matter
	Cause   error  // what said so; may be nil
}

// Error says what is not supported and why.
func (e *UnsupportedError) Error() string {
	return e.Feature + " is not supported: " + e.Reason
}

// Unwrap returns the cause.
func (e *UnsupportedError) Unwrap() error { return e.Cause }

// Is holds for ErrNotSupported.
func (e *UnsupportedError) Is(target error) bool { return target == error(ErrNotSupported) }
