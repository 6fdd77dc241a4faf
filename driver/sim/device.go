package sim

import (
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// device is one simulated GPU. Its streams belong to the graph and are guarded
// by the graph's lock.
type device struct {
	machine   *Machine
	info      api.DeviceInfo
	memory    *memory
	legacy    *stream
	perThread *stream

	streams []*stream // all, with destroyed ones that still have work
	pending int       // operations enqueued and not complete
	opened  int       // streams created and not destroyed
	events  int       // events created and not destroyed

	physical int // handles of memory not released; the address space's lock guards it
	reserved int // ranges of addresses not freed; the same
	loaded   int // modules not unloaded; the modules' lock guards it
	graphs   int // graphs and their instances, not destroyed; the operations' lock guards it
	peers    peers

	fault atomic.Pointer[api.Error] // the sticky error of its context, nil while there is none
}

var _ api.Device = (*device)(nil)

func newDevice(m *Machine, ordinal int) *device {
	d := &device{machine: m, info: api.DeviceInfo{
		Ordinal:     ordinal,
		Name:        "Simulated H200",
		UUID:        [16]byte{0: 's', 1: 'i', 2: 'm', 15: byte(ordinal)},
		TotalMemory: m.config.MemoryPerDevice,
	}}
	d.legacy = newStream(d, api.StreamLegacy, api.StreamBlocking)
	d.perThread = newStream(d, api.StreamPerThread, api.StreamBlocking)
	d.memory = newMemory(d, addressBase+uintptr(ordinal)*m.config.addressSpan())
	return d
}

// enter is the head of every call that needs the device's context.
func (d *device) enter(call string) error {
	if err := d.machine.enter(call); err != nil {
		return err
	}
	return d.sticky(call)
}

func (d *device) Info() api.DeviceInfo { return d.info }

func (d *device) MemInfo() (free, total int, err error) {
	if err := d.enter("cuMemGetInfo_v2"); err != nil {
		return 0, 0, err
	}
	return d.memory.available(), d.info.TotalMemory, nil
}

func (d *device) Synchronize() error {
	const call = "cuCtxSynchronize"
	if err := d.enterUnsafe(call); err != nil {
		return err
	}
	d.drain()
	d.memory.settle()
	return d.sticky(call)
}

// drain waits for what is enqueued on the device now.
func (d *device) drain() {
	g := d.machine.graph
	ops, mark := d.unfinished()
	g.awaitAll(ops)
	g.check.Synchronized(mark)
}

// unfinished are the last operations of all streams with pending work, and what
// the host knows when they are complete.
func (d *device) unfinished() (ops []*op, mark checker.Mark) {
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	mark = g.check.MarkDevice(d.legacy.thread)
	if d.pending == 0 {
		return nil, mark
	}
	for _, s := range d.streams {
		if s.tail != nil {
			ops = append(ops, s.tail)
		}
	}
	return ops, mark
}
