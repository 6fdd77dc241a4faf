//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

func TestPTXIsGivenAsACString(t *testing.T) {
	fake, d := openFake(t)
	image := []byte(".version 7.0x")[:12]
	var seen string
	fake.answers["cuModuleLoadDataEx"] = func(a fakeArgs) int32 {
		seen = loader.GoString(a[1])
		return poke(a[0], uint64(module))
	}
	m, err := d.ModuleLoad(image)
	require.NoError(t, err)
	require.Equal(t, module, m)
	require.Equal(t, ".version 7.0", seen)
	require.Equal(t, byte('x'), image[:13][12], "the caller's memory is left alone")
}

func TestWhatTheCompilerSaysIsInTheError(t *testing.T) {
	fake, d := openFake(t)
	fake.answers["cuModuleLoadDataEx"] = func(a fakeArgs) int32 {
		options, values := at[[2]int32](a[3]), at[[2]uintptr](a[4])
		if options != [2]int32{5, 6} || values[1] != 8192 {
			return api.CodeInvalidValue
		}
		poke(values[0], 'l'|'i'<<8|'n'<<16|'e'<<24|' '<<32|'3'<<40|'\n'<<48)
		return 218
	}
	_, err := d.ModuleLoad([]byte("nonsense"))
	var failure *api.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 218, failure.Code)
	require.Equal(t, "line 3", failure.Detail)
}

func TestAnEmptyImageIsNoModule(t *testing.T) {
	fake, d := openFake(t)
	_, err := d.ModuleLoad(nil)
	require.ErrorIs(t, err, api.ErrInvalidValue)
	require.ErrorContains(t, err, "give PTX text or a cubin")
	require.NotContains(t, names(fake.take()), "cuModule")
}

func TestKernelsAreFoundByName(t *testing.T) {
	fake, d := openFake(t)
	var seen string
	fake.answers["cuModuleGetFunction"] = func(a fakeArgs) int32 {
		seen = loader.GoString(a[2])
		return poke(a[0], uint64(function))
	}
	f, err := d.ModuleFunction(module, "add")
	require.NoError(t, err)
	require.Equal(t, function, f)
	require.Equal(t, "add", seen)

	fake.answer("cuModuleGetFunction", api.CodeNotFound)
	_, err = d.ModuleFunction(module, "add")
	require.ErrorContains(t, err, `extern "C"`)
}

func TestNamesThatNoKernelHas(t *testing.T) {
	fake, d := openFake(t)
	for _, name := range []string{"", "add\x00more"} {
		_, err := d.ModuleFunction(module, name)
		require.ErrorIs(t, err, api.ErrInvalidValue)
		require.ErrorContains(t, err, "give the .entry name")
	}
	require.NotContains(t, names(fake.take()), "cuModule")
}
