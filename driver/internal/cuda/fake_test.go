//go:build linux && !rmm_nocuda

package cuda

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// fakeDriver is a libcuda of Go functions behind C entry points: it records
// the calls, keeps a stack of contexts per thread, and answers as told. The
// entry points are made once, because a process has few of them.
type fakeDriver struct {
	mu       sync.Mutex
	calls    []fakeCall
	contexts map[int][]uintptr // by thread
	answers  map[string]func(args fakeArgs) int32
}

// fakeArgs are the words that the driver finds where C passes arguments; enough
// for cuIpcOpenMemHandle, whose 64-byte struct lies behind six registers.
type fakeArgs [14]uintptr

// fakeCall is one call, as the driver sees it.
type fakeCall struct {
	name    string
	args    fakeArgs
	current uintptr // the context that was current on the thread
}

var (
	fakeNow     *fakeDriver // the fake of the running test
	fakeEntries = sync.OnceValue(makeFakeEntries)
)

// makeFakeEntries binds every function of the table to a C entry point.
func makeFakeEntries() functions {
	var fn functions
	for _, s := range fn.table() {
		name := s.Name
		*s.Proc = loader.NewProc(name, loader.NewCallback(func(a, b, c, d, e, f, g, h, i, j, k, l, m, n uintptr) uintptr {
			return uintptr(uint32(fakeNow.call(name, fakeArgs{a, b, c, d, e, f, g, h, i, j, k, l, m, n})))
		}))
	}
	return fn
}

const fakeDevices = 2

// contextOf is the primary context that the fake gives to a device.
func contextOf(ordinal int) uintptr { return 0xc0 + uintptr(ordinal) }

func newFake(t testing.TB) (*fakeDriver, *backend) {
	t.Helper()
	fake := &fakeDriver{contexts: map[int][]uintptr{}}
	fake.answers = map[string]func(fakeArgs) int32{
		"cuDeviceGetCount":            func(a fakeArgs) int32 { return poke32(a[0], fakeDevices) },
		"cuDeviceGet":                 func(a fakeArgs) int32 { return poke32(a[0], uint32(a[1])) },
		"cuDeviceTotalMem":            func(a fakeArgs) int32 { return poke(a[0], 1<<37) },
		"cuDeviceGetName":             func(a fakeArgs) int32 { return poke(a[0], 'G'|'P'<<8|'U'<<16) },
		"cuDevicePrimaryCtxRetain":    func(a fakeArgs) int32 { return poke(a[0], uint64(contextOf(int(a[1])))) },
		"cuCtxPushCurrent":            fake.push,
		"cuCtxPopCurrent":             fake.pop,
		"cuFuncGetParamInfo":          func(fakeArgs) int32 { return api.CodeInvalidValue },
		"cuCtxGetStreamPriorityRange": func(a fakeArgs) int32 { poke32(a[0], 0); return poke32(a[1], 0xfffffffb) },
	}
	fakeNow = fake
	b := &backend{fn: fakeEntries(), library: api.Library{Name: "libcuda", Path: "fake", Version: 13000}}
	started, err := b.start()
	require.NoError(t, err)
	return fake, started.(*backend)
}

func (f *fakeDriver) call(name string, args fakeArgs) int32 {
	f.mu.Lock()
	stack := f.contexts[syscall.Gettid()]
	c := fakeCall{name: name, args: args}
	if len(stack) > 0 {
		c.current = stack[len(stack)-1]
	}
	f.calls = append(f.calls, c)
	answer := f.answers[name]
	f.mu.Unlock()
	if answer == nil {
		return api.Success
	}
	return answer(args)
}

func (f *fakeDriver) push(args fakeArgs) int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := syscall.Gettid()
	f.contexts[id] = append(f.contexts[id], args[0])
	return api.Success
}

func (f *fakeDriver) pop(args fakeArgs) int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := syscall.Gettid()
	stack := f.contexts[id]
	if len(stack) == 0 {
		return api.CodeInvalidContext
	}
	f.contexts[id] = stack[:len(stack)-1]
	return poke(args[0], uint64(stack[len(stack)-1]))
}

// current is the context that is current on this thread.
func (f *fakeDriver) current() uintptr {
	f.mu.Lock()
	defer f.mu.Unlock()
	stack := f.contexts[syscall.Gettid()]
	if len(stack) == 0 {
		return 0
	}
	return stack[len(stack)-1]
}

// take returns the calls so far and forgets them.
func (f *fakeDriver) take() []fakeCall {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// takeCall returns the first call of a function and forgets them all.
func (f *fakeDriver) takeCall(t testing.TB, name string) fakeCall {
	t.Helper()
	calls := slices.DeleteFunc(f.take(), func(c fakeCall) bool { return c.name != name })
	require.NotEmpty(t, calls, name)
	return calls[0]
}

func names(calls []fakeCall) string {
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = c.name
	}
	return strings.Join(list, " ")
}

// answer makes a function return a code.
func (f *fakeDriver) answer(name string, code int32) {
	f.answers[name] = func(fakeArgs) int32 { return code }
}

// answerText makes cuGetErrorName and cuGetErrorString know every code.
func (f *fakeDriver) answerText(name, message string) {
	cName, cMessage := append([]byte(name), 0), append([]byte(message), 0)
	f.answers["cuGetErrorName"] = func(a fakeArgs) int32 { return poke(a[1], uint64(loader.AddressOf(&cName[0]))) }
	f.answers["cuGetErrorString"] = func(a fakeArgs) int32 { return poke(a[1], uint64(loader.AddressOf(&cMessage[0]))) }
}

// poke writes 8 bytes where C was given a pointer.
func poke(address uintptr, value uint64) int32 {
	**(**uint64)(unsafe.Pointer(&address)) = value
	return api.Success
}

func poke32(address uintptr, value uint32) int32 {
	**(**uint32)(unsafe.Pointer(&address)) = value
	return api.Success
}

func (c fakeCall) String() string { return fmt.Sprintf("%s%#x", c.name, c.args) }

// openFake returns device 0 of a fake driver with the calls of opening
// forgotten.
func openFake(t testing.TB) (*fakeDriver, *device) {
	t.Helper()
	fake, b := newFake(t)
	d, err := b.device(0)
	require.NoError(t, err)
	fake.take()
	return fake, d
}

// at reads what C was given a pointer to.
func at[T any](address uintptr) T { return **(**T)(unsafe.Pointer(&address)) }

// remember keeps a copy of the struct that argument i of a function points to.
func remember[T any](f *fakeDriver, name string, i int) *T {
	seen := new(T)
	f.answers[name] = func(a fakeArgs) int32 {
		*seen = at[T](a[i])
		return api.Success
	}
	return seen
}

// write makes a function store a value where argument i points to.
func write[T any](f *fakeDriver, name string, i int, value T) {
	f.answers[name] = func(a fakeArgs) int32 {
		**(**T)(unsafe.Pointer(&a[i])) = value
		return api.Success
	}
}

// requireOffsets compares the layout of a struct with C's.
func requireOffsets[T any](t *testing.T, size uintptr, want ...uintptr) {
	t.Helper()
	s := reflect.TypeFor[T]()
	require.Equal(t, size, s.Size())
	var offsets []uintptr
	for i := range s.NumField() {
		offsets = append(offsets, s.Field(i).Offset)
	}
	require.Equal(t, want, offsets)
}
