package cudart

// host is how package api and cudaCpuDeviceId number the host among devices.
const host = -1

// location is cudaMemLocation: a device or the host.
type location struct {
	kind int32
	id   int32
}

// cudaMemLocationType.
const (
	locationDevice int32 = 1
	locationHost   int32 = 2
)

func locationOf(device int) location {
	if device == host {
		return location{kind: locationHost}
	}
	return location{kind: locationDevice, id: int32(device)}
}

// word is the location as C passes it by value and as it lies in memory: eight
// bytes in one word.
func (l location) word() uint64 { return uint64(uint32(l.kind)) | uint64(uint32(l.id))<<32 }

// ordinal is the device as the runtime numbers it.
func (d *device) ordinal() uintptr { return uintptr(d.info.Ordinal) }

// place is how this libcudart is told a device or the host: by location since
// CUDA 13, before by ordinal. The device must exist.
func (d *device) place(device int) (uintptr, error) {
	if device != host {
		if _, err := d.b.device(device); err != nil {
			return 0, err
		}
	}
	if d.b.takesLocations() {
		return uintptr(locationOf(device).word()), nil
	}
	return uintptr(device), nil
}
