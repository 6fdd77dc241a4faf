//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

func TestParametersAreForgottenWithTheirModule(t *testing.T) {
	fake, d := openFake(t)
	takesParameters(fake, 8, 8)
	f, err := d.ModuleFunction(module, "add")
	require.NoError(t, err)
	sizes, known := d.b.kernels.parameters(f)
	require.True(t, known)
	require.Equal(t, []int{8, 8}, sizes)

	require.NoError(t, d.ModuleUnload(module))
	_, known = d.b.kernels.parameters(f)
	require.False(t, known)
	require.NoError(t, d.Launch(f, one, stream, params(1)), "the driver must judge")
}

func TestAKernelWithoutParametersIsKnown(t *testing.T) {
	fake, d := openFake(t)
	takesParameters(fake)
	f, err := d.ModuleFunction(module, "nothing")
	require.NoError(t, err)
	require.NoError(t, d.Launch(f, one, stream, params()))
	require.ErrorContains(t, d.Launch(f, one, stream, params(1)), "the kernel takes 0")
}

func TestDriversThatDoNotKnowParameters(t *testing.T) {
	fake, d := openFake(t)
	write(fake, "cuModuleGetFunction", 0, uint64(function))
	d.b.fn.optional.functionParam = loader.Proc{}
	f, err := d.ModuleFunction(module, "add")
	require.NoError(t, err)
	_, known := d.b.kernels.parameters(f)
	require.False(t, known)
	require.NoError(t, d.Launch(f, one, stream, params(1, 2, 3)))
}

func TestAFaultWhileAskingForParameters(t *testing.T) {
	fake, d := openFake(t)
	fake.answer("cuFuncGetParamInfo", api.CodeIllegalAddress)
	_, err := d.ModuleFunction(module, "add")
	require.ErrorIs(t, err, api.ErrFault)
}

// An endless list of parameters is not the driver's but must end all the same.
func TestParametersEnd(t *testing.T) {
	fake, d := openFake(t)
	write(fake, "cuFuncGetParamInfo", 3, uint64(1))
	_, err := d.ModuleFunction(module, "add")
	require.NoError(t, err)
	fake.take()
}
