package mr

import "github.com/rmm-go/rmm-go/driver"

// ReleaseThreshold reads the pool's attribute back.
func (c *CudaAsync) ReleaseThreshold() (uint64, error) {
	return c.pool.Attribute(driver.PoolReleaseThreshold)
}

// PerDeviceEntries counts the registry's devices.
func PerDeviceEntries() int {
	registry.Lock()
	defer registry.Unlock()
	return len(registry.devices)
}
