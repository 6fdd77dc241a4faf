package sim_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	kib = 1 << 10
	mib = 1 << 20
)

// rig is a machine with one device in hand and the calls of a test on it, which
// fail the test when they fail.
type rig struct {
	api.Device
	t       testing.TB
	machine *sim.Machine
}

// newRig makes a machine; the test must give back all it takes.
func newRig(t testing.TB, config sim.Config) *rig {
	m, err := sim.New(config)
	require.NoError(t, err)
	r := &rig{t: t, machine: m}
	r.Device = r.device(0)
	t.Cleanup(func() {
		require.NoError(t, m.Close())
		for i, o := range m.Outstanding() {
			require.Equal(t, sim.Outstanding{Device: i}, o, "left behind")
		}
	})
	return r
}

func (r *rig) device(ordinal int) api.Device {
	d, err := r.machine.Device(ordinal)
	require.NoError(r.t, err)
	return d
}

// on is the same machine with another device in hand.
func (r *rig) on(ordinal int) *rig {
	return &rig{Device: r.device(ordinal), t: r.t, machine: r.machine}
}

func (r *rig) stream(flags api.StreamFlags) api.Stream {
	s, err := r.StreamCreate(flags, 0)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, r.StreamDestroy(s)) })
	return s
}

func (r *rig) event(flags api.EventFlags) api.Event {
	e, err := r.EventCreate(flags)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, r.EventDestroy(e)) })
	return e
}

// alloc allocates plain device memory for the length of the test.
func (r *rig) alloc(size int) api.Ptr {
	p, err := r.MemAlloc(size)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, r.MemFree(p)) })
	return p
}

// pinned allocates pinned memory for the length of the test.
func (r *rig) pinned(size int) (api.Ptr, []byte) {
	p, err := r.MemHostAlloc(size, 0)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, r.MemHostFree(p)) })
	return p, view(p, size)
}

func (r *rig) idle(s api.Stream) bool {
	idle, err := r.StreamQuery(s)
	require.NoError(r.t, err)
	return idle
}

func (r *rig) done(e api.Event) bool {
	done, err := r.EventQuery(e)
	require.NoError(r.t, err)
	return done
}

func (r *rig) sync(s api.Stream) { require.NoError(r.t, r.StreamSynchronize(s)) }

// read copies n bytes to the host, ordered on s.
func (r *rig) read(p api.Ptr, n int, s api.Stream) []byte {
	b := make([]byte, n)
	require.NoError(r.t, r.MemcpyDtoHAsync(b, p, s))
	return b
}

// hold keeps a stream busy until the function it returns is called, which the
// end of the test does at the latest.
func (r *rig) hold(s api.Stream) (release func()) {
	gate, open := make(chan struct{}), false
	require.NoError(r.t, r.LaunchHostFunc(s, func() { <-gate }))
	release = func() {
		if !open {
			open = true
			close(gate)
		}
	}
	r.t.Cleanup(release)
	return release
}

func repeated(b byte, n int) []byte { return bytes.Repeat([]byte{b}, n) }

// code requires a failed call with a result code, and text in its message.
func code(t testing.TB, want int, text string, err error) {
	t.Helper()
	var e *api.Error
	require.True(t, errors.As(err, &e), "not a CUDA error: %v", err)
	require.Equal(t, want, e.Code, "%v", err)
	require.NotEmpty(t, e.Name)
	require.ErrorContains(t, err, text)
}
