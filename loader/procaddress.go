package loader

import "runtime"

// versionedLookup finds a symbol by name and version; 0 if it cannot.
type versionedLookup func(Symbol) uintptr

// flagLegacyStream is CU_GET_PROC_ADDRESS_LEGACY_STREAM: stream 0 means the
// legacy default stream, never the per-thread one.
const flagLegacyStream = 1

// versionedLookup asks libcuda itself (CUDA 12.0 and newer). It is asked for the
// version of the signature that is bound, not for the driver's: a newer driver
// answers a newer version with another signature of the same name
// (cuMemPrefetchAsync, cuCtxCreate, …). Other libraries and older drivers have
// no such function; there the exported name carries the version.
func (l *Library) versionedLookup() versionedLookup {
	ask := Proc{name: "cuGetProcAddress_v2", address: dlsym(l.handle, "cuGetProcAddress_v2")}
	if ask.address == 0 {
		return func(Symbol) uintptr { return 0 }
	}
	return func(s Symbol) uintptr {
		if s.Since == 0 {
			return 0
		}
		return askVersion(&ask, s)
	}
}

func askVersion(ask *Proc, s Symbol) uintptr {
	name := cString(s.Name)
	f := Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	code, err := f.Call(ask, AddressOf(&name[0]), f.WordAddr(0), uintptr(s.Since), flagLegacyStream, f.WordAddr(1))
	runtime.KeepAlive(name)
	if err != nil || code != 0 {
		return 0
	}
	return uintptr(f.Word(0))
}
