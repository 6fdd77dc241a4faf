package drivertest_test

import (
	"testing"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// A test of stream-ordered code: it runs on the simulator, and with
// RMM_BACKEND=cuda on a GPU.
func ExampleHold() {
	_ = func(t *testing.T) {
		dev := drivertest.Device(t)
		writer, reader := drivertest.Stream(t, dev), drivertest.Stream(t, dev)
		written := drivertest.Event(t, dev)
		p, err := writer.MemAllocAsync(1024)
		if err != nil {
			t.Fatal(err)
		}

		release := drivertest.Hold(t, writer) // nothing below runs before release
		_ = writer.MemsetD8Async(p, 7, 1024)
		_ = written.Record(writer)
		_ = reader.WaitEvent(written) // without it the check would fail
		release()
		if drivertest.Read(t, reader, p, 1024)[1023] != 7 {
			t.Error("the reader came too early")
		}
		_ = reader.MemFreeAsync(p)
	}
}

// A test of what happens on a machine with little memory and two devices.
func ExampleOpenSim() {
	_ = func(t *testing.T) {
		drivertest.NeedSim(t)
		drv := drivertest.OpenSim(t, sim.Config{Devices: 2, MemoryPerDevice: 1 << 30})
		dev, err := drv.Device(1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dev.MemAlloc(2 << 30); err == nil {
			t.Error("2 GiB fit into 1 GiB")
		}
	}
}

// A test that needs a capability.
func ExampleNeedAttribute() {
	_ = func(t *testing.T) {
		dev := drivertest.Device(t)
		drivertest.NeedAttribute(t, dev, driver.AttrManagedMemory)
		p, err := dev.MemAllocManaged(1024)
		if err != nil {
			t.Fatal(err)
		}
		defer dev.MemFree(p)
	}
}
