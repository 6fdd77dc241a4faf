package sim

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// codes are the errors that the simulator can answer, in CUDA's own words.
var codes = map[int]struct{ name, message string }{
	api.CodeInvalidValue:  {"CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	api.CodeOutOfMemory:   {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	api.CodeDeinitialized: {"CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
	api.CodeInvalidDevice: {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	api.CodeInvalidHandle: {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	api.CodeNotReady:      {"CUDA_ERROR_NOT_READY", "device not ready"},
	api.CodeNotSupported:  {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
}

// fail is a failed call; the detail says what was wrong with it and what to do.
func fail(call string, code int, detail string, args ...any) error {
	c := codes[code]
	return &api.Error{Call: call, Code: code, Name: c.name, Message: c.message, Detail: fmt.Sprintf(detail, args...)}
}

func badSize(call string, size int) error {
	return fail(call, api.CodeInvalidValue, "the size is %d bytes: it must be positive", size)
}
