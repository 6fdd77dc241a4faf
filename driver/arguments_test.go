package driver

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// float2 is CUDA's type of that name.
type float2 struct{ x, y float32 }

// view is what kernels like to be given: an address with its extent.
type view struct {
	data    Ptr
	rows    uint32 // 4 bytes of padding follow
	strides [2]int64
}

func TestArgumentsLieAsInC(t *testing.T) {
	type named int16
	for _, test := range []struct {
		arg  any
		want []byte
	}{
		{Ptr(0x0102030405060708), []byte{8, 7, 6, 5, 4, 3, 2, 1}},
		{uintptr(1), []byte{1, 0, 0, 0, 0, 0, 0, 0}},
		{int8(-1), []byte{255}},
		{named(-2), []byte{254, 255}},
		{uint32(0x01020304), []byte{4, 3, 2, 1}},
		{int64(-1), []byte{255, 255, 255, 255, 255, 255, 255, 255}},
		{true, []byte{1}},
		{false, []byte{0}},
		{float32(1), []byte{0, 0, 0x80, 0x3f}},
		{math.Inf(-1), []byte{0, 0, 0, 0, 0, 0, 0xf0, 0xff}},
		{complex(float32(1), float32(0)), []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0}},
		{[3]uint16{1, 2, 3}, []byte{1, 0, 2, 0, 3, 0}},
		{float2{1, -1}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf}},
	} {
		p, err := encodeArguments("Stream.Launch", []any{test.arg})
		require.NoError(t, err)
		require.Equal(t, test.want, p.Buf, "%T", test.arg)
		require.Equal(t, []int{0}, p.Offsets)
	}
}

func TestArgumentStructsKeepTheirPadding(t *testing.T) {
	p, err := encodeArguments("Stream.Launch", []any{uint8(9), view{data: 0xabc, rows: 7, strides: [2]int64{1, -1}}})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, p.Offsets)
	require.Len(t, p.Buf, 1+32)
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(p.Buf[1+8*i:]) }
	require.EqualValues(t, 0xabc, word(0))
	require.EqualValues(t, 7, uint32(word(1)))
	require.EqualValues(t, 1, word(2))
	require.Equal(t, uint64(math.MaxUint64), word(3))
}

// TestArgumentsAreExactlyAsLong: from its offset to the next each argument has
// its own size, which is all that a backend can check.
func TestArgumentsAreExactlyAsLong(t *testing.T) {
	values := []any{int8(1), int16(2), int32(3), int64(4), float32(5), 6.0, true, Ptr(7), float2{}, view{}, [5]byte{}}
	sizes := []int{1, 2, 4, 8, 4, 8, 1, 8, 8, 32, 5}
	rapid.Check(t, func(t *rapid.T) {
		which := rapid.SliceOfN(rapid.IntRange(0, len(values)-1), 0, 20).Draw(t, "arguments")
		var args []any
		for _, i := range which {
			args = append(args, values[i])
		}
		p, err := encodeArguments("Stream.Launch", args)
		require.NoError(t, err)
		ends := append(p.Offsets, len(p.Buf))
		for n, i := range which {
			require.Equal(t, sizes[i], ends[n+1]-ends[n])
		}
	})
}

func TestArgumentsThatMeanNothingToAKernel(t *testing.T) {
	x := 1
	for _, arg := range []any{
		nil, 1, uint(1), "text", &x, []float32{1}, map[int]int{}, func() {}, make(chan int), any(nil), error(nil),
		struct{}{}, [0]int32{}, struct{ n int }{1}, [2]*int{}, struct{ a []byte }{},
	} {
		_, err := encodeArguments("Stream.Launch", []any{int32(1), arg})
		require.ErrorIs(t, err, ErrInvalidValue, "%T", arg)
		require.ErrorContains(t, err, "Stream.Launch: argument 1 is a ")
		require.ErrorContains(t, err, "driver.Ptr, numbers of fixed size")
	}
}

func TestLaunchPassesShapeAndArguments(t *testing.T) {
	fake, dev := newFake()
	s := ownStream(t, dev)
	m, err := dev.LoadModule([]byte("ptx"))
	require.NoError(t, err)
	f, err := m.Function("k")
	require.NoError(t, err)
	require.NoError(t, s.Launch(f, LaunchConfig{Grid: Dim{X: 2, Y: 3}, Block: Dim{X: 256}, SharedMemory: 48}, Ptr(256), int32(-1)))
	require.Equal(t, [3]uint32{2, 3, 1}, fake.shape.Grid)
	require.Equal(t, [3]uint32{256, 1, 1}, fake.shape.Block)
	require.Equal(t, 48, fake.shape.SharedMemory)
	require.Equal(t, []byte{0, 1, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255}, fake.params.Buf)
	require.Equal(t, []int{0, 8}, fake.params.Offsets)
}

func TestLaunchRefusesWhatItCanSee(t *testing.T) {
	fake, dev := newFake()
	s := ownStream(t, dev)
	m, err := dev.LoadModule([]byte("ptx"))
	require.NoError(t, err)
	f, err := m.Function("k")
	require.NoError(t, err)
	for _, cfg := range []LaunchConfig{
		{Grid: Dim{X: -1}}, {Block: Dim{Z: -1}}, {Grid: Dim{Y: 1 << 31}}, {Block: Dim{X: math.MaxInt}}, {SharedMemory: -1},
	} {
		require.ErrorIs(t, s.Launch(f, cfg), ErrInvalidValue)
	}
	require.ErrorIs(t, s.Launch(&Function{}, LaunchConfig{}), ErrInvalidValue, "a function of no module")
	require.ErrorIs(t, s.Launch(f, LaunchConfig{}, 1), ErrInvalidValue)

	_, elsewhere := newFake()
	require.ErrorIs(t, ownStream(t, elsewhere).Launch(f, LaunchConfig{}), ErrWrongDevice)
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Launch(f, LaunchConfig{}), ErrStreamClosed)
	require.NoError(t, m.Close())
	require.ErrorIs(t, ownStream(t, dev).Launch(f, LaunchConfig{}), ErrClosed)
	require.Zero(t, fake.count("Launch"))
}
