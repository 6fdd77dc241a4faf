package sim

import (
	"sync"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// callbacks are the goroutines on which host functions and kernels are running,
// to refuse the calls that they must not make.
type callbacks struct {
	running atomic.Int64 // how many; nobody's goroutine is looked up while it is 0
	byID    sync.Map
}

// run runs f as a host function.
func (c *callbacks) run(f func()) {
	id := goroutine()
	c.byID.Store(id, true)
	c.running.Add(1)
	defer func() {
		c.running.Add(-1)
		c.byID.Delete(id)
	}()
	f()
}

// refuse is the error of a call that the machine's own work makes.
func (c *callbacks) refuse(call string) error {
	if c.running.Load() == 0 {
		return nil
	}
	if _, inside := c.byID.Load(goroutine()); !inside {
		return nil
	}
	return fail(call, api.CodeNotPermitted, "a host function or a kernel calls it: it would wait for itself; let another goroutine make the call")
}

// hostFunction is f as an operation. When it begins, the host knows that
// earlier work on the stream is complete.
func (g *graph) hostFunction(f func()) work {
	return func(act *checker.Act) {
		g.check.Synchronized(g.check.MarkAct(act))
		g.callbacks.run(f)
	}
}
