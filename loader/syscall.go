//go:build !rmm_nocuda

package loader

import "github.com/ebitengine/purego"

// syscall makes the call and returns the register that holds C's result.
//
// f.args is a slice of the frame and not a list of arguments: a list would be
// allocated anew for every call.
func (f *Frame) syscall(p *Proc) uintptr {
	result, _, _ := purego.SyscallN(p.address, f.args[:f.n]...)
	return result
}
