package cuda

import (
	"errors"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// LaunchHostFunc runs f on a thread of the driver's, in s's order, once. On a
// stream that is being captured f becomes part of the graph: it runs once per
// launch of the graph and is kept until the graph and everything instantiated
// from it are destroyed, or the capture fails. A capture that somebody else
// ends, past StreamEndCapture, keeps it for the life of the process.
func (d *device) LaunchHostFunc(s api.Stream, f func()) error {
	status, err := d.isCapturing(s)
	if err != nil {
		return err
	}
	if status == api.CaptureActive {
		return d.captureHostFunc(s, f)
	}
	return d.launchHostFunc(s, loader.NewHostFunc(f))
}

func (d *device) launchHostFunc(s api.Stream, h loader.HostFunc) error {
	err := d.onStream(s, &d.b.fn.launchHostFunc, handle(s), h.Address, h.Data)
	if err != nil {
		h.Forget()
	}
	return err
}

func (d *device) captureHostFunc(s api.Stream, f func()) error {
	_, id, err := d.StreamCapture(s)
	if err != nil {
		return err
	}
	h := loader.NewRepeatedHostFunc(f)
	if err := d.launchHostFunc(s, h); err != nil {
		return err
	}
	d.b.captures.add(id, h)
	return nil
}

// capturedFuncs are the host functions of the captures under way, by capture
// ID, which CUDA never uses again in a process.
type capturedFuncs struct {
	mu   sync.Mutex
	byID map[uint64]hostFuncList
}

// hostFuncList are host functions that live and die together.
type hostFuncList []loader.HostFunc

func (l hostFuncList) forget() {
	for _, h := range l {
		h.Forget()
	}
}

func newCapturedFuncs() capturedFuncs { return capturedFuncs{byID: map[uint64]hostFuncList{}} }

func (c *capturedFuncs) add(id uint64, h loader.HostFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byID[id] = append(c.byID[id], h)
}

// take empties the list of a capture.
func (c *capturedFuncs) take(id uint64) hostFuncList {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.byID[id]
	delete(c.byID, id)
	return list
}

// CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, which cuda.h demands, and
// CU_GRAPH_USER_OBJECT_MOVE.
const (
	userObjectNoSync = 1
	userObjectMove   = 1
)

// bindTo lets a graph own its host functions: the driver counts the graph and
// what is instantiated from it as users of one object, and calls the object's
// destructor, which forgets the functions, after the last of them is gone.
func (d *device) bindTo(g api.Graph, funcs hostFuncList) error {
	if len(funcs) == 0 {
		return nil
	}
	fn := &d.b.fn.optional
	destroy := loader.NewHostFunc(funcs.forget)
	object, err := d.directOut(&fn.userObjectCreate, destroy.Data, destroy.Address, 1, userObjectNoSync)
	if err != nil {
		destroy.Forget()
		funcs.forget()
		return err
	}
	err = d.direct(&fn.graphRetainUserObject, uintptr(g), uintptr(object), 1, userObjectMove)
	if err != nil { // the release calls the destructor
		return errors.Join(err, d.direct(&fn.userObjectRelease, uintptr(object), 1))
	}
	return nil
}
