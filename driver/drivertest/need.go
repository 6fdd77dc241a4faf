package drivertest

import (
	"os"
	"testing"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// NeedSim skips the test on a GPU ("simulator only: …").
func NeedSim(t testing.TB) {
	t.Helper()
	if kind := backend(t); kind != driver.Sim {
		t.Skipf("simulator only: RMM_BACKEND is %v", kind)
	}
}

// NeedGPU skips the test on the simulator ("needs a GPU: …").
func NeedGPU(t testing.TB) {
	t.Helper()
	if backend(t) == driver.Sim {
		t.Skip("needs a GPU: run with RMM_BACKEND=cuda")
	}
}

// NeedDevices opens a driver as Open does and returns n of its devices. The
// simulated machine is made with n devices; where a real one has fewer the test
// is skipped ("needs N devices: …").
func NeedDevices(t testing.TB, n int) []*driver.Device {
	t.Helper()
	drv := openDevices(t, n)
	if has := drv.DeviceCount(); has < n {
		t.Skipf("needs %d devices: this machine has %d", n, has)
	}
	devices := make([]*driver.Device, n)
	for i := range devices {
		dev, err := drv.Device(i)
		if err != nil {
			t.Fatalf("drivertest: %v", err)
		}
		devices[i] = dev
	}
	return devices
}

func openDevices(t testing.TB, n int) *driver.Driver {
	t.Helper()
	kind := backend(t)
	if kind == driver.Sim {
		return OpenSim(t, sim.Config{Devices: n})
	}
	keepContexts(t, kind, n)
	return open(t, driver.Options{Backend: kind})
}

// NeedAttribute skips the test if the device lacks a capability ("needs a GPU:
// …", naming the attribute). The device is asked: a failure to answer fails the
// test.
func NeedAttribute(t testing.TB, dev *driver.Device, a driver.Attribute) {
	t.Helper()
	ok, err := dev.Has(a)
	if err != nil {
		t.Fatalf("drivertest: ask %v for attribute %d: %v", dev, a, err)
	}
	if !ok {
		t.Skipf("needs a GPU: one with device attribute %d, which %v lacks", a, dev)
	}
}

// Long skips the test unless RMM_LONG_TESTS=1 is set ("long: …").
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv("RMM_LONG_TESTS") != "1" {
		t.Skip("long: run with RMM_LONG_TESTS=1")
	}
}
