package mr_test

import (
	"errors"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver"
)

var errFake = errors.New("the fake fails")

// fake is an upstream that costs nothing: it counts addresses up and believes
// what it is told.
type fake struct {
	dev     *driver.Device
	next    atomic.Uint64
	failing atomic.Bool
}

func (f *fake) Device() *driver.Device { return f.dev }

func (f *fake) Allocate(size, _ int, _ *driver.Stream) (driver.Ptr, error) {
	if f.failing.Load() {
		return 0, errFake
	}
	return driver.Ptr(f.next.Add(uint64(size))), nil
}

func (f *fake) Deallocate(driver.Ptr, int, int, *driver.Stream) error {
	if f.failing.Load() {
		return errFake
	}
	return nil
}
