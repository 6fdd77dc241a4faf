// Package pointerquery asks libcuda's cuPointerGetAttributes what it knows about
// an address. Both CUDA backends ask it: libcudart has no function that tells
// where an allocation begins and how large it is.
package pointerquery

import (
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// CUpointer_attribute, those that are asked for.
const (
	attributeMemoryType    int32 = 2
	attributeIsManaged     int32 = 8
	attributeDeviceOrdinal int32 = 9
	attributeRangeStart    int32 = 11
	attributeRangeSize     int32 = 12
	attributePool          int32 = 17
)

// questions is how many there are.
const questions = 6

// Query is one call of cuPointerGetAttributes. It holds the function's arrays and
// what it writes: data holds the addresses of answers, args those of the rest. All
// of it is one object on the heap, which stays where it is.
type Query struct {
	args       [4]uintptr // count, attributes, data, address
	attributes [questions]int32
	data       [questions]uintptr
	answers    [questions]uint64 // wide enough for each; the driver writes 4 or 8 bytes
}

var queries = sync.Pool{New: func() any {
	q := &Query{attributes: [...]int32{attributeMemoryType, attributeIsManaged,
		attributeDeviceOrdinal, attributeRangeStart, attributeRangeSize, attributePool}}
	for i := range q.data {
		q.data[i] = loader.AddressOf(&q.answers[i])
	}
	q.args = [...]uintptr{questions, loader.AddressOf(&q.attributes[0]), loader.AddressOf(&q.data[0]), 0}
	return q
}}

// About makes a query about an address. End it exactly once.
func About(p api.Ptr) *Query {
	q := queries.Get().(*Query)
	q.args[len(q.args)-1] = uintptr(p)
	q.answers = [questions]uint64{}
	return q
}

// Args are the arguments of cuPointerGetAttributes.
func (q *Query) Args() []uintptr { return q.args[:] }

// End returns the answer, or the error of the call. An address that the driver
// does not know is MemoryUnregistered, without an error. The query must not be
// used afterwards.
func (q *Query) End(err error) (api.PointerInfo, error) {
	defer queries.Put(q)
	if err != nil {
		return api.PointerInfo{}, err
	}
	return q.info(), nil
}

// info reads the answers. The driver leaves everything zero for an address that
// it does not know.
func (q *Query) info() api.PointerInfo {
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
