//go:build unix && !rmm_nocuda

package loader

import (
	"errors"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

func supported() error { return nil }

// dlopen binds at once (RTLD_NOW), so that a library with a missing dependency
// fails here with a reason and not in the middle of a call.
//
// dlerror belongs to the thread: without the lock the goroutine could ask
// another thread for its reason.
func dlopen(path string, global bool) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mode := purego.RTLD_NOW | purego.RTLD_LOCAL
	if global {
		mode = purego.RTLD_NOW | purego.RTLD_GLOBAL
	}
	handle, err := purego.Dlopen(path, mode)
	if err != nil {
		return 0, errors.New(strings.TrimPrefix(err.Error(), path+": "))
	}
	return handle, nil
}

// dlsym returns 0 if the library has no such symbol.
func dlsym(handle uintptr, name string) uintptr {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return address
}
