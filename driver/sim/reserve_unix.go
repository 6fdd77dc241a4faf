//go:build linux || darwin

package sim

import "syscall"

// reserve returns zeroed memory that the operating system commits page by page
// as it is touched.
func reserve(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
}

func unreserve(b []byte) error { return syscall.Munmap(b) }
