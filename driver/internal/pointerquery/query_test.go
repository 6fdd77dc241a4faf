package pointerquery

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// at is the object that an address of a test's own memory stands for.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// driverThatKnows plays cuPointerGetAttributes: it answers each attribute from
// the table, and writes nothing for those that are not in it.
func driverThatKnows(t *testing.T, table map[int32]uint64, args []uintptr) {
	t.Helper()
	require.Len(t, args, 4)
	require.EqualValues(t, 0x1234, args[3])
	for i := range args[0] {
		attribute, slot := *at[int32](args[1] + 4*i), *at[uintptr](args[2] + 8*i)
		if value, known := table[attribute]; known {
			*at[uint64](slot) = value
		}
	}
}

func TestAnswers(t *testing.T) {
	device := map[int32]uint64{2: 2, 8: 0, 9: 1, 11: 0x1000, 12: 512, 17: 0xb0}
	for _, c := range []struct {
		table map[int32]uint64
		want  api.PointerInfo
	}{
		{device, api.PointerInfo{Type: api.MemoryDevice, Device: 1, Base: 0x1000, Size: 512, Pool: 0xb0}},
		{nil, api.PointerInfo{Type: api.MemoryUnregistered, Device: -1}}, // and nothing left of the answer before
		{map[int32]uint64{2: 1, 11: 0x2000, 12: 64}, api.PointerInfo{Type: api.MemoryHost, Base: 0x2000, Size: 64}},
		{map[int32]uint64{2: 1, 8: 1}, api.PointerInfo{Type: api.MemoryManaged}},
		{map[int32]uint64{2: 2, 8: 1, 9: 3}, api.PointerInfo{Type: api.MemoryManaged, Device: 3}},
		{map[int32]uint64{2: 77}, api.PointerInfo{Type: api.MemoryUnregistered, Device: -1}},
	} {
		q := About(0x1234)
		driverThatKnows(t, c.table, q.Args())
		info, err := q.End(nil)
		require.NoError(t, err)
		require.Equal(t, c.want, info, c.table)
	}
}

func TestErrorsArePassedOn(t *testing.T) {
	broken := errors.New("broken")
	_, err := About(1).End(broken)
	require.ErrorIs(t, err, broken)
}
