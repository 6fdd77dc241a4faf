//go:build linux && !rmm_nocuda

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

func TestAdviceForTheHost(t *testing.T) {
	fake, d := openFake(t)
	require.NoError(t, d.MemAdvise(0x1000, 64, api.AdviseSetPreferredLocation, -1))
	require.EqualValues(t, -1, int32(fake.takeCall(t, "cuMemAdvise").args[3]), "CU_DEVICE_CPU")
	require.ErrorIs(t, d.MemAdvise(0x1000, 64, api.AdviseSetAccessedBy, 7), api.ErrInvalidDevice)
}

func TestRangeAttributesAreSigned(t *testing.T) {
	fake, d := openFake(t)
	for _, want := range []int32{1, 0, -1, -2} {
		write(fake, "cuMemRangeGetAttribute", 0, want)
		got, err := d.MemRangeAttribute(0x1000, 64, api.RangeLastPrefetchLocation)
		require.NoError(t, err)
		require.EqualValues(t, want, got)
	}
}

func TestNothingCannotBePinned(t *testing.T) {
	fake, d := openFake(t)
	for _, err := range []error{d.MemHostRegister(nil), d.MemHostUnregister([]byte{})} {
		require.ErrorIs(t, err, api.ErrInvalidValue)
		require.ErrorContains(t, err, "the slice is empty")
	}
	require.NotContains(t, names(fake.take()), "cuMemHost")
}
