package cuda

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// check turns the outcome of a call into an error. Success costs nothing.
func (fn *functions) check(p *loader.Proc, code int32, err error) error {
	if code == api.Success && err == nil {
		return nil
	}
	return fn.failure(p, code, err)
}

func (fn *functions) failure(p *loader.Proc, code int32, err error) error {
	if err != nil {
		return unavailable(p, err)
	}
	if code == api.CodeNotReady {
		return errNotReady
	}
	name, message := fn.describe(code)
	return &api.Error{Call: p.Name(), Code: int(code), Name: name, Message: message}
}

// unavailable is the error of a function that this driver does not have.
func unavailable(p *loader.Proc, err error) error {
	return &api.UnsupportedError{Feature: p.Name(), Reason: err.Error()}
}

// describe asks the driver for a code's name and text.
func (fn *functions) describe(code int32) (name, message string) {
	name = fn.text(&fn.getErrorName, code)
	if name == "" {
		name = "CUDA_ERROR_UNRECOGNIZED"
	}
	return name, fn.text(&fn.getErrorString, code)
}

// text calls a function of the form (CUresult, const char **); empty if it
// does not know the code.
func (fn *functions) text(p *loader.Proc, code int32) string {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	result, err := f.Call(p, uintptr(code), f.WordAddr(0))
	if err != nil || result != api.Success {
		return ""
	}
	return loader.GoString(uintptr(f.Word(0)))
}

// errNotReady is the outcome of a query while work is pending. It is made once:
// whoever polls must not fill the heap.
var errNotReady error = &api.Error{Code: api.CodeNotReady, Name: "CUDA_ERROR_NOT_READY"}

// ready turns the outcome of a query into an answer.
func ready(err error) (bool, error) {
	if err == errNotReady {
		return false, nil
	}
	return err == nil, err
}

// invalid is a bad argument that is found before the driver sees it.
func (fn *functions) invalid(p *loader.Proc, format string, args ...any) error {
	name, message := fn.describe(api.CodeInvalidValue)
	return &api.Error{Call: p.Name(), Code: api.CodeInvalidValue, Name: name, Message: message, Detail: fmt.Sprintf(format, args...)}
}
