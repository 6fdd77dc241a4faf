package sim

import (
	"bytes"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var _ api.Kernels = (*device)(nil)

// modules are the loaded modules of a machine and the functions that were asked
// for.
type modules struct {
	mu        sync.Mutex
	loaded    handles[module]
	functions handles[function]
}

type module struct {
	device  *device
	entries []entry
}

type function struct {
	entry
	module *module
	handle api.Function
	run    func(*Kernel)
}

func newModules() *modules {
	return &modules{loaded: handles[module]{base: 5 << 40}, functions: handles[function]{base: 6 << 40}}
}

// The beginnings of images that are machine code.
var machineCode = [][]byte{[]byte("\x7fELF"), {0x50, 0xed, 0x55, 0xba}}

// ModuleLoad takes PTX text and looks for its entries only.
func (d *device) ModuleLoad(image []byte) (api.Module, error) {
	const call = "cuModuleLoadDataEx"
	if err := d.enter(call); err != nil {
		return 0, err
	}
	for _, magic := range machineCode {
		if bytes.HasPrefix(image, magic) {
			return 0, fail(call, api.CodeNotSupported, "the image is machine code of a GPU: give the simulator PTX text, and the Go functions that stand for its kernels to sim.RegisterKernel")
		}
	}
	found, isPTX := entries(image)
	if !isPTX {
		return 0, fail(call, codeInvalidPTX, "the image is no PTX text: that begins with a .version directive")
	}
	m := d.machine.modules
	m.mu.Lock()
	defer m.mu.Unlock()
	d.loaded++
	return api.Module(m.loaded.add(&module{device: d, entries: found})), nil
}

func (d *device) ModuleUnload(handle api.Module) error {
	return d.onModule("cuModuleUnload", handle, func(loaded *module) error {
		m := d.machine.modules
		m.loaded.remove(uintptr(handle))
		m.functions.removeIf(func(f *function) bool { return f.module == loaded })
		loaded.device.loaded--
		return nil
	})
}

// ModuleFunction finds the Go function that is registered under an entry name
// of the module.
func (d *device) ModuleFunction(handle api.Module, name string) (f api.Function, err error) {
	const call = "cuModuleGetFunction"
	err = d.onModule(call, handle, func(m *module) error {
		for _, e := range m.entries {
			if e.name == name {
				f, err = d.machine.modules.function(call, m, e)
				return err
			}
		}
		return fail(call, api.CodeNotFound, "the PTX has no .entry %s", name)
	})
	return f, err
}

// function makes a handle of an entry, one for each. The caller holds mu.
func (m *modules) function(call string, of *module, e entry) (api.Function, error) {
	run := registered(e.name)
	if run == nil {
		return 0, fail(call, api.CodeNotFound, "no Go function stands for the kernel %s: register one with sim.RegisterKernel(%q, …)", e.name, e.name)
	}
	for _, f := range m.functions.live {
		if f != nil && f.module == of && f.name == e.name {
			return f.handle, nil
		}
	}
	f := &function{entry: e, module: of, run: run}
	f.handle = api.Function(m.functions.add(f))
	return f.handle, nil
}

// onModule runs f on the module of a handle, with the modules locked.
func (d *device) onModule(call string, handle api.Module, f func(*module) error) error {
	if err := d.enter(call); err != nil {
		return err
	}
	m := d.machine.modules
	m.mu.Lock()
	defer m.mu.Unlock()
	loaded := m.loaded.get(uintptr(handle))
	if loaded == nil || loaded.device != d {
		return fail(call, api.CodeInvalidHandle, "%#x is not a module of device %d, or not any more", uintptr(handle), d.info.Ordinal)
	}
	return f(loaded)
}

// reset unloads the modules of a device.
func (m *modules) reset(d *device) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loaded.removeIf(func(loaded *module) bool { return loaded.device == d })
	m.functions.removeIf(func(f *function) bool { return f.module.device == d })
	d.loaded = 0
}
