package drivertest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/rmm-go/rmm-go/driver"
)

// Pattern is n bytes that tell seeds and positions apart.
func Pattern(n int, seed uint64) []byte {
	b := make([]byte, n)
	x := seed
	for i := range b {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = byte(x >> 56)
	}
	return b
}

// Fill writes Pattern(n, seed) to p, in the order of s.
func Fill(t testing.TB, s *driver.Stream, p driver.Ptr, n int, seed uint64) {
	t.Helper()
	if err := s.MemcpyHtoDAsync(p, Pattern(n, seed)); err != nil {
		t.Fatalf("drivertest: fill %d bytes at %v: %v", n, p, err)
	}
}

// Read copies n bytes at p to the host, in the order of s, and waits for them.
func Read(t testing.TB, s *driver.Stream, p driver.Ptr, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	if err := s.MemcpyDtoHAsync(b, p); err != nil {
		t.Fatalf("drivertest: read %d bytes at %v: %v", n, p, err)
	}
	if err := s.Synchronize(); err != nil {
		t.Fatalf("drivertest: read %d bytes at %v: %v", n, p, err)
	}
	return b
}

// Check fails the test unless the n bytes at p are Pattern(n, seed) after the
// work now on s.
func Check(t testing.TB, s *driver.Stream, p driver.Ptr, n int, seed uint64) {
	t.Helper()
	if err := compare(Read(t, s, p, n), Pattern(n, seed)); err != nil {
		t.Fatalf("drivertest: memory at %v, seed %d: %v", p, seed, err)
	}
}

// compare tells where got begins to differ.
func compare(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	i := 0
	for got[i] == want[i] {
		i++
	}
	return fmt.Errorf("byte %d of %d is %#02x, want %#02x", i, len(want), got[i], want[i])
}
