package cudart

import "runtime"

// registerForAll is cudaHostRegisterPortable | cudaHostRegisterMapped.
const registerForAll = 1 | 2

// MemHostRegister pins memory[:] and maps it for every device. The caller keeps
// it reachable until MemHostUnregister.
func (d *device) MemHostRegister(memory []byte) error {
	if len(memory) == 0 {
		return d.b.invalid(&d.b.rt.hostRegister, "there is nothing to pin in an empty slice: pass the memory with its length")
	}
	err := d.call(&d.b.rt.hostRegister, hostAddress(memory), uintptr(len(memory)), registerForAll)
	runtime.KeepAlive(memory)
	return err
}

// MemHostUnregister ends what MemHostRegister began; memory begins where it did
// then.
func (d *device) MemHostUnregister(memory []byte) error {
	if len(memory) == 0 {
		return d.b.invalid(&d.b.rt.hostUnregister, "an empty slice was never pinned: pass the memory that was")
	}
	err := d.call(&d.b.rt.hostUnregister, hostAddress(memory))
	runtime.KeepAlive(memory)
	return err
}
