package cuda

import "github.com/rmm-go/rmm-go/driver/internal/api"

// CUmemAllocationType and CUmemLocationType.
const (
	allocationPinned int32 = 1
	locationDevice   int32 = 1
)

// memLocation is CUmemLocation.
type memLocation struct {
	kind int32
	id   int32
}

// accessDesc is CUmemAccessDesc.
type accessDesc struct {
	location memLocation
	flags    int32
}

// location is the device's own memory.
func (d *device) location() memLocation {
	return memLocation{kind: locationDevice, id: int32(d.id)}
}

// accessOf describes what a device, by ordinal, may do with memory.
func (b *backend) accessOf(ordinal int, access api.Access) (*accessDesc, error) {
	d, err := b.device(ordinal)
	if err != nil {
		return nil, err
	}
	return &accessDesc{location: d.location(), flags: int32(access)}, nil
}

// cpu is CU_DEVICE_CPU.
const cpu = -1

// processor is the CUdevice that calls on managed memory take: a device by its
// ordinal, or -1 for the host.
func (b *backend) processor(ordinal int) (uintptr, error) {
	if ordinal == cpu {
		return ^uintptr(0), nil
	}
	d, err := b.device(ordinal)
	if err != nil {
		return 0, err
	}
	return d.id, nil
}
