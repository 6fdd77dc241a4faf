//go:build linux && !rmm_nocuda

package cudart

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Places of managed memory are ordinals before CUDA 13 and locations since.
func TestPlacesByVersion(t *testing.T) {
	const minusOne = ^uintptr(0)
	s := uintptr(stream)
	for _, c := range []struct {
		name      string
		libraries fakeLibraries
		device    int
		prefetch  []uintptr // from the third argument on
		advise    uintptr   // the fourth
	}{
		{"12, device 1", fakeEntries12(), 1, []uintptr{1, s}, 1},
		{"12, host", fakeEntries12(), -1, []uintptr{minusOne, s}, minusOne},
		{"13, device 1", fakeEntries13(), 1, []uintptr{1 | 1<<32, 0, s}, 1 | 1<<32},
		{"13, device 0", fakeEntries13(), 0, []uintptr{1, 0, s}, 1},
		{"13, host", fakeEntries13(), -1, []uintptr{2, 0, s}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake, d := openFakeOf(t, c.libraries)
			require.NoError(t, d.PrefetchAsync(0x1000, 64, c.device, stream))
			require.NoError(t, d.MemAdvise(0x1000, 64, api.AdviseSetPreferredLocation, c.device))
			calls := fake.take()
			prefetch := find(t, calls, "cudaMemPrefetchAsync").args
			require.Equal(t, c.prefetch, prefetch[2:2+len(c.prefetch)])
			require.Equal(t, c.advise, find(t, calls, "cudaMemAdvise").args[3])
		})
	}
}

func TestCaptureInfoByVersion(t *testing.T) {
	for name, libraries := range map[string]fakeLibraries{
		"cudaStreamGetCaptureInfo_v2": fakeEntries12(),
		"cudaStreamGetCaptureInfo":    fakeEntries13(),
	} {
		fake, d := openFakeOf(t, libraries)
		_, _, err := d.StreamCapture(stream)
		require.NoError(t, err)
		require.Equal(t, "cuCtxPushCurrent "+name+" cuCtxPopCurrent", names(fake.take()))
	}
}

// An unknown version is libcudart 11, which does not tell without a GPU.
func TestUnknownVersionsCountAsEleven(t *testing.T) {
	var rt runtimeAPI
	require.Equal(t, rt.table(11080), rt.table(0))
	require.False(t, (&backend{libraries: []api.Library{{}}}).takesLocations())
}
