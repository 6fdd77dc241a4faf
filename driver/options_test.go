package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
)

func TestParseBackend(t *testing.T) {
	for name, want := range map[string]driver.Backend{
		"": driver.Auto, "auto": driver.Auto, "cuda": driver.CUDA, "CUDA": driver.CUDA,
		"cudart": driver.CUDART, "sim": driver.Sim, "Sim": driver.Sim,
	} {
		got, err := driver.ParseBackend(name)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
}

func TestParseBackendListsTheNames(t *testing.T) {
	for _, name := range []string{"rocm", "cuda ", "0", "\x00"} {
		_, err := driver.ParseBackend(name)
		require.ErrorIs(t, err, driver.ErrInvalidValue)
		require.ErrorContains(t, err, "auto, cuda, cudart, sim")
	}
}

func TestBackendString(t *testing.T) {
	require.Equal(t, "cudart", driver.CUDART.String())
	require.Equal(t, "Backend(9)", driver.Backend(9).String())
	require.Equal(t, "Backend(-1)", driver.Backend(-1).String())
}

func FuzzParseBackend(f *testing.F) {
	f.Add("cuda")
	f.Add("")
	f.Fuzz(func(t *testing.T, name string) {
		kind, err := driver.ParseBackend(name)
		if err != nil {
			require.Equal(t, driver.Auto, kind)
			return
		}
		again, err := driver.ParseBackend(kind.String())
		require.NoError(t, err)
		require.Equal(t, kind, again)
	})
}
