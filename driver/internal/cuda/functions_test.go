//go:build linux && !rmm_nocuda

package cuda

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// bindNothing gives a device optional functions that its library does not have.
func bindNothing(t *testing.T, d *device) {
	t.Helper()
	lib, err := loader.Open(loader.Spec{Name: "libm", Files: []string{"libm.so.6"}}, "")
	require.NoError(t, err)
	require.NoError(t, lib.Bind(d.b.fn.optional.table()), "none is required")
}

func TestWithoutAnOptionalFunctionItsCallSaysWhichDriverHasIt(t *testing.T) {
	calls := slices.Concat(virtualCalls(), sharingCalls(), hintCalls(), kernelCalls(), graphCalls())
	for _, c := range calls {
		if c.name == "cuFuncGetParamInfo" { // only used where there is one
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			_, d := openFake(t)
			bindNothing(t, d)
			err := c.do(d)
			require.ErrorIs(t, err, api.ErrNotSupported)
			require.ErrorContains(t, err, "which came with CUDA ")
		})
	}
}

func TestNoFunctionIsBoundTwice(t *testing.T) {
	var fn functions
	procs, exports := map[*loader.Proc]bool{}, map[string]bool{}
	for _, s := range fn.table() {
		require.False(t, procs[s.Proc], s.Name)
		require.False(t, exports[s.Name], s.Name)
		procs[s.Proc], exports[s.Name] = true, true
		require.Positive(t, s.Since, s.Name)
	}
}
