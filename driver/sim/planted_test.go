package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// planted is a program that is right, or wrong in one place.
type planted struct {
	want sim.HazardKind
	run  func(l *lab, bug bool)
}

// TestCheckerFindsPlantedBugs runs every program twice: right, without a report,
// and wrong, with the report that belongs to it.
func TestCheckerFindsPlantedBugs(t *testing.T) {
	for _, group := range []map[string]planted{plantedOrder, plantedHost, plantedMemory, plantedPools} {
		for name, p := range group {
			t.Run(name, func(t *testing.T) {
				require.Empty(t, run(t, p, false), "the right program")
				hazards := run(t, p, true)
				require.Len(t, hazards, 1, "%v", hazards)
				require.Equal(t, p.want, hazards[0].Kind, "%v", hazards[0])
				require.Contains(t, hazards[0].String(), "planted_", "the report shows where")
			})
		}
	}
}

// run runs a program on a machine of its own and returns the reports. The machine
// runs work on one goroutine, because Go's race detector would find the bugs too.
func run(t *testing.T, p planted, bug bool) []sim.Hazard {
	m, err := sim.New(sim.Config{Devices: 2, CheckUnwritten: true, Seed: 1})
	require.NoError(t, err)
	drv, err := driver.Open(driver.Options{Backend: driver.Sim, Machine: m})
	require.NoError(t, err)
	l := &lab{t: t, machine: m}
	for i := range l.devices {
		l.devices[i], err = drv.Device(i)
		require.NoError(t, err)
	}
	p.run(l, bug)
	hazards := m.Hazards()
	for i := len(l.cleanups) - 1; i >= 0; i-- {
		l.cleanups[i]()
	}
	require.NoError(t, drv.Close())
	return hazards
}

// lab is a machine with two devices and the calls of a program on it. What it
// makes lives until the program's end.
type lab struct {
	t        *testing.T
	machine  *sim.Machine
	devices  [2]*driver.Device
	cleanups []func()
}

const bufferSize = 64 << 10

func (l *lab) ok(err error) { require.NoError(l.t, err) }

func (l *lab) later(f func() error) {
	l.cleanups = append(l.cleanups, func() { _ = l.devices[0].Synchronize(); l.ok(f()) })
}

// stream is a non-blocking stream of the first device.
func (l *lab) stream() *driver.Stream { return l.streamOf(0, false) }

func (l *lab) streamOf(device int, blocking bool) *driver.Stream {
	s, err := l.devices[device].NewStream(driver.StreamOptions{Blocking: blocking})
	l.ok(err)
	l.later(s.Close)
	return s
}

func (l *lab) event() *driver.Event {
	e, err := l.devices[0].NewEvent(driver.EventOptions{})
	l.ok(err)
	l.later(e.Close)
	return e
}

// buffer is device memory that everybody may use, filled with zeros.
func (l *lab) buffer() driver.Ptr {
	p := l.fresh()
	l.ok(l.devices[0].MemsetD8(p, 0, bufferSize))
	l.ok(l.devices[0].Synchronize())
	return p
}

// fresh is device memory that nobody has written.
func (l *lab) fresh() driver.Ptr {
	p, err := l.devices[0].MemAlloc(bufferSize)
	l.ok(err)
	l.later(func() error { return l.devices[0].MemFree(p) })
	return p
}

// pinned is pinned memory.
func (l *lab) pinned() (driver.Ptr, []byte) {
	p, err := l.devices[0].MemHostAlloc(bufferSize)
	l.ok(err)
	l.later(func() error { return l.devices[0].MemHostFree(p) })
	view, err := l.devices[0].HostView(p, bufferSize)
	l.ok(err)
	return p, view
}

func (l *lab) write(s *driver.Stream, p driver.Ptr) { l.ok(s.MemsetD8Async(p, 1, bufferSize)) }

// read reads p, and nothing else that another operation uses.
func (l *lab) read(s *driver.Stream, p driver.Ptr) {
	l.ok(s.MemcpyDtoDAsync(l.fresh(), p, bufferSize))
}

// order makes what comes on b wait for what a has done.
func (l *lab) order(a, b *driver.Stream) {
	e := l.event()
	l.ok(e.Record(a))
	l.ok(b.WaitEvent(e))
}

// orderUnless is order, which a buggy program forgets.
func (l *lab) orderUnless(bug bool, a, b *driver.Stream) {
	if !bug {
		l.order(a, b)
	}
}

// kernel is a kernel that runs f.
func (l *lab) kernel(f func(*sim.Kernel)) *driver.Function {
	const ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry planted() { ret; }\n"
	sim.RegisterKernel("planted", f)
	m, err := l.devices[0].LoadModule([]byte(ptx))
	l.ok(err)
	l.later(m.Close)
	k, err := m.Function("planted")
	l.ok(err)
	return k
}
