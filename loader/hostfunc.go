package loader

import "sync"

// HostFunc is a Go function in the form of CUDA's CUhostFn, void f(void *data):
// Address is f and Data is data.
//
// All host functions share one C entry point: entry points are never freed and
// a process has about 2 000. The Go function runs on a thread of C's, which
// holds no CUDA context of ours; it must not leave by runtime.Goexit, and a
// panic ends the process.
type HostFunc struct {
	Address uintptr
	Data    uintptr // a key, not a pointer
}

// registration is a Go function that C may call.
type registration struct {
	f    func()
	once bool
}

var hostFuncs = struct {
	sync.Mutex
	last  uintptr
	byKey map[uintptr]registration
}{byKey: map[uintptr]registration{}}

// NewHostFunc registers f for one call from C, which ends the registration.
func NewHostFunc(f func()) HostFunc { return register(registration{f: f, once: true}) }

// NewRepeatedHostFunc registers f for any number of calls from C, until Forget.
func NewRepeatedHostFunc(f func()) HostFunc { return register(registration{f: f}) }

func register(r registration) HostFunc {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	hostFuncs.last++
	hostFuncs.byKey[hostFuncs.last] = r
	return HostFunc{Address: hostFuncEntry(), Data: hostFuncs.last}
}

// Forget ends the registration: C refused to take h, or will not call it again.
func (h HostFunc) Forget() {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	delete(hostFuncs.byKey, h.Data)
}

// claimHostFunc returns the function to run for a call from C; nil if its
// registration has ended.
func claimHostFunc(key uintptr) func() {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	r := hostFuncs.byKey[key]
	if r.once {
		delete(hostFuncs.byKey, key)
	}
	return r.f
}

func runHostFunc(key uintptr) uintptr {
	if f := claimHostFunc(key); f != nil {
		f()
	}
	return 0
}
