//go:build rmm_nocuda

package cudart

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

func TestOpenInAProgramWithoutCUDA(t *testing.T) {
	_, err := Open(Options{})
	require.ErrorIs(t, err, api.ErrNotSupported)
	require.ErrorContains(t, err, "rmm_nocuda")
}
