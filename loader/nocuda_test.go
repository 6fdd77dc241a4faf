//go:build rmm_nocuda

package loader

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingOpensWithoutCUDA(t *testing.T) {
	for _, spec := range []Spec{CUDA(), CUDART(), {Name: "libm", Files: []string{"libm.so.6"}}} {
		_, err := Open(spec, "")
		require.ErrorIs(t, err, ErrNotBuilt)
		require.ErrorContains(t, err, "load "+spec.Name+": ")
	}
}
