//go:build rmm_nocuda

package loader

// With the tag rmm_nocuda nothing can be opened, so that no Proc ever has an
// address and the rest of this file is never reached.

func supported() error { return ErrNotBuilt }

func dlopen(string, bool) (uintptr, error) { return 0, ErrNotBuilt }

func dlsym(uintptr, string) uintptr { return 0 }

func (f *Frame) syscall(*Proc) uintptr { return ^uintptr(0) }

// NewCallback returns 0: there is no C to call it.
func NewCallback(any) uintptr { return 0 }

func hostFuncEntry() uintptr { return NewCallback(runHostFunc) }
