package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
)

func TestVersionString(t *testing.T) {
	for version, want := range map[driver.Version]string{13000: "13.0", 12020: "12.2", 11040: "11.4", 0: "0.0"} {
		require.Equal(t, want, version.String())
	}
}
