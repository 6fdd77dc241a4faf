package drivertest_test

import (
	"encoding/binary"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// TestEveryKernelIsThere: each entry of the text has a function, on the
// simulator too.
func TestEveryKernelIsThere(t *testing.T) {
	dev := drivertest.Device(t)
	names := regexp.MustCompile(`\.entry (\w+)`).FindAllStringSubmatch(drivertest.PTX, -1)
	require.Len(t, names, 3)
	for _, name := range names {
		drivertest.Kernel(t, dev, name[1])
	}
}

func TestAKernelThatIsNotThere(t *testing.T) {
	drivertest.Kernel(t, drivertest.Device(t), drivertest.KernelFill) // or there are none at all
	w := watch(t, func(t testing.TB) { drivertest.Kernel(t, drivertest.Device(t), "nothing") })
	require.True(t, w.fatal)
	require.Contains(t, w.errors[0], "nothing")
}

// TestKernelsKeepToTheirElements: a launch has more threads than elements.
func TestKernelsKeepToTheirElements(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	fill := drivertest.Kernel(t, dev, drivertest.KernelFill)
	for _, n := range []int{1, 255, 256, 257} {
		p, err := s.MemAllocAsync(4 * (n + 1))
		require.NoError(t, err)
		require.NoError(t, s.MemsetD8Async(p, 9, 4*(n+1)))
		require.NoError(t, s.Launch(fill, drivertest.Threads(n), p, uint64(n), uint32(5)))
		got := drivertest.Read(t, s, p, 4*(n+1))
		last := uint32(n - 1)
		require.Equal(t, 5+last*drivertest.FillStep, binary.LittleEndian.Uint32(got[4*(n-1):]))
		require.Equal(t, []byte{9, 9, 9, 9}, got[4*n:], "%d elements", n)
		require.NoError(t, s.MemFreeAsync(p))
	}
}

func TestThreads(t *testing.T) {
	require.Equal(t, driver.Dim{X: 1}, drivertest.Threads(1).Grid)
	require.Equal(t, driver.Dim{X: 1}, drivertest.Threads(256).Grid)
	require.Equal(t, driver.Dim{X: 2}, drivertest.Threads(257).Grid)
	require.Equal(t, driver.Dim{X: 256}, drivertest.Threads(257).Block)
}
