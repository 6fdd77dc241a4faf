package driver_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestCopiesWithoutAStream(t *testing.T) {
	dev := drivertest.Device(t)
	for _, n := range []int{1, 3, kib, 64*kib + 1, 5 * mib} {
		p, q := deviceMemory(t, dev, n), deviceMemory(t, dev, n)
		src, dst := drivertest.Pattern(n, uint64(n)), make([]byte, n)
		require.NoError(t, dev.MemcpyHtoD(p, src))
		require.NoError(t, dev.MemcpyDtoD(q, p, n))
		require.NoError(t, dev.MemcpyDtoH(dst, q))
		require.True(t, bytes.Equal(src, dst), "%d bytes", n)
	}
}

func TestCopiesOnAStream(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	for _, n := range []int{1, 3, kib, 64*kib + 1, 5 * mib} {
		p, q := deviceMemory(t, dev, n), deviceMemory(t, dev, n)
		drivertest.Fill(t, s, p, n, uint64(n))
		require.NoError(t, s.MemcpyDtoDAsync(q, p, n))
		drivertest.Check(t, s, q, n, uint64(n))
	}
}

func TestCopyOfParts(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	require.NoError(t, s.MemsetD8Async(p, 0xee, kib))
	whole := drivertest.Pattern(kib, 1)
	require.NoError(t, s.MemcpyHtoDAsync(p+100, whole[200:300]))
	want := repeated(0xee, kib)
	copy(want[100:], whole[200:300])
	require.Equal(t, want, drivertest.Read(t, s, p, kib))

	got := repeated(0xdd, kib)
	require.NoError(t, s.MemcpyDtoHAsync(got[10:30], p+100))
	require.NoError(t, s.Synchronize())
	want = repeated(0xdd, kib)
	copy(want[10:], whole[200:220])
	require.Equal(t, want, got, "a copy to a part of a slice leaves the rest alone")
}

func TestCopyThroughPinnedMemory(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	_, from := pinnedMemory(t, dev, 2*mib)
	_, to := pinnedMemory(t, dev, 2*mib)
	p := deviceMemory(t, dev, 2*mib)
	copy(from, drivertest.Pattern(2*mib, 3))
	require.NoError(t, s.MemcpyHtoDAsync(p, from))
	require.NoError(t, s.MemcpyDtoHAsync(to, p))
	require.NoError(t, s.Synchronize())
	require.True(t, bytes.Equal(from, to))
}

func TestEmptyCopiesDoNothing(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	for call, err := range map[string]error{
		"MemcpyHtoD":      dev.MemcpyHtoD(0, nil),
		"MemcpyDtoH":      dev.MemcpyDtoH(nil, 0),
		"MemcpyDtoD":      dev.MemcpyDtoD(0, 0, 0),
		"MemsetD8":        dev.MemsetD8(0, 1, 0),
		"MemsetD16":       dev.MemsetD16(0, 1, 0),
		"MemsetD32":       dev.MemsetD32(0, 1, 0),
		"MemcpyHtoDAsync": s.MemcpyHtoDAsync(0, []byte{}),
		"MemcpyDtoHAsync": s.MemcpyDtoHAsync([]byte{}, 0),
		"MemcpyDtoDAsync": s.MemcpyDtoDAsync(0, 0, 0),
		"MemcpyPeerAsync": s.MemcpyPeerAsync(0, dev, 0, dev, 0),
		"MemsetD8Async":   s.MemsetD8Async(0, 1, 0),
	} {
		require.NoError(t, err, call)
	}
}

func TestCountsMustNotBeNegative(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	for call, err := range map[string]error{
		"Device.MemcpyDtoD":      dev.MemcpyDtoD(p, p, -1),
		"Device.MemsetD8":        dev.MemsetD8(p, 1, -1),
		"Device.MemsetD16":       dev.MemsetD16(p, 1, -1),
		"Device.MemsetD32":       dev.MemsetD32(p, 1, -1),
		"Stream.MemcpyDtoDAsync": s.MemcpyDtoDAsync(p, p, -1),
		"Stream.MemcpyPeerAsync": s.MemcpyPeerAsync(p, dev, p, dev, -1),
		"Stream.MemsetD8Async":   s.MemsetD8Async(p, 1, -1),
		"Stream.MemsetD16Async":  s.MemsetD16Async(p, 1, -1),
		"Stream.MemsetD32Async":  s.MemsetD32Async(p, 1, -1),
	} {
		require.ErrorIs(t, err, driver.ErrInvalidValue, call)
		require.ErrorContains(t, err, call+": the count is -1")
	}
}

