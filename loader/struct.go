package loader

import (
	"encoding/binary"
	"runtime"
)

const (
	structSize        = 64 // CUipcMemHandle and CUipcEventHandle
	argumentRegisters = 6  // of integers, in the System V calling convention of x86-64
)

// SetOutStruct is SetOut for a function f(result *, 64-byte struct, rest…) that
// takes the struct by value; at most five arguments may follow it. C may
// overwrite *value, which the caller keeps alive until after Invoke.
func (f *Frame) SetOutStruct(value *[structSize]byte, rest ...uintptr) {
	if structsOnStack(runtime.GOOS, runtime.GOARCH) {
		f.setOutStructOnStack(value, rest)
		return
	}
	f.setOutStructByReference(value, rest)
}

// structsOnStack reports where C looks for a struct that is too large for
// registers. System V puts it on the stack and the integers around it in
// registers; Windows and every arm64 pass the address of a copy.
func structsOnStack(goos, goarch string) bool {
	return goarch == "amd64" && goos != "windows"
}

// setOutStructOnStack fills the registers, used or not, so that the struct's
// words are the first on the stack.
func (f *Frame) setOutStructOnStack(value *[structSize]byte, rest []uintptr) {
	f.SetOut(rest...)
	clear(f.args[f.n:argumentRegisters])
	f.n = argumentRegisters
	for i := 0; i < structSize; i += 8 {
		f.args[f.n] = uintptr(binary.LittleEndian.Uint64(value[i:]))
		f.n++
	}
}

func (f *Frame) setOutStructByReference(value *[structSize]byte, rest []uintptr) {
	f.SetOut(append([]uintptr{AddressOf(value)}, rest...)...)
}
