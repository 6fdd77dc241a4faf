package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// A fault is an error of work on a device, found while it runs. It stays with the
// contexts of all devices of the process, as on an H200: work that has not begun is
// dropped, streams run empty, and every later call on a device fails with it until
// that device's PrimaryContextReset.

// abort ends the work that is running with a fault of its device. Only work
// that run started may panic with it.
type abort struct{ fault *api.Error }

// run does the work of an operation, unless the device has failed.
func (d *device) run(work func()) {
	if d.fault.Load() != nil {
		return
	}
	defer d.catch()
	work()
}

// catch keeps the first fault of each device. Any other panic is the program's
// own.
func (d *device) catch() {
	switch r := recover().(type) {
	case nil:
	case abort:
		for _, hit := range d.machine.devices {
			hit.fault.CompareAndSwap(nil, r.fault)
		}
	default:
		panic(r)
	}
}

// fault ends the work that is running.
func fault(call string, code int, detail string, args ...any) {
	panic(abort{fail(call, code, detail, args...).(*api.Error)})
}

// sticky is the fault of the device as the error of a later call, nil if there
// is none.
func (d *device) sticky(call string) error {
	f := d.fault.Load()
	if f == nil {
		return nil
	}
	e := *f
	e.Detail = "in " + f.Call + ": " + f.Detail + ": it stays until the device's primary context is reset"
	e.Call = call
	return &e
}
