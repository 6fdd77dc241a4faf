//go:build linux && !rmm_nocuda

package loader

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// callFromC lets C call h on this thread: bsearch(key, base, 1, 8, compare)
// calls compare(key, base) once.
func callFromC(t testing.TB, h HostFunc) {
	f := Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	_, err := f.Call(bsearch(), h.Data, f.WordAddr(0), 1, 8, h.Address)
	require.NoError(t, err)
}

var bsearch = sync.OnceValue(func() *Proc {
	p := new(Proc)
	lib, err := Open(specC, "")
	if err == nil {
		err = lib.Bind([]Symbol{{Proc: p, Name: "bsearch", Required: true}})
	}
	if err != nil {
		panic(err)
	}
	return p
})

func pendingHostFuncs() int {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	return len(hostFuncs.byKey)
}

func TestHostFuncRunsOnceAndIsFreed(t *testing.T) {
	runs := 0
	h := NewHostFunc(func() { runs++ })
	require.Equal(t, 1, pendingHostFuncs())
	callFromC(t, h)
	require.Equal(t, 1, runs)
	require.Zero(t, pendingHostFuncs())
	callFromC(t, h)
	require.Equal(t, 1, runs, "a second call from C finds nothing")
}

func TestHostFuncForget(t *testing.T) {
	h := NewHostFunc(func() { t.Error("must not run") })
	h.Forget()
	require.Zero(t, pendingHostFuncs())
	callFromC(t, h)
}

func TestRepeatedHostFuncRunsUntilForgotten(t *testing.T) {
	runs := 0
	h := NewRepeatedHostFunc(func() { runs++ })
	for range 3 {
		callFromC(t, h)
	}
	require.Equal(t, 3, runs)
	h.Forget()
	require.Zero(t, pendingHostFuncs())
	callFromC(t, h)
	require.Equal(t, 3, runs)
}

func TestRepeatedHostFuncMayForgetItself(t *testing.T) {
	var h HostFunc
	h = NewRepeatedHostFunc(func() { h.Forget() })
	callFromC(t, h)
	require.Zero(t, pendingHostFuncs())
}

func TestHostFuncsShareOneEntryPoint(t *testing.T) {
	// Far more than the 2 000 entry points that a process has.
	var sum int
	for i := range 5000 {
		callFromC(t, NewHostFunc(func() { sum += i }))
	}
	require.Equal(t, 5000*4999/2, sum)
}

// pthread is a thread of C's own, which has never run Go code.
func pthread(t *testing.T, h HostFunc) {
	create, join := bindC(t, "pthread_create"), bindC(t, "pthread_join")
	f := Acquire()
	defer f.Release()
	f.SetOut(0, h.Address, h.Data)
	code, err := f.Invoke(create)
	require.NoError(t, err)
	require.Zero(t, code)
	code, err = f.Call(join, uintptr(f.Word(0)), 0)
	require.NoError(t, err)
	require.Zero(t, code)
}

func TestHostFuncOnForeignThreadsWhileTheCollectorRuns(t *testing.T) {
	var runs atomic.Int64
	for range 50 {
		pthread(t, NewHostFunc(func() {
			runtime.GC()
			runs.Add(1)
		}))
	}
	require.EqualValues(t, 50, runs.Load())
	require.Zero(t, pendingHostFuncs())
}

func TestCallbackIsACFunction(t *testing.T) {
	weigh := NewProc("weigh", NewCallback(func(a, b, c, d, e, f uintptr) uintptr {
		return a + 10*b + 100*c + 1000*d + 10000*e + 100000*f
	}))
	f := Acquire()
	defer f.Release()
	got, err := f.Call(&weigh, 1, 2, 3, 4, 5, 6)
	require.NoError(t, err)
	require.EqualValues(t, 654321, got)
	require.Equal(t, "weigh", weigh.Name())
}
