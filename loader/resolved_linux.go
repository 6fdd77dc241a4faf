//go:build linux && !rmm_nocuda

package loader

import "github.com/ebitengine/purego"

// requestLinkMap is glibc's RTLD_DI_LINKMAP.
const requestLinkMap = 2

// linkMap is the public head of glibc's struct link_map.
type linkMap struct {
	address uintptr
	name    uintptr // const char *, the file's full path
}

// resolvedPath asks the dynamic linker which file a handle stands for; empty if
// it does not say.
func resolvedPath(handle uintptr) string {
	dlinfo := Proc{name: "dlinfo", address: dlsym(purego.RTLD_DEFAULT, "dlinfo")}
	if dlinfo.address == 0 {
		return ""
	}
	f := Acquire()
	defer f.Release()
	code, err := f.Call(&dlinfo, handle, requestLinkMap, f.WordAddr(0))
	if err != nil || code != 0 {
		return ""
	}
	return GoString((*linkMap)(foreign(uintptr(f.Word(0)))).name)
}
