package driver

import "fmt"

// with calls f with an interface that not every backend implements, holding the
// driver open meanwhile.
func with[T any](d *Device, call string, f func(T) error) error {
	if err := d.enter(call); err != nil {
		return err
	}
	defer d.drv.gate.leave()
	v, ok := d.raw.(T)
	if !ok {
		return &UnsupportedError{Feature: call, Reason: fmt.Sprintf("the backend %s does not offer it: use driver.CUDA", d.drv.backend.Name())}
	}
	return f(v)
}

// withNew calls f, which makes an object that keeps the driver open until it is
// closed, as with does.
func withNew[T any](d *Device, call string, f func(T) error) error {
	if err := d.register(call); err != nil {
		return err
	}
	err := with(d, call, f)
	if err != nil {
		d.drv.open.Add(-1)
	}
	return err
}
