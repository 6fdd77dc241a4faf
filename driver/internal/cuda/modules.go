package cuda

import (
	"bytes"
	"errors"
	"runtime"
	"strings"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

var _ api.Kernels = (*device)(nil)

// ModuleLoad loads PTX text or a cubin. The compiler's own words about bad PTX
// are the error's Detail.
func (d *device) ModuleLoad(image []byte) (api.Module, error) {
	p := &d.b.fn.optional.moduleLoad
	if len(image) == 0 {
		return 0, d.b.fn.invalid(p, "the image is empty: give PTX text or a cubin")
	}
	text := append(bytes.Clone(image), 0) // PTX is a C string; a cubin knows its own length
	jit := newJITOptions()
	m, err := d.currentOut(p, loader.AddressOf(&text[0]),
		uintptr(len(jit.options)), loader.AddressOf(&jit.options[0]), loader.AddressOf(&jit.values[0]))
	runtime.KeepAlive(text)
	runtime.KeepAlive(jit)
	return api.Module(m), jit.explain(err)
}

// ModuleUnload unloads a module.
func (d *device) ModuleUnload(m api.Module) error {
	d.b.kernels.forget(m)
	return d.current(&d.b.fn.optional.moduleUnload, uintptr(m))
}

// ModuleFunction finds a kernel.
func (d *device) ModuleFunction(m api.Module, name string) (api.Function, error) {
	p := &d.b.fn.optional.moduleFunction
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return 0, d.b.fn.invalid(p, "%q is no name of a kernel: give the .entry name of the PTX", name)
	}
	text := append([]byte(name), 0)
	word, err := d.currentOut(p, uintptr(m), loader.AddressOf(&text[0]))
	runtime.KeepAlive(text)
	if err != nil {
		return 0, explainMissing(err)
	}
	return api.Function(word), d.learnParameters(m, api.Function(word))
}

func explainMissing(err error) error {
	var failure *api.Error
	if errors.As(err, &failure) && failure.Code == api.CodeNotFound {
		failure.Detail = `the module has no such kernel: C++ mangles the names of functions that are not extern "C"`
	}
	return err
}
