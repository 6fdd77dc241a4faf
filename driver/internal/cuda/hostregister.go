package cuda

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

var _ api.HostRegister = (*device)(nil)

// registerFlags are CU_MEMHOSTREGISTER_PORTABLE and DEVICEMAP: pinned for every
// context and mapped on every device.
const registerFlags = 1 | 2

// MemHostRegister pins memory. The caller keeps it where it is, and reachable,
// until MemHostUnregister.
func (d *device) MemHostRegister(memory []byte) error {
	p := &d.b.fn.optional.memHostRegister
	if len(memory) == 0 {
		return d.nothingToPin(p)
	}
	err := d.current(p, hostAddress(memory), uintptr(len(memory)), registerFlags)
	runtime.KeepAlive(memory)
	return err
}

// MemHostUnregister takes MemHostRegister back.
func (d *device) MemHostUnregister(memory []byte) error {
	p := &d.b.fn.optional.memHostUnregister
	if len(memory) == 0 {
		return d.nothingToPin(p)
	}
	err := d.current(p, hostAddress(memory))
	runtime.KeepAlive(memory)
	return err
}

func (d *device) nothingToPin(p *loader.Proc) error {
	return d.b.fn.invalid(p, "the slice is empty: there is no memory to pin")
}
