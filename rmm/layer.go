package rmm

import (
	"sync"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// layer is one resource that a Handle installed on a device, on top of what was
// there.
//
// Handles may close in any order. Invariant: a layer is in stack.layers from its
// installation until nothing can restore it any more: until it was uninstalled
// while on top, or the layer above it was.
type layer struct {
	device   *driver.Device
	resource mr.Resource
	previous mr.Resource
	gone     bool // uninstalled while another layer was on top
}

var stack = struct {
	sync.Mutex
	layers map[mr.Resource]*layer
}{layers: map[mr.Resource]*layer{}}

// install puts r on a device. The caller holds stack.
func install(dev *driver.Device, r mr.Resource) (*layer, error) {
	previous, err := mr.SetPerDevice(dev, r)
	if err != nil {
		return nil, err
	}
	l := &layer{device: dev, resource: r, previous: previous}
	stack.layers[r] = l
	return l, nil
}

// uninstall puts back the newest resource below l that is still in use. If
// something else is on top, it stays there, and l is skipped when that goes. The
// caller holds stack.
func (l *layer) uninstall() error {
	next, skipped := below(l.previous)
	replaced, err := mr.ReplacePerDevice(l.device, l.resource, next)
	if !replaced {
		l.gone = true
		return err
	}
	for _, r := range append(skipped, l.resource) {
		delete(stack.layers, r)
	}
	return nil
}

// below is the newest resource from r down whose layer is not gone, and the
// resources that were skipped.
func below(r mr.Resource) (next mr.Resource, skipped []mr.Resource) {
	for l := stack.layers[r]; l != nil && l.gone; l = stack.layers[r] {
		skipped = append(skipped, r)
		r = l.previous
	}
	return r, skipped
}