func TestCopiesOfNil(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	b := make([]byte, 16)
	for call, err := range map[string]error{
		"MemcpyHtoD":      dev.MemcpyHtoD(0, b),
		"MemcpyDtoH":      dev.MemcpyDtoH(b, 0),
		"MemcpyHtoDAsync": s.MemcpyHtoDAsync(0, b),
		"MemcpyDtoHAsync": s.MemcpyDtoHAsync(b, 0),
		"MemsetD8Async":   s.MemsetD8Async(0, 1, 16),
	} {
		require.ErrorIs(t, err, driver.ErrInvalidValue, call)
	}
}

// TestMemset fills the middle third of a block in every width, with and without
// a stream.
func TestMemset(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	const third = 1200
	word16 := binary.LittleEndian.AppendUint16(nil, 0x1234)
	word32 := binary.LittleEndian.AppendUint32(nil, 0x12345678)
	for name, test := range map[string]struct {
		set  func(driver.Ptr) error
		word []byte
	}{
		"D8":       {func(p driver.Ptr) error { return dev.MemsetD8(p, 0x12, third) }, []byte{0x12}},
		"D16":      {func(p driver.Ptr) error { return dev.MemsetD16(p, 0x1234, third/2) }, word16},
		"D32":      {func(p driver.Ptr) error { return dev.MemsetD32(p, 0x12345678, third/4) }, word32},
		"D8Async":  {func(p driver.Ptr) error { return s.MemsetD8Async(p, 0x12, third) }, []byte{0x12}},
		"D16Async": {func(p driver.Ptr) error { return s.MemsetD16Async(p, 0x1234, third/2) }, word16},
		"D32Async": {func(p driver.Ptr) error { return s.MemsetD32Async(p, 0x12345678, third/4) }, word32},
	} {
		p := deviceMemory(t, dev, 3*third)
		require.NoError(t, dev.MemsetD8(p, 0xff, 3*third), name)
		require.NoError(t, dev.Synchronize(), name)
		require.NoError(t, test.set(p+third), name)
		require.NoError(t, dev.Synchronize(), name)

		want := repeated(0xff, 3*third)
		copy(want[third:], bytes.Repeat(test.word, third/len(test.word)))
		require.Equal(t, want, drivertest.Read(t, s, p, 3*third), name)
	}
}

func TestMemsetNeedsAlignment(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	require.ErrorIs(t, s.MemsetD16Async(p+1, 1, 4), driver.ErrInvalidValue)
	require.ErrorIs(t, s.MemsetD32Async(p+2, 1, 4), driver.ErrInvalidValue)
	require.ErrorIs(t, dev.MemsetD32(p+1, 1, 4), driver.ErrInvalidValue)
}

func TestPeerCopy(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	const n = 3*mib + 5
	p, q := deviceMemory(t, devices[0], n), deviceMemory(t, devices[1], n)
	for i, dev := range devices {
		s := drivertest.Stream(t, dev) // either side's stream will do
		drivertest.Fill(t, drivertest.Stream(t, devices[0]), p, n, uint64(i))
		require.NoError(t, devices[0].Synchronize())
		require.NoError(t, s.MemcpyPeerAsync(q, devices[1], p, devices[0], n))
		require.NoError(t, s.Synchronize())
		drivertest.Check(t, drivertest.Stream(t, devices[1]), q, n, uint64(i))
	}
}

func TestPeerCopyRefuses(t *testing.T) {
	dev, other := drivertest.Device(t), drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	p := deviceMemory(t, dev, kib)
	require.ErrorIs(t, s.MemcpyPeerAsync(p, nil, p, dev, kib), driver.ErrInvalidValue)
	require.ErrorIs(t, s.MemcpyPeerAsync(p, dev, p, nil, kib), driver.ErrInvalidValue)
	require.ErrorIs(t, s.MemcpyPeerAsync(p, dev, p, other, kib), driver.ErrWrongDevice, "a device of another driver")
	require.ErrorIs(t, s.MemcpyPeerAsync(p, other, p, dev, kib), driver.ErrWrongDevice)
}
