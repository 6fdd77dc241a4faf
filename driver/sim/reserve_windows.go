package sim

import (
	"syscall"
	"unsafe"
)

var (
	kernel32     = syscall.NewLazyDLL("kernel32.dll")
	virtualAlloc = kernel32.NewProc("VirtualAlloc")
	virtualFree  = kernel32.NewProc("VirtualFree")
)

const (
	memCommitReserve = 0x3000
	memRelease       = 0x8000
	pageReadWrite    = 0x04
)

// reserve returns zeroed memory. Windows counts it against the commit limit at
// once, but gives it pages only as it is touched.
func reserve(size int) ([]byte, error) {
	p, _, err := virtualAlloc.Call(0, uintptr(size), memCommitReserve, pageReadWrite)
	if p == 0 {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), size), nil
}

func unreserve(b []byte) error {
	if ok, _, err := virtualFree.Call(address(b), 0, memRelease); ok == 0 {
		return err
	}
	return nil
}
