package sim_test

import (
	"time"
	"unsafe"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// How long and how often a test polls for what other goroutines do.
const (
	waitLimit = 30 * time.Second
	pollEvery = time.Millisecond
)

// view is host-accessible memory as a slice.
func view(p api.Ptr, n int) []byte {
	address := uintptr(p)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n)
}

func addressOf(v *int) uintptr { return uintptr(unsafe.Pointer(v)) }
