package cudart

import (
	"errors"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// LaunchHostFunc runs fn on a thread of the driver's, in s's order, once. On a
// stream that is being captured fn becomes part of the graph: it runs once per
// launch of the graph and is kept until the graph and everything instantiated
// from it are destroyed, or the capture fails.
func (d *device) LaunchHostFunc(s api.Stream, fn func()) error {
	c, err := d.captureOf(s)
	if err != nil {
		return err
	}
	if c.status == api.CaptureActive {
		return d.captureHostFunc(s, c.graph, fn)
	}
	return d.launchHostFunc(s, loader.NewHostFunc(fn))
}

func (d *device) launchHostFunc(s api.Stream, h loader.HostFunc) error {
	err := d.call(&d.b.rt.launchHostFunc, handle(s), h.Address, h.Data)
	if err != nil {
		h.Forget()
	}
	return err
}

func (d *device) captureHostFunc(s api.Stream, g api.Graph, fn func()) error {
	h := loader.NewRepeatedHostFunc(fn)
	if err := d.giveTo(g, h); err != nil {
		h.Forget()
		return err
	}
	return d.launchHostFunc(s, h)
}

// cudaUserObjectNoDestructorSync, which the header demands, and
// cudaGraphUserObjectMove.
const (
	userObjectNoSync = 1
	userObjectMove   = 1
)

// giveTo lets a graph, which may still be being captured, own a host function:
// CUDA counts the graph and what is instantiated from it as users of an object,
// and calls the object's destructor, which forgets the function, after the last
// of them is gone.
func (d *device) giveTo(g api.Graph, h loader.HostFunc) error {
	rt := &d.b.rt
	destroy := loader.NewHostFunc(h.Forget)
	object, err := d.callOut(&rt.userObjectCreate, destroy.Data, destroy.Address, 1, userObjectNoSync)
	if err != nil {
		destroy.Forget()
		return err
	}
	if err := d.call(&rt.graphRetainObject, uintptr(g), uintptr(object), 1, userObjectMove); err != nil {
		return errors.Join(err, d.call(&rt.userObjectRelease, uintptr(object), 1))
	}
	return nil
}
