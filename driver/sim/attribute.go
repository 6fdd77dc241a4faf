package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// h200 are the attributes of the device that is simulated by default.
var h200 = map[api.Attribute]int{
	api.AttrMaxThreadsPerBlock:               1024,
	api.AttrWarpSize:                         32,
	api.AttrMultiprocessorCount:              132,
	api.AttrIntegrated:                       0,
	api.AttrCanMapHostMemory:                 1,
	api.AttrComputeMode:                      0,
	api.AttrConcurrentKernels:                1,
	api.AttrPCIDeviceID:                      0,
	api.AttrPCIDomainID:                      0,
	api.AttrUnifiedAddressing:                1,
	api.AttrComputeCapabilityMajor:           9,
	api.AttrComputeCapabilityMinor:           0,
	api.AttrStreamPrioritiesSupported:        1,
	api.AttrManagedMemory:                    1,
	api.AttrPageableMemoryAccess:             0,
	api.AttrConcurrentManagedAccess:          1,
	api.AttrHostNativeAtomicSupported:        0,
	api.AttrHostRegisterSupported:            1,
	api.AttrVirtualMemoryManagementSupported: 1,
	api.AttrHandleTypePosixFDSupported:       1,
	api.AttrMemoryPoolsSupported:             1,
	api.AttrMempoolSupportedHandleTypes:      9,
	api.AttrHandleTypeFabricSupported:        1,
}

func (d *device) Attribute(a api.Attribute) (int, error) {
	const call = "cuDeviceGetAttribute"
	if err := d.machine.enter(call); err != nil {
		return 0, err
	}
	v, ok := d.attribute(a)
	if !ok {
		return 0, fail(call, api.CodeInvalidValue, "the simulated device has no attribute %d: set it in sim.Config.Attributes", a)
	}
	return v, nil
}

func (d *device) attribute(a api.Attribute) (int, bool) {
	if v, ok := d.machine.config.Attributes[a]; ok {
		return v, true
	}
	if a == api.AttrPCIBusID {
		return d.info.Ordinal + 1, true
	}
	v, ok := h200[a]
	return v, ok
}

// need refuses a call that the device's attributes rule out.
func (d *device) need(call string, a api.Attribute, feature string) error {
	if v, _ := d.attribute(a); v == 0 {
		return fail(call, api.CodeNotSupported, "device %d is configured without %s (attribute %d is 0)", d.info.Ordinal, feature, a)
	}
	return nil
}
