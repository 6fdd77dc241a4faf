package cudart

import (
	"errors"
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// call calls a function of the runtime on the device.
func (d *device) call(p *loader.Proc, args ...uintptr) error {
	f := loader.Acquire()
	f.Set(args...)
	err := d.invoke(f, p)
	f.Release()
	return err
}

// callOut is call for a function that writes its result through its first
// parameter, which args leave out.
func (d *device) callOut(p *loader.Proc, args ...uintptr) (uint64, error) {
	f := loader.Acquire()
	f.SetOut(args...)
	err := d.invoke(f, p)
	out := f.Word(0)
	f.Release()
	return out, err
}

// query calls a function that answers cudaErrorNotReady while work is pending.
func (d *device) query(p *loader.Proc, args ...uintptr) (bool, error) {
	f := loader.Acquire()
	f.Set(args...)
	code, err := d.within(f, p, (*backend).runtimeCall)
	f.Release()
	if err == nil && code == api.CodeNotReady {
		return false, nil
	}
	err = d.b.check(p, code, err)
	return err == nil, err
}

func (d *device) invoke(f *loader.Frame, p *loader.Proc) error {
	code, err := d.within(f, p, (*backend).runtimeCall)
	return d.b.check(p, code, err)
}

// driverCall calls a function of libcuda on the device.
func (d *device) driverCall(p *loader.Proc, args ...uintptr) error {
	f := loader.Acquire()
	f.Set(args...)
	code, err := d.within(f, p, (*backend).driverCall)
	f.Release()
	return d.b.check(p, code, err)
}

// within makes the device's primary context current for one call. The goroutine
// keeps its thread meanwhile, and the thread has its own context back after.
func (d *device) within(f *loader.Frame, p *loader.Proc, call func(*backend, *loader.Frame, *loader.Proc) (int32, error)) (int32, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.push(); err != nil {
		return 0, err
	}
	code, err := call(d.b, f, p)
	if popErr := d.pop(); popErr != nil {
		return 0, errors.Join(d.b.check(p, code, err), popErr)
	}
	return code, err
}

func (d *device) push() error { return d.b.driver(&d.b.drv.ctxPushCurrent, d.context) }

func (d *device) pop() error {
	_, err := d.b.driverOut(&d.b.drv.ctxPopCurrent)
	return err
}

// runtimeCall calls p on this thread, which the caller holds, and takes a
// failure back from the thread. The error says that p cannot be called.
func (b *backend) runtimeCall(f *loader.Frame, p *loader.Proc) (int32, error) {
	code, err := b.driverCall(f, p)
	if code != api.Success {
		b.forgetLastError()
	}
	return code, err
}

// driverCall is runtimeCall for libcuda, which remembers nothing.
func (b *backend) driverCall(f *loader.Frame, p *loader.Proc) (int32, error) {
	code, err := f.Invoke(p)
	if err != nil {
		return 0, unavailable(p, err)
	}
	return code, nil
}

func (b *backend) forgetLastError() {
	f := loader.Acquire()
	f.Set()
	f.Invoke(&b.rt.getLastError) // its answer is the failure that the caller reports
	f.Release()
}

// driver calls a function of libcuda that takes no notice of contexts.
func (b *backend) driver(p *loader.Proc, args ...uintptr) error {
	f := loader.Acquire()
	f.Set(args...)
	code, err := b.driverCall(f, p)
	f.Release()
	return b.check(p, code, err)
}

// driverOut is driver for a function that writes a result.
func (b *backend) driverOut(p *loader.Proc, args ...uintptr) (uint64, error) {
	f := loader.Acquire()
	f.SetOut(args...)
	code, err := b.driverCall(f, p)
	out := f.Word(0)
	f.Release()
	return out, b.check(p, code, err)
}
