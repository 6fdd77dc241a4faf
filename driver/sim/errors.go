package sim

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// codes are the errors that the simulator can answer, in CUDA's own words.
var codes = map[int]struct{ name, message string }{
	api.CodeInvalidValue:         {"CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	api.CodeOutOfMemory:          {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	api.CodeDeinitialized:        {"CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
	api.CodeInvalidDevice:        {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	api.CodeInvalidContext:       {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	codePeerAccessUnsupported:    {"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
	codeInvalidPTX:               {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
	api.CodeInvalidHandle:        {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	api.CodeIllegalState:         {"CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
	api.CodeNotFound:             {"CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	api.CodeNotReady:             {"CUDA_ERROR_NOT_READY", "device not ready"},
	api.CodeIllegalAddress:       {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	api.CodePeerAccessEnabled:    {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
	api.CodePeerAccessNotEnabled: {"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
	api.CodeHostMemoryRegistered: {"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "part or all of the requested memory range is already mapped"},
	codeHostMemoryNotRegistered:  {"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "pointer does not correspond to a registered memory region"},
	api.CodeMisalignedAddress:    {"CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
	api.CodeLaunchFailed:         {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
	api.CodeNotPermitted:         {"CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
	api.CodeNotSupported:         {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	api.CodeCaptureUnsupported:   {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
	api.CodeCaptureInvalidated:   {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
	api.CodeCaptureMerge:         {"CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences"},
	api.CodeCaptureUnmatched:     {"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
	api.CodeCaptureUnjoined:      {"CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
	api.CodeCaptureIsolation:     {"CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
	api.CodeCaptureImplicit:      {"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "operation would make the legacy stream depend on a capturing blocking stream"},
	api.CodeCapturedEvent:        {"CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
	api.CodeCaptureWrongThread:   {"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "attempt to terminate a thread-local capture sequence from another thread"},
}

// Result codes that only the simulator names.
const (
	codePeerAccessUnsupported   = 217
	codeInvalidPTX              = 218
	codeHostMemoryNotRegistered = 713
)

// fail is a failed call; the detail says what was wrong with it and what to do.
func fail(call string, code int, detail string, args ...any) error {
	c, ok := codes[code]
	if !ok { // a test has chosen it
		c.name, c.message = fmt.Sprintf("CUDA_ERROR_%d", code), "an error that the simulator has no name for"
	}
	return &api.Error{Call: call, Code: code, Name: c.name, Message: c.message, Detail: fmt.Sprintf(detail, args...)}
}

func badSize(call string, size int) error {
	return fail(call, api.CodeInvalidValue, "the size is %d bytes: it must be positive", size)
}
