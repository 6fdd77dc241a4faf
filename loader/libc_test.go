//go:build linux && !rmm_nocuda

package loader

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	specC    = Spec{Name: "libc", Files: []string{"libc.so.6"}}
	specMath = Spec{Name: "libm", Files: []string{"libm.so.6"}, FileVariable: "RMM_LIBM_OF_TEST"}
)

// openC loads the C library: it stands for CUDA's, which a test machine may
// not have.
func openC(t testing.TB) *Library {
	t.Helper()
	lib, err := Open(specC, "")
	require.NoError(t, err)
	return lib
}

// bindC binds one function of the C library.
func bindC(t testing.TB, name string) *Proc {
	t.Helper()
	p := new(Proc)
	require.NoError(t, openC(t).Bind([]Symbol{{Proc: p, Name: name, Required: true}}))
	return p
}
