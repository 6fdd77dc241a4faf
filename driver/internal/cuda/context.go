package cuda

import (
	"errors"
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// direct calls p with handles that carry their device.
func (d *device) direct(p *loader.Proc, args ...uintptr) error {
	f := loader.Acquire()
	f.Set(args...)
	err := d.invokeDirect(f, p)
	f.Release()
	return err
}

// directOut is direct for a function that writes its result through its first
// parameter, which args leave out.
func (d *device) directOut(p *loader.Proc, args ...uintptr) (uint64, error) {
	f := loader.Acquire()
	f.SetOut(args...)
	err := d.invokeDirect(f, p)
	out := f.Word(0)
	f.Release()
	return out, err
}

// current calls p with the device's context current.
func (d *device) current(p *loader.Proc, args ...uintptr) error {
	f := loader.Acquire()
	f.Set(args...)
	err := d.invokeCurrent(f, p)
	f.Release()
	return err
}

// currentOut is current for a function that writes a result.
func (d *device) currentOut(p *loader.Proc, args ...uintptr) (uint64, error) {
	f := loader.Acquire()
	f.SetOut(args...)
	err := d.invokeCurrent(f, p)
	out := f.Word(0)
	f.Release()
	return out, err
}

// onStream calls p, which works on s; one of args is handle(s).
func (d *device) onStream(s api.Stream, p *loader.Proc, args ...uintptr) error {
	f := loader.Acquire()
	f.Set(args...)
	err := d.invokeOn(s, f, p)
	f.Release()
	return err
}

// onStreamOut is onStream for a function that writes a result.
func (d *device) onStreamOut(s api.Stream, p *loader.Proc, args ...uintptr) (uint64, error) {
	f := loader.Acquire()
	f.SetOut(args...)
	err := d.invokeOn(s, f, p)
	out := f.Word(0)
	f.Release()
	return out, err
}

// handle is what the driver is given for s. 0 and 1 are one stream, but only 1
// says so whichever default-stream mode an entry point was made for.
func handle(s api.Stream) uintptr {
	if s == api.StreamDefault {
		s = api.StreamLegacy
	}
	return uintptr(s)
}

func (d *device) invokeOn(s api.Stream, f *loader.Frame, p *loader.Proc) error {
	if s.Explicit() {
		return d.invokeDirect(f, p)
	}
	return d.invokeCurrent(f, p)
}

// copyOn calls p, which copies or fills memory on s. With another device's
// context current on the thread the driver resolves addresses of pools there, and
// refuses them as invalid before it has done anything; then the call is repeated
// with the right context. (Seen with two H200s, driver 580.)
func (d *device) copyOn(s api.Stream, p *loader.Proc, args ...uintptr) error {
	f := loader.Acquire()
	f.Set(args...)
	err := d.invokeOn(s, f, p)
	if err != nil && errors.Is(err, api.ErrInvalidValue) {
		err = d.invokeCurrent(f, p)
	}
	f.Release()
	return err
}

// invokeDirect goes straight through. A driver that wants a current context
// says so before it has done anything; then the call is repeated with one.
func (d *device) invokeDirect(f *loader.Frame, p *loader.Proc) error {
	code, err := f.Invoke(p)
	if code == api.CodeInvalidContext {
		return d.invokeCurrent(f, p)
	}
	return d.b.fn.check(p, code, err)
}

// invokeCurrent makes the device's context current for one call. The goroutine
// keeps its thread meanwhile, and the thread has its own context back after.
func (d *device) invokeCurrent(f *loader.Frame, p *loader.Proc) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.push(); err != nil {
		return err
	}
	code, err := f.Invoke(p)
	err = d.b.fn.check(p, code, err)
	if popErr := d.pop(); popErr != nil {
		return errors.Join(err, popErr)
	}
	return err
}

func (d *device) push() error { return d.b.call(&d.b.fn.ctxPushCurrent, d.context.Load()) }

func (d *device) pop() error {
	_, err := d.b.callOut(&d.b.fn.ctxPopCurrent)
	return err
}
