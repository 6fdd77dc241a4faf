//go:build !rmm_nocuda

package loader

import "github.com/ebitengine/purego"

// syscall makes the call. A CUresult is 32 bits wide: C leaves the upper half
// of the register undefined.
//
// f.args is a slice of the frame and not a list of arguments: a list would be
// allocated anew for every call.
func (f *Frame) syscall(p *Proc) int32 {
	result, _, _ := purego.SyscallN(p.address, f.args[:f.n]...)
	return int32(result)
}
