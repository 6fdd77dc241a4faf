package drivertest

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// Open opens the backend that RMM_BACKEND names, by default the simulator: a
// fresh machine for every call. The driver is closed at the end of the test,
// which fails if anything made through it is still open (see the package
// comment). The test may close it earlier itself.
func Open(t testing.TB) *driver.Driver {
	t.Helper()
	kind := backend(t)
	if kind == driver.Sim {
		return OpenSim(t, sim.Config{})
	}
	keepContexts(t, kind, 1)
	return open(t, driver.Options{Backend: kind})
}

// OpenSim opens a fresh simulated machine, whatever RMM_BACKEND says, and
// otherwise does as Open. Its ordering checker is on, except in benchmarks. Tests
// of what cfg asks for begin with NeedSim.
func OpenSim(t testing.TB, cfg sim.Config) *driver.Driver {
	t.Helper()
	cfg.Check = cfg.Check || checks(t)
	m, err := sim.New(cfg)
	if err != nil {
		t.Fatalf("drivertest: build the simulated machine: %v", err)
	}
	return OpenMachine(t, m)
}

// OpenMachine is OpenSim for a machine that the test has made: whether it has a
// checker is the test's choice.
func OpenMachine(t testing.TB, m *sim.Machine) *driver.Driver {
	t.Helper()
	// Clean-ups run last in, first out: the machine is looked at after the driver
	// was closed, when not even the driver's own objects are left.
	t.Cleanup(func() { requireEmpty(t, m); requireOrder(t, m) })
	return open(t, driver.Options{Backend: driver.Sim, Machine: m})
}

func open(t testing.TB, opts driver.Options) *driver.Driver {
	t.Helper()
	drv, err := driver.Open(opts)
	if err != nil {
		t.Fatalf("drivertest: open the %v backend (RMM_BACKEND chooses it): %v", opts.Backend, err)
	}
	t.Cleanup(func() { closeDriver(t, drv) })
	return drv
}

// closeDriver reports what a test left open, unless the test has failed, and so
// ended early, anyway.
func closeDriver(t testing.TB, drv *driver.Driver) {
	t.Helper()
	err := drv.Close()
	if err != nil && !errors.Is(err, driver.ErrClosed) && !t.Failed() {
		t.Errorf("drivertest: the test leaves something behind: %v", err)
	}
}

// requireEmpty reports what is left on a machine, unless the test has failed, and
// so ended early, anyway.
func requireEmpty(t testing.TB, m *sim.Machine) {
	t.Helper()
	for _, left := range m.Outstanding() {
		if left != (sim.Outstanding{Device: left.Device}) && !t.Failed() {
			t.Errorf("drivertest: the test leaves something behind on a simulated device: %+v", left)
		}
	}
}

// requireOrder reports hazards of the test's work on a machine, unless the test
// has failed anyway. A hazard of a call that failed is left to the test, which
// has seen the error.
func requireOrder(t testing.TB, m *sim.Machine) {
	t.Helper()
	if t.Failed() {
		return
	}
	for _, h := range m.Hazards() {
		if h.Err == nil {
			t.Errorf("drivertest: the simulator's ordering checker reports %v", h)
		}
	}
}

// backend is the backend under test.
func backend(t testing.TB) driver.Backend {
	t.Helper()
	kind, err := driver.ParseBackend(os.Getenv("RMM_BACKEND"))
	if err != nil {
		t.Fatalf("drivertest: read RMM_BACKEND: %v", err)
	}
	if kind == driver.Auto {
		return driver.Sim
	}
	return kind
}

// shared keeps the GPUs' primary contexts alive between tests. Every test opens
// a driver of its own, so that closing it finds what the test left open; were
// that driver the only one, each test would build the contexts anew, which
// takes most of a second per GPU.
var shared struct {
	sync.Mutex
	drv *driver.Driver
}

func keepContexts(t testing.TB, kind driver.Backend, devices int) {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.drv == nil {
		drv, err := driver.Open(driver.Options{Backend: kind})
		if err != nil {
			t.Fatalf("drivertest: open the %v backend (RMM_BACKEND chose it): %v", kind, err)
		}
		shared.drv = drv
	}
	for i := range min(devices, shared.drv.DeviceCount()) {
		if _, err := shared.drv.Device(i); err != nil {
			t.Fatalf("drivertest: %v", err)
		}
	}
}
