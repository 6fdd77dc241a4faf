package mr

import "github.com/rmm-go/rmm-go/driver"

// PinnedHost takes every block from cuMemHostAlloc: page-locked host memory at
// an address that every device can use. Copies from and to it are truly
// asynchronous. Allocating is slow (427 µs for 1 MiB on an H200's host). It is
// RMM's pinned_host_memory_resource.
//
// It holds nothing but live allocations, so it needs no Close.
type PinnedHost struct{ direct }

// NewPinnedHost makes a PinnedHost for the streams of a device.
func NewPinnedHost(dev *driver.Device) (*PinnedHost, error) {
	id, err := newIdentity("PinnedHost", dev)
	if err != nil {
		return nil, err
	}
	r := &PinnedHost{}
	r.init(id, dev.MemHostAlloc, dev.MemHostFree)
	return r, nil
}

// HostAccessible is true: see driver.Device.HostView.
func (r *PinnedHost) HostAccessible() bool { return true }
