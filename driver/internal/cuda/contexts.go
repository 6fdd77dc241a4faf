package cuda

import (
	"errors"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var _ api.Contexts = (*device)(nil)

// PrimaryContextReset destroys everything in the device's primary context, for
// everybody in the process, and retains the context that takes its place. No
// other call on the device may run meanwhile, and every handle made before is
// dead.
func (d *device) PrimaryContextReset() error {
	fn := &d.b.fn
	if err := d.b.call(&fn.optional.primaryCtxReset, d.id); err != nil {
		return err
	}
	// A reset ends no retain. Without giving ours up the next one would return
	// the dead context.
	if err := d.b.call(&fn.primaryCtxRelease, d.id); err != nil && !errors.Is(err, api.ErrInvalidContext) {
		return err
	}
	context, err := d.b.callOut(&fn.primaryCtxRetain, d.id)
	if err != nil {
		return err
	}
	d.context.Store(uintptr(context))
	return nil
}
