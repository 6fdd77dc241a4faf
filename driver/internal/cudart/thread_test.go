//go:build linux && !rmm_nocuda

package cudart

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/loader"
)

// onOwnThread runs f on this goroutine, which keeps its thread meanwhile.
func onOwnThread(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f()
}

// bindPeek is cudaPeekAtLastError, which only looks.
func bindPeek(t testing.TB, cudart *loader.Library) *loader.Proc {
	return bind(t, cudart, loader.Symbol{Name: "cudaPeekAtLastError"})
}

func bind(t testing.TB, lib *loader.Library, s loader.Symbol) *loader.Proc {
	t.Helper()
	s.Proc, s.Required = new(loader.Proc), true
	require.NoError(t, lib.Bind([]loader.Symbol{s}))
	return s.Proc
}

func call(t testing.TB, p *loader.Proc, args ...uintptr) int32 {
	t.Helper()
	f := loader.Acquire()
	defer f.Release()
	code, err := f.Call(p, args...)
	require.NoError(t, err)
	return code
}

// ask calls a function that writes its result through its first parameter.
func ask(t testing.TB, p *loader.Proc, args ...uintptr) uint64 {
	t.Helper()
	f := loader.Acquire()
	defer f.Release()
	f.SetOut(args...)
	code, err := f.Invoke(p)
	require.NoError(t, err)
	require.Zero(t, code, p.Name())
	return f.Word(0)
}
