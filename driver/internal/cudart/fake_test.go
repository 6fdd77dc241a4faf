//go:build linux && !rmm_nocuda

package cudart

import (
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// arguments are as many as a call passes at most: two for cudaIpcOpenMemHandle,
// four unused registers and the eight words of its struct.
type arguments [14]uintptr

// fakeCUDA is a libcudart and a libcuda of Go functions behind C entry points:
// it records the calls, keeps a stack of contexts and the runtime's last error
// per thread, and answers as told.
type fakeCUDA struct {
	mu         sync.Mutex
	calls      []fakeCall
	contexts   map[int][]uintptr // by thread
	lastErrors map[int]int32     // by thread
	answers    map[string]func(arguments) int32
}

// fakeCall is one call as CUDA sees it.
type fakeCall struct {
	name    string
	args    arguments
	current uintptr // the context that was current on the thread
}

// first are the call's first n arguments.
func (c fakeCall) first(n int) []uintptr { return c.args[:n] }

// The entry points are made once per version, because a process has few.
var (
	fakeNow       *fakeCUDA // the fake of the running test
	fakeEntries12 = sync.OnceValue(func() fakeLibraries { return makeFakeEntries(12040) })
	fakeEntries13 = sync.OnceValue(func() fakeLibraries { return makeFakeEntries(13000) })
)

type fakeLibraries struct {
	rt      runtimeAPI
	drv     driverAPI
	version int
}

// makeFakeEntries binds every function of both tables to a C entry point.
func makeFakeEntries(version int) fakeLibraries {
	l := fakeLibraries{version: version}
	for _, s := range append(l.rt.table(version), l.drv.table()...) {
		name := s.Name
		*s.Proc = loader.NewProc(name, loader.NewCallback(func(a, b, c, d, e, f, g, h, i, j, k, l, m, n uintptr) uintptr {
			return uintptr(uint32(fakeNow.call(name, arguments{a, b, c, d, e, f, g, h, i, j, k, l, m, n})))
		}))
	}
	return l
}

const fakeDevices = 2

// contextOf is the primary context that the fake gives to a device.
func contextOf(ordinal int) uintptr { return 0xc0 + uintptr(ordinal) }

func newFake(t testing.TB, l fakeLibraries) (*fakeCUDA, *backend) {
	t.Helper()
	fake := &fakeCUDA{contexts: map[int][]uintptr{}, lastErrors: map[int]int32{}}
	fake.answers = map[string]func(arguments) int32{
		"cudaGetDeviceCount":               func(a arguments) int32 { return poke32(a[0], fakeDevices) },
		"cudaDeviceGetStreamPriorityRange": func(a arguments) int32 { poke32(a[0], 0); return poke32(a[1], 0xfffffffb) },
		"cudaGetLastError":                 fake.takeLastError,
		"cuDeviceGet":                      func(a arguments) int32 { return poke32(a[0], uint32(a[1])) },
		"cuDeviceTotalMem":                 func(a arguments) int32 { return poke(a[0], 1<<37) },
		"cuDeviceGetName":                  func(a arguments) int32 { return poke(a[0], 'G'|'P'<<8|'U'<<16) },
		"cuDevicePrimaryCtxRetain":         func(a arguments) int32 { return poke(a[0], uint64(contextOf(int(a[1])))) },
		"cuCtxPushCurrent":                 fake.push,
		"cuCtxPopCurrent":                  fake.pop,
	}
	fakeNow = fake
	b := &backend{rt: l.rt, drv: l.drv, libraries: []api.Library{
		{Name: "libcudart", Path: "fake cudart", Version: l.version},
		{Name: "libcuda", Path: "fake driver", Version: 13000},
	}}
	started, err := b.start()
	require.NoError(t, err)
	return fake, started.(*backend)
}

// openFake returns device 0 of a fake CUDA 13 with the calls of opening
// forgotten.
func openFake(t testing.TB) (*fakeCUDA, *device) { return openFakeOf(t, fakeEntries13()) }

func openFakeOf(t testing.TB, l fakeLibraries) (*fakeCUDA, *device) {
	t.Helper()
	fake, b := newFake(t, l)
	d, err := b.device(0)
	require.NoError(t, err)
	fake.take()
	return fake, d
}

func (f *fakeCUDA) call(name string, args arguments) int32 {
	f.mu.Lock()
	f.calls = append(f.calls, fakeCall{name: name, args: args, current: f.top()})
	answer := f.answers[name]
	f.mu.Unlock()
	if answer == nil {
		return api.Success
	}
	code := answer(args)
	if code != api.Success && strings.HasPrefix(name, "cuda") && name != "cudaGetLastError" {
		f.mu.Lock()
		f.lastErrors[syscall.Gettid()] = code
		f.mu.Unlock()
	}
	return code
}

// top is the context that is current on this thread; f.mu is held.
func (f *fakeCUDA) top() uintptr {
	stack := f.contexts[syscall.Gettid()]
	if len(stack) == 0 {
		return 0
	}
	return stack[len(stack)-1]
}

func (f *fakeCUDA) push(args arguments) int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := syscall.Gettid()
	f.contexts[id] = append(f.contexts[id], args[0])
	return api.Success
}

func (f *fakeCUDA) pop(args arguments) int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	top := f.top()
	if top == 0 {
		return api.CodeInvalidContext
	}
	id := syscall.Gettid()
	f.contexts[id] = f.contexts[id][:len(f.contexts[id])-1]
	return poke(args[0], uint64(top))
}

func (f *fakeCUDA) takeLastError(arguments) int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := syscall.Gettid()
	code := f.lastErrors[id]
	delete(f.lastErrors, id)
	return code
}

// current is the context that is current on this thread.
func (f *fakeCUDA) current() uintptr {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.top()
}

// leftErrors counts threads on which the runtime remembers a failure.
func (f *fakeCUDA) leftErrors() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.lastErrors)
}

// take returns the calls so far and forgets them.
func (f *fakeCUDA) take() []fakeCall {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

func names(calls []fakeCall) string {
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = c.name
	}
	return strings.Join(list, " ")
}

// find returns the first call of a function.
func find(t *testing.T, calls []fakeCall, name string) fakeCall {
	t.Helper()
	for _, c := range calls {
		if c.name == name {
			return c
		}
	}
	require.Fail(t, "not called", "%s, only %s", name, names(calls))
	return fakeCall{}
}

// answer makes a function return a code.
func (f *fakeCUDA) answer(name string, code int32) {
	f.answers[name] = func(arguments) int32 { return code }
}

// answerText makes cuGetErrorName and cuGetErrorString know every code.
func (f *fakeCUDA) answerText(name, message string) {
	cName, cMessage := append([]byte(name), 0), append([]byte(message), 0)
	f.answers["cuGetErrorName"] = func(a arguments) int32 { return poke(a[1], uint64(loader.AddressOf(&cName[0]))) }
	f.answers["cuGetErrorString"] = func(a arguments) int32 { return poke(a[1], uint64(loader.AddressOf(&cMessage[0]))) }
}

// pointer is what C was given.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// at reads a value where C was given a pointer.
func at[T any](address uintptr) T { return *(*T)(pointer(address)) }

// poke writes 8 bytes where C was given a pointer.
func poke(address uintptr, value uint64) int32 {
	*(*uint64)(pointer(address)) = value
	return api.Success
}

func poke32(address uintptr, value uint32) int32 {
	*(*uint32)(pointer(address)) = value
	return api.Success
}
