package sim

import (
	"sync"
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Machine is a simulated host with its devices, to be passed as
// driver.Options.Machine. All methods are safe for concurrent use.
//
// Lock order: hostMemory.mu, addressSpace.mu, memory.mu, graph.mu. No lock is held while data
// moves or a host function runs.
type Machine struct {
	config  Config
	devices []*device
	graph   *graph
	host    *hostMemory
	closed  atomic.Bool
	faults  faults
	running sync.WaitGroup // what Go has started

	space     addressSpace
	physicals handles[physical] // space.mu guards it
	exports   exports
	modules   *modules
}

var _ api.Backend = (*Machine)(nil)

// New makes a machine. A configuration that makes no sense is an error that
// says which field to change.
func New(config Config) (*Machine, error) {
	config, err := config.fill()
	if err != nil {
		return nil, err
	}
	m := &Machine{config: config, graph: newGraph(config), host: newHostMemory(), physicals: handles[physical]{base: 4 << 40}, modules: newModules()}
	if m.graph.check = config.newChecker(); m.graph.check != nil {
		api.AnnotationListeners.Add(1)
	}
	for i := range config.Devices {
		m.devices = append(m.devices, newDevice(m, i))
	}
	return m, nil
}

// enter is the head of every call, the one place through which a program
// reaches the machine. A call that enter refuses has no effect.
func (m *Machine) enter(call string) error {
	if m.closed.Load() {
		return fail(call, api.CodeDeinitialized, "the simulated machine is closed: make another with sim.New")
	}
	if err := m.graph.callbacks.refuse(call); err != nil {
		return err
	}
	m.graph.exec.yield(call)
	return m.faults.enter(call)
}

// Name is "sim".
func (m *Machine) Name() string { return "sim" }

// DriverVersion is the CUDA version whose behaviour is simulated: 13000.
func (m *Machine) DriverVersion() int { return 13000 }

// Libraries is empty: nothing is loaded.
func (m *Machine) Libraries() []api.Library { return nil }

// DeviceCount is the number of simulated devices.
func (m *Machine) DeviceCount() int { return len(m.devices) }

// Device returns a simulated device; always the same for one ordinal.
func (m *Machine) Device(ordinal int) (api.Device, error) {
	const call = "cuDevicePrimaryCtxRetain"
	if err := m.enter(call); err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(m.devices) {
		return nil, fail(call, api.CodeInvalidDevice, "device %d does not exist, there are %d", ordinal, len(m.devices))
	}
	return m.devices[ordinal], nil
}

// Close waits for all pending work and gives pinned and managed memory back to
// the operating system. Later calls fail, but Outstanding still tells what the
// program left behind. A second Close does nothing.
func (m *Machine) Close() error {
	if !m.closed.CompareAndSwap(false, true) {
		return nil
	}
	m.graph.releaseAll()
	m.drain()
	if m.graph.check != nil {
		api.AnnotationListeners.Add(-1)
	}
	return m.host.close()
}

// drain waits for what is enqueued on any device now.
func (m *Machine) drain() {
	for _, d := range m.devices {
		d.drain()
	}
}

// deviceOf is the device whose memory p would lie in, nil for host addresses.
func (m *Machine) deviceOf(p Ptr) *device {
	if uintptr(p) < addressBase {
		return nil
	}
	if i := (uintptr(p) - addressBase) / m.config.addressSpan(); i < uintptr(len(m.devices)) {
		return m.devices[i]
	}
	return nil
}
