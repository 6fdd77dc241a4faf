package sim

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Fault describes calls that are to fail without doing anything. The zero value
// is every call.
type Fault struct {
	// Call is the function as CUDA names it: "cuMemAlloc_v2". Default: any.
	Call string
	// When chooses among the calls by a condition of the test's; it must not call
	// the machine. Default: all.
	When func(call string) bool
	// Nth is which of the calls fails, counted from the next one, which is 1.
	// Default: all do.
	Nth int
	// Code is CUDA's number of the error (see driver.Error). Default: 2, out of
	// memory.
	Code int
}

// Injection is a Fault in effect.
type Injection struct {
	fault   Fault
	machine *Machine

	mu      sync.Mutex
	matched int
	failed  []string
}

// Fail lets calls of the machine fail. Of several faults that fit a call, the
// one that was there first decides.
func (m *Machine) Fail(f Fault) *Injection {
	if f.Code == 0 {
		f.Code = api.CodeOutOfMemory
	}
	i := &Injection{fault: f, machine: m}
	m.faults.edit(func(all []*Injection) []*Injection { return append(all, i) })
	return i
}

// Remove ends the fault. A second Remove does nothing.
func (i *Injection) Remove() {
	i.machine.faults.edit(func(all []*Injection) []*Injection {
		return slices.DeleteFunc(all, func(other *Injection) bool { return other == i })
	})
}

// Failed are the calls that the fault has made fail so far.
func (i *Injection) Failed() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.failed)
}

// Calls is how many calls the program has made to the machine so far, failed
// ones included.
func (m *Machine) Calls() int { return int(m.faults.calls.Load()) }

// faults are the injections of a machine, and the count of its calls.
type faults struct {
	calls atomic.Int64
	mu    sync.Mutex // held to change all
	all   atomic.Pointer[[]*Injection]
}

func (f *faults) edit(change func([]*Injection) []*Injection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*Injection
	if now := f.all.Load(); now != nil {
		all = slices.Clone(*now)
	}
	all = change(all)
	f.all.Store(&all)
}

// enter counts a call, and is the error that it is to fail with.
func (f *faults) enter(call string) error {
	f.calls.Add(1)
	all := f.all.Load()
	if all == nil {
		return nil
	}
	for _, i := range *all {
		if i.hits(call) {
			return fail(call, i.fault.Code, "the test has asked for it with Machine.Fail")
		}
	}
	return nil
}

func (i *Injection) hits(call string) bool {
	f := i.fault
	if (f.Call != "" && f.Call != call) || (f.When != nil && !f.When(call)) {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.matched++
	if f.Nth != 0 && f.Nth != i.matched {
		return false
	}
	i.failed = append(i.failed, call)
	return true
}

// SetCapacity changes how much memory the program can have of a device, in
// bytes; it starts as Config.MemoryPerDevice without UsedByOthers. What is
// allocated stays, but nothing more is while it exceeds the capacity.
func (m *Machine) SetCapacity(device, bytes int) error {
	if device < 0 || device >= len(m.devices) {
		return errors.New("set the capacity of a simulated device: there is no such device: see Machine.DeviceCount")
	}
	mem := m.devices[device].memory
	if bytes < 0 || bytes > mem.device.info.TotalMemory {
		return errors.New("set the capacity of a simulated device: it must be between 0 and the device's memory")
	}
	mem.mu.Lock()
	defer mem.mu.Unlock()
	mem.limit = bytes
	return nil
}
