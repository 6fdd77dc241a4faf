package mr

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver"
)

// Managed takes every block from cuMemAllocManaged: memory that the host and
// every device can use, and that moves between them on demand. It can exceed the
// device's memory. It is RMM's managed_memory_resource.
//
// It holds nothing but live allocations, so it needs no Close.
type Managed struct {
	direct
	host bool
}

// NewManaged makes a Managed on a device. A device without managed memory is
// driver.ErrNotSupported.
func NewManaged(dev *driver.Device) (*Managed, error) {
	id, err := newIdentity("Managed", dev)
	if err != nil {
		return nil, err
	}
	has, err := dev.Has(driver.AttrManagedMemory)
	if err == nil && !has {
		err = &driver.UnsupportedError{
			Feature: "managed memory",
			Reason:  fmt.Sprintf("%v has none (a vGPU usually does not): use CudaAsync or Cuda", dev),
		}
	}
	if err != nil {
		return nil, fmt.Errorf("mr.NewManaged: %w", err)
	}
	host, err := dev.Has(driver.AttrConcurrentManagedAccess)
	if err != nil {
		return nil, fmt.Errorf("mr.NewManaged: %w", err)
	}
	m := &Managed{host: host}
	m.init(id, dev.MemAllocManaged, dev.MemFree)
	m.memInfo = dev.MemInfo
	return m, nil
}

// HostAccessible reports whether the host may touch the memory while the device
// works (concurrent managed access). Without it, copy instead.
func (m *Managed) HostAccessible() bool { return m.host }
