package drivertest

import (
	"sync"
	"testing"

	"github.com/rmm-go/rmm-go/driver"
)

// Hold keeps s busy: work enqueued on it from here on does not begin before
// release is called, or the test ends. A second release does nothing.
//
// It is a host function that blocks. CUDA runs the host functions of all
// streams of a device on one thread, so until the release no other host
// function there begins: hold one stream at a time, release what was held first
// first, and until then call nothing that waits for the device (MemFree,
// MemHostFree, a copy without a stream, Device.Synchronize).
func Hold(t testing.TB, s *driver.Stream) (release func()) {
	t.Helper()
	released := make(chan struct{})
	release = sync.OnceFunc(func() { close(released) })
	if err := s.LaunchHostFunc(func() { <-released }); err != nil {
		t.Fatalf("drivertest: hold %v: %v", s, err)
	}
	t.Cleanup(release)
	return release
}
