package cudart

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// failure is the error of a call that returned a code.
func (b *backend) failure(p *loader.Proc, code int32) *api.Error {
	name, message := b.drv.describe(code)
	return &api.Error{Call: p.Name(), Code: int(code), Name: name, Message: message}
}

// check is failure, or nil for success, which costs nothing.
func (b *backend) check(p *loader.Proc, code int32, err error) error {
	if err != nil || code == api.Success {
		return err
	}
	return b.failure(p, code)
}

// unavailable is the error of a function that this libcudart does not have.
func unavailable(p *loader.Proc, err error) error {
	return &api.UnsupportedError{Feature: p.Name(), Reason: err.Error()}
}

// invalid is a bad argument that is found before CUDA sees it.
func (b *backend) invalid(p *loader.Proc, format string, args ...any) error {
	failure := b.failure(p, api.CodeInvalidValue)
	failure.Detail = fmt.Sprintf(format, args...)
	return failure
}

// describe gives a code its name and text. The two APIs share the numbers of
// everything that libcuda can report, and libcuda returns the texts in a way
// that a Frame can read (its results are C ints; cudaGetErrorName returns a
// pointer). The few errors that only the runtime has keep their number.
func (drv *driverAPI) describe(code int32) (name, message string) {
	name = text(&drv.getErrorName, code)
	if name == "" {
		return "cudaError", fmt.Sprintf("error %d of the CUDA runtime: cudaError in driver_types.h names it", code)
	}
	return name, text(&drv.getErrorString, code)
}

// text calls a function of the form (CUresult, const char **); empty if it does
// not know the code.
func text(p *loader.Proc, code int32) string {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	result, err := f.Call(p, uintptr(code), f.WordAddr(0))
	if err != nil || result != api.Success {
		return ""
	}
	return loader.GoString(uintptr(f.Word(0)))
}
