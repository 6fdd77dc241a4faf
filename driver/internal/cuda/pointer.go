package cuda

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// CUpointer_attribute, those that PointerInfo asks for.
const (
	attributeMemoryType    int32 = 2
	attributeIsManaged     int32 = 8
	attributeDeviceOrdinal int32 = 9
	attributeRangeStart    int32 = 11
	attributeRangeSize     int32 = 12
	attributePool          int32 = 17
)

const pointerQuestions = 6

// pointerQuery holds the arrays of cuPointerGetAttributes and what it writes.
// data holds the addresses of answers; all of it is one object that stays where
// it is for the call.
type pointerQuery struct {
	questions [pointerQuestions]int32
	data      [pointerQuestions]uintptr
	answers   [pointerQuestions]uint64 // wide enough for each; the driver writes 4 or 8 bytes
}

func newPointerQuery() *pointerQuery {
	q := &pointerQuery{questions: [...]int32{attributeMemoryType, attributeIsManaged,
		attributeDeviceOrdinal, attributeRangeStart, attributeRangeSize, attributePool}}
	for i := range q.data {
		q.data[i] = loader.AddressOf(&q.answers[i])
	}
	return q
}

// PointerInfo says what the driver knows about an address. One that it does not
// know is MemoryUnregistered, without an error.
func (d *device) PointerInfo(p api.Ptr) (api.PointerInfo, error) {
	q := newPointerQuery()
	err := d.direct(&d.b.fn.pointerAttributes, pointerQuestions,
		loader.AddressOf(&q.questions[0]), loader.AddressOf(&q.data[0]), uintptr(p))
	runtime.KeepAlive(q)
	if err != nil {
		return api.PointerInfo{}, err
	}
	return q.info(), nil
}

// info reads the answers. The driver leaves everything zero for an address that
// it does not know.
func (q *pointerQuery) info() api.PointerInfo {
	kind := memoryType(uint32(q.answers[0]), uint32(q.answers[1]) != 0)
	if kind == api.MemoryUnregistered {
		return api.PointerInfo{Type: kind, Device: -1}
	}
	return api.PointerInfo{
		Type:   kind,
		Device: int(int32(q.answers[2])),
		Base:   api.Ptr(q.answers[3]),
		Size:   int(q.answers[4]),
		Pool:   api.Pool(q.answers[5]),
	}
}

// memoryType translates CUmemorytype, which has no word for managed memory.
func memoryType(cuda uint32, managed bool) api.MemoryType {
	const host, deviceMemory = 1, 2
	switch {
	case cuda != 0 && managed:
		return api.MemoryManaged
	case cuda == host:
		return api.MemoryHost
	case cuda == deviceMemory:
		return api.MemoryDevice
	}
	return api.MemoryUnregistered
}
