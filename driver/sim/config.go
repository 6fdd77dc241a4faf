package sim

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// Ptr is an address that a device understands.
type Ptr = api.Ptr

// Attribute is a device attribute, numbered as CUDA does; package driver names
// them (driver.AttrManagedMemory).
type Attribute = api.Attribute

// DefaultMemory is the memory of a simulated device in bytes: an H200's 141 GB.
const DefaultMemory = 141_000_000_000

// Config describes a machine. The zero value is one device like an H200.
type Config struct {
	// Devices is the number of devices. Default: 1. All devices together can
	// have at most 4 TiB.
	Devices int
	// MemoryPerDevice is the memory of each device in bytes, rounded down to
	// 2 MiB. Default: DefaultMemory.
	MemoryPerDevice int
	// UsedByOthers is the part of each device's memory, in bytes, that other
	// processes hold. Default: 0.
	UsedByOthers int
	// Granularity is the unit of virtual memory in bytes, a power of two and at
	// least 2 MiB. Default: 2 MiB.
	Granularity int
	// PeerAccess says whether one device can reach memory of another. Default: all
	// can.
	PeerAccess func(device, peer int) bool
	// SameProcessIPC lets a program open its own IPC handles of memory and events,
	// so that one test plays both processes. CUDA refuses that, and so does the
	// default.
	SameProcessIPC bool
	// Seed, if not 0, makes executions reproducible: work runs on the goroutines
	// that call the machine, one operation at a time, in an order that the seed
	// determines, and time is virtual. The calls must come from one goroutine, or
	// from those that Machine.Go starts. A host function must not wait for the
	// program then; Machine.Stall holds work up. Default: 0, work runs freely at
	// the same time.
	Seed uint64
	// Latency is how long the work of an operation lasts on the device: call is
	// CUDA's name of the call, bytes the largest range that it accesses, 0 if it is
	// not known. With Seed the time is virtual and the default is 1 µs and 1 TB/s;
	// without, operations sleep and the default is not to.
	Latency func(call string, bytes int) time.Duration
	// Check switches the ordering checker on (see Machine.Hazards). It costs a few
	// microseconds per call. Default: off.
	Check bool
	// CheckUnwritten is Check which also reports reads of device memory that was
	// never written. Default: off.
	CheckUnwritten bool
	// Attributes replaces attributes of every device: 0 for
	// driver.AttrManagedMemory makes a machine without managed memory. An
	// attribute that is neither here nor among an H200's is CUDA's invalid value.
	Attributes map[Attribute]int
}

// The addresses of simulated device memory, in the upper half of 48 bits: no
// operating system gives them to programs on amd64, and neither Go's heap, which
// begins at a random address, nor a program's own mappings come to these on
// arm64. Each device gets four times its memory, so that fragmented address
// space never fails an allocation that the capacity allows.
const (
	addressBase  = uintptr(1) << 47
	addressLimit = addressBase + 1<<44
)

// fill puts in the defaults, or says what is wrong.
func (c Config) fill() (Config, error) {
	if c.Devices == 0 {
		c.Devices = 1
	}
	if c.MemoryPerDevice == 0 {
		c.MemoryPerDevice = DefaultMemory
	}
	if c.Granularity == 0 {
		c.Granularity = granule
	}
	c.MemoryPerDevice = c.MemoryPerDevice / granule * granule
	switch {
	case c.Devices < 0:
		return c, fmt.Errorf("make a simulated machine: Config.Devices is %d: it must not be negative", c.Devices)
	case c.MemoryPerDevice <= 0:
		return c, fmt.Errorf("make a simulated machine: Config.MemoryPerDevice must be at least %d bytes (2 MiB)", granule)
	case c.UsedByOthers < 0 || c.UsedByOthers > c.MemoryPerDevice:
		return c, fmt.Errorf("make a simulated machine: Config.UsedByOthers is %d: it must be between 0 and the device's %d bytes", c.UsedByOthers, c.MemoryPerDevice)
	case c.Granularity < granule || c.Granularity > 1<<40 || c.Granularity&(c.Granularity-1) != 0:
		return c, fmt.Errorf("make a simulated machine: Config.Granularity is %d: it must be a power of two and at least %d bytes (2 MiB)", c.Granularity, granule)
	case c.MemoryPerDevice > 1<<42 || c.Devices > int((addressLimit-addressBase)/c.addressSpan()):
		return c, fmt.Errorf("make a simulated machine: %d devices of %d bytes are too many: at most 4 TiB in all fit into the simulated address space", c.Devices, c.MemoryPerDevice)
	}
	return c, nil
}

// addressSpan is the address space of one device, a power of two.
func (c Config) addressSpan() uintptr { return 1 << bits.Len(uint(4*c.MemoryPerDevice-1)) }
