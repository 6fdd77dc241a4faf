package loader

import "sync"

// HostFunc is a Go function in the form of CUDA's CUhostFn, void f(void *data):
// Address is f and Data is data. C must call it exactly once; the registration
// ends with that call.
//
// All host functions share one C entry point: entry points are never freed and
// a process has about 2 000.
type HostFunc struct {
	Address uintptr
	Data    uintptr // a key, not a pointer
}

var hostFuncs = struct {
	sync.Mutex
	last  uintptr
	byKey map[uintptr]func()
}{byKey: map[uintptr]func(){}}

// NewHostFunc registers f for one call from C. f runs on a thread of the
// caller's, which holds no CUDA context of ours and must not be left by
// runtime.Goexit; a panic ends the process.
func NewHostFunc(f func()) HostFunc {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	hostFuncs.last++
	hostFuncs.byKey[hostFuncs.last] = f
	return HostFunc{Address: hostFuncEntry(), Data: hostFuncs.last}
}

// Forget ends the registration, for when C refused to take h.
func (h HostFunc) Forget() { takeHostFunc(h.Data) }

// takeHostFunc removes a registration and returns its function; nil if C calls
// the same one twice.
func takeHostFunc(key uintptr) func() {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	f := hostFuncs.byKey[key]
	delete(hostFuncs.byKey, key)
	return f
}

func runHostFunc(key uintptr) uintptr {
	if f := takeHostFunc(key); f != nil {
		f()
	}
	return 0
}
