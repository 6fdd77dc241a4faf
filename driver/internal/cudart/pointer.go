package cudart

import (
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// pointerAttributes is cudaPointerAttributes. The reserved words came with CUDA
// 13; older versions leave them alone.
type pointerAttributes struct {
	memoryType int32 // cudaMemoryType has api.MemoryType's numbers
	device     int32
	_          uintptr // devicePointer
	_          uintptr // hostPointer
	_          [8]int64
}

var pointerAnswers = sync.Pool{New: func() any { return new(pointerAttributes) }}

// PointerInfo says what the runtime knows about an address. One that it does not
// know is MemoryUnregistered, without an error. Base, Size and Pool stay zero:
// the runtime does not say.
func (d *device) PointerInfo(p api.Ptr) (api.PointerInfo, error) {
	answer := pointerAnswers.Get().(*pointerAttributes)
	defer pointerAnswers.Put(answer) // also keeps it reachable for the call
	if err := d.call(&d.b.rt.pointerAttributes, loader.AddressOf(answer), uintptr(p)); err != nil {
		return api.PointerInfo{}, err
	}
	kind := api.MemoryType(answer.memoryType)
	if kind == api.MemoryUnregistered {
		return api.PointerInfo{Type: kind, Device: -1}, nil
	}
	return api.PointerInfo{Type: kind, Device: int(answer.device)}, nil
}
