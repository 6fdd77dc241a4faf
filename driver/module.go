package driver

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Module is a set of kernels, loaded from PTX text or a cubin.
type Module struct {
	dev  *Device
	raw  api.Module
	gate gate
}

// Function is a kernel of a Module. It is valid until the module is closed.
type Function struct {
	module *Module
	raw    api.Function
	name   string
}

// LoadModule loads PTX text or a cubin on the device; PTX is compiled by the
// driver, and what it says of an error is part of ours. On the simulator each
// entry name must have been registered as a Go function. Close the module after
// use.
func (d *Device) LoadModule(image []byte) (*Module, error) {
	const call = "Device.LoadModule"
	if len(image) == 0 {
		return nil, badArgument(call, "the image is empty: give PTX text or a cubin")
	}
	m := &Module{dev: d, gate: newGate()}
	err := withNew(d, call, func(k api.Kernels) (err error) {
		m.raw, err = k.ModuleLoad(image)
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Function finds a kernel by its entry name.
func (m *Module) Function(name string) (*Function, error) {
	const call = "Module.Function"
	if err := m.enter(call); err != nil {
		return nil, err
	}
	defer m.gate.leave()
	f := &Function{module: m, name: name}
	err := with(m.dev, call, func(k api.Kernels) (err error) {
		f.raw, err = k.ModuleFunction(m.raw, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find kernel %q: %w", name, err)
	}
	return f, nil
}

// Close unloads the module. No kernel of it may be running. A second Close is
// ErrClosed.
func (m *Module) Close() error {
	const call = "Module.Close"
	if m == nil {
		return badArgument(call, "the module is nil")
	}
	if !m.gate.shut() {
		return m.closedError(call)
	}
	defer m.dev.drv.open.Add(-1)
	return with(m.dev, call, func(k api.Kernels) error { return k.ModuleUnload(m.raw) })
}

func (m *Module) enter(call string) error {
	if m == nil {
		return badArgument(call, "the module is nil: load one with Device.LoadModule")
	}
	if !m.gate.enter() {
		return m.closedError(call)
	}
	return nil
}

func (m *Module) closedError(call string) error {
	return fmt.Errorf("%s: the module is %w", call, ErrClosed)
}
