package main

import (
	"io"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// resource makes the named resource; --initial is for those that have a use for
// it.
func (j *job) resource(name string, dev *driver.Device) (mr.Resource, error) {
	opts := rmm.AllocatorOptions{}
	if rmm.TakesInitialSize(name) {
		opts.InitialSize = j.initialSize
	}
	return rmm.NewAllocator(name, dev, opts)
}

func closeResource(r mr.Resource) error {
	if c, ok := r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// peakReserved is the most memory that a resource took from the driver.
func peakReserved(r mr.Resource) int {
	if u, ok := mr.As[mr.UsageReporter](r); ok {
		return u.Usage().ReservedPeak
	}
	return 0
}
