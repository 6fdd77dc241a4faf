package rmm

import (
	"errors"
	"fmt"
	"io"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// Handle is what Reinitialize set up. Close it to restore what was there.
type Handle struct {
	closed bool // guarded by stack
	layers []*layer
}

// Reinitialize makes the allocator that opts describes the per-device resource
// (see mr.PerDevice) of each chosen device. It does all of that or nothing: on
// an error every device keeps what it had.
//
// It is safe with live allocations: each goes back to the resource that it came
// from. Handles may be closed in any order. Safe for concurrent use.
func Reinitialize(opts Options) (*Handle, error) {
	devices, err := opts.devices()
	if err != nil {
		return nil, fmt.Errorf("reinitialize: %w", err)
	}
	resources, err := opts.build(devices)
	if err != nil {
		return nil, fmt.Errorf("reinitialize: %w", err)
	}
	stack.Lock()
	defer stack.Unlock()
	h := &Handle{}
	for i, dev := range devices {
		l, err := install(dev, resources[i])
		if err != nil {
			return nil, errors.Join(fmt.Errorf("reinitialize: %w", err), h.uninstall(), closeAll(resources))
		}
		h.layers = append(h.layers, l)
	}
	return h, nil
}

// Resource is what the handle installed on a device, nil if it left the device
// alone.
func (h *Handle) Resource(dev *driver.Device) mr.Resource {
	for _, l := range h.layers {
		if l.device == dev {
			return l.resource
		}
	}
	return nil
}

// Close puts back the resources that Reinitialize replaced, and retires its
// own: they give no more memory and close when their last allocation is freed.
// A device whose resource was changed since keeps the newer one. A second Close
// is driver.ErrClosed.
func (h *Handle) Close() error {
	stack.Lock()
	defer stack.Unlock()
	if h.closed {
		return fmt.Errorf("Handle.Close: %w", driver.ErrClosed)
	}
	h.closed = true
	errs := []error{h.uninstall()}
	for _, l := range h.layers {
		errs = append(errs, retire(l.resource))
	}
	return errors.Join(errs...)
}

// uninstall takes the handle's layers off, the last installed first.
func (h *Handle) uninstall() error {
	var errs []error
	for i := len(h.layers) - 1; i >= 0; i-- {
		errs = append(errs, h.layers[i].uninstall())
	}
	return errors.Join(errs...)
}

// retire closes a resource once nothing is left in it; resources that hold
// nothing of their own need no closing.
func retire(r mr.Resource) error {
	if retirer, ok := r.(mr.Retirer); ok {
		return retirer.Retire()
	}
	return closeAll([]mr.Resource{r})
}

func closeAll(resources []mr.Resource) error {
	var errs []error
	for _, r := range resources {
		if c, ok := r.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
