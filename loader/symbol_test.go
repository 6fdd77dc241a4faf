//go:build linux && !rmm_nocuda

package loader

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBindNamesEveryMissingRequiredSymbol(t *testing.T) {
	var present, first, second Proc
	err := openC(t).Bind([]Symbol{
		{Proc: &first, Name: "cuFirst", Export: "cuFirst_v2", Since: 12050, Required: true},
		{Proc: &present, Name: "abs", Required: true},
		{Proc: &second, Name: "cuSecond", Required: true},
	})
	require.ErrorIs(t, err, ErrSymbolNotFound)
	require.ErrorContains(t, err, "libc has no function cuFirst_v2, which came with CUDA 12.5")
	require.ErrorContains(t, err, "libc has no function cuSecond")
	require.NoError(t, present.Err(), "the others are bound all the same")
}

func TestBindLeavesOptionalSymbolsToTheCall(t *testing.T) {
	var missing Proc
	require.NoError(t, openC(t).Bind([]Symbol{{Proc: &missing, Name: "cuLater", Since: 12000}}))
	require.Equal(t, "cuLater", missing.Name())
	f := Acquire()
	defer f.Release()
	_, err := f.Call(&missing)
	var symbol *SymbolError
	require.ErrorAs(t, err, &symbol)
	require.Equal(t, 12000, symbol.Since)
	require.ErrorIs(t, err, ErrSymbolNotFound)
}

func TestSymbolErrorNamesBothVersions(t *testing.T) {
	for want, e := range map[string]SymbolError{
		"libcuda has no function f":                            {},
		"libcuda has no function f, which came with CUDA 12.0": {Since: 12000},
		"libcuda has no function f, which came with CUDA 12.0; /l is for CUDA 11.4: install a newer one": {Since: 12000, Version: 11040},
		"libcuda has no function f, which came with CUDA 11.2; /l is for CUDA 13.0":                      {Since: 11020, Version: 13000},
	} {
		e.Library, e.Path, e.Symbol = "libcuda", "/l", "f"
		require.EqualError(t, &e, want)
	}
}

func TestUnboundProcIsAnError(t *testing.T) {
	var p Proc
	f := Acquire()
	defer f.Release()
	_, err := f.Call(&p, 1)
	require.ErrorIs(t, err, errUnbound)
}
