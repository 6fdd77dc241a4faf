package api

// Attribute is a CUdevice_attribute.
type Attribute int32

// The device attributes that this project reads; the numbers are CUDA's.
const (
	AttrMaxThreadsPerBlock               Attribute = 1
	AttrWarpSize                         Attribute = 10
	AttrMultiprocessorCount              Attribute = 16
	AttrIntegrated                       Attribute = 18
	AttrCanMapHostMemory                 Attribute = 19
	AttrComputeMode                      Attribute = 20
	AttrConcurrentKernels                Attribute = 31
	AttrPCIBusID                         Attribute = 33
	AttrPCIDeviceID                      Attribute = 34
	AttrUnifiedAddressing                Attribute = 41
	AttrPCIDomainID                      Attribute = 50
	AttrComputeCapabilityMajor           Attribute = 75
	AttrComputeCapabilityMinor           Attribute = 76
	AttrStreamPrioritiesSupported        Attribute = 78
	AttrManagedMemory                    Attribute = 83
	AttrPageableMemoryAccess             Attribute = 88
	AttrConcurrentManagedAccess          Attribute = 89
	AttrHostNativeAtomicSupported        Attribute = 86
	AttrHostRegisterSupported            Attribute = 99
	AttrVirtualMemoryManagementSupported Attribute = 102
	AttrHandleTypePosixFDSupported       Attribute = 103
	AttrMemoryPoolsSupported             Attribute = 115
	AttrMempoolSupportedHandleTypes      Attribute = 119
	AttrHandleTypeFabricSupported        Attribute = 128
)
