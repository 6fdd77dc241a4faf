package sim_test

import (
	"unsafe"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// view is host-accessible memory as a slice.
func view(p api.Ptr, n int) []byte {
	address := uintptr(p)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n)
}
