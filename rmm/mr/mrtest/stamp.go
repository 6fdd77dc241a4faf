package mrtest

import (
	"bytes"
	"fmt"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// stampSize is how many bytes at either end of a block carry its stamp: enough
// to notice a block that another one overlaps, without filling gigabytes.
const stampSize = 256

// stamp writes what tells a block from others to both of its ends, in the order
// of s.
func stamp(s *driver.Stream, p driver.Ptr, size int, seed uint64) error {
	n := min(size, stampSize)
	if err := s.MemcpyHtoDAsync(p, drivertest.Pattern(n, seed)); err != nil {
		return err
	}
	return s.MemcpyHtoDAsync(p+driver.Ptr(size-n), drivertest.Pattern(n, ^seed))
}

// checkStamp waits for s and compares. Where the ends of a small block overlap,
// the last written one counts.
func checkStamp(s *driver.Stream, p driver.Ptr, size int, seed uint64) error {
	n := min(size, stampSize)
	head, tail := make([]byte, n), make([]byte, n)
	if err := s.MemcpyDtoHAsync(head, p); err != nil {
		return err
	}
	if err := s.MemcpyDtoHAsync(tail, p+driver.Ptr(size-n)); err != nil {
		return err
	}
	if err := s.Synchronize(); err != nil {
		return err
	}
	intact := min(n, size-n) // of the head
	if !bytes.Equal(head[:intact], drivertest.Pattern(n, seed)[:intact]) || !bytes.Equal(tail, drivertest.Pattern(n, ^seed)) {
		return fmt.Errorf("the data of the block of %d bytes at %v has changed", size, p)
	}
	return nil
}
