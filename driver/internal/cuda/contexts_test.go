//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

func TestAfterAResetTheNewContextIsUsed(t *testing.T) {
	for _, release := range []int32{api.Success, api.CodeInvalidContext} {
		fake, d := openFake(t)
		write(fake, "cuDevicePrimaryCtxRetain", 0, uint64(0xc5))
		fake.answer("cuDevicePrimaryCtxRelease", release)
		require.NoError(t, d.PrimaryContextReset())
		_, err := d.MemAlloc(1)
		require.NoError(t, err)
		require.EqualValues(t, 0xc5, fake.takeCall(t, "cuMemAlloc").current)
	}
}

func TestAResetThatFails(t *testing.T) {
	for _, name := range []string{"cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRetain"} {
		fake, d := openFake(t)
		fake.answer(name, api.CodeIllegalAddress)
		err := d.PrimaryContextReset()
		var failure *api.Error
		require.ErrorAs(t, err, &failure)
		require.Equal(t, name, failure.Call)
		require.Equal(t, contextOf(0), d.context.Load())
	}
}
