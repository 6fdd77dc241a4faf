//go:build windows && !rmm_nocuda

package loader

import "syscall"

func supported() error { return nil }

// dlopen has no use for global: Windows resolves imports by library.
func dlopen(path string, _ bool) (uintptr, error) {
	handle, err := syscall.LoadLibrary(path)
	return uintptr(handle), err
}

// dlsym returns 0 if the library has no such symbol.
func dlsym(handle uintptr, name string) uintptr {
	address, err := syscall.GetProcAddress(syscall.Handle(handle), name)
	if err != nil {
		return 0
	}
	return address
}
