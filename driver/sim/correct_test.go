package sim_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// TestACorrectProgramHasNoHazards runs random work that is always ordered, one
// way or another.
func TestACorrectProgramHasNoHazards(t *testing.T) { correctProgram(t, 50_000) }

func TestALongCorrectProgramHasNoHazards(t *testing.T) {
	drivertest.Long(t)
	correctProgram(t, 1_000_000)
}

func correctProgram(t *testing.T, operations int) {
	t.Setenv("RMM_BACKEND", "sim")
	m, err := sim.New(sim.Config{CheckUnwritten: true})
	require.NoError(t, err)
	drv := drivertest.OpenMachine(t, m)
	dev, err := drv.DefaultDevice()
	require.NoError(t, err)
	c := newCorrect(t, m, dev)
	for i := range operations {
		c.step()
		if i%1000 == 0 && len(m.Hazards()) > 0 {
			break
		}
	}
	c.end()
	require.Empty(t, m.Hazards())
}

// correct is a random program that knows who used which memory, and orders every
// use after those it conflicts with.
type correct struct {
	t       *testing.T
	r       *rand.Rand
	machine *sim.Machine
	dev     *driver.Device
	streams []*driver.Stream
	events  []*driver.Event
	buffers []*buffer
	pinned  driver.Ptr
	view    []byte
	copied  *driver.Stream // the last that used the pinned memory
}

// buffer is memory and its users since the last write. A pooled one is a part of
// a larger allocation.
type buffer struct {
	p       driver.Ptr
	pooled  bool
	writer  *driver.Stream // nil: everybody may use it
	readers map[*driver.Stream]bool
}

const correctSize = 1024

func newCorrect(t *testing.T, m *sim.Machine, dev *driver.Device) *correct {
	c := &correct{t: t, r: rand.New(rand.NewPCG(1, 2)), machine: m, dev: dev}
	for i := range 12 {
		c.streams = append(c.streams, c.newStream(i))
	}
	for range 5 {
		c.events = append(c.events, drivertest.Event(t, dev))
	}
	chunk, err := dev.MemAlloc(16 * correctSize)
	c.ok(err)
	t.Cleanup(func() { c.ok(dev.MemFree(chunk)) })
	dev.Annotate(driver.Freed, chunk, 16*correctSize, nil, 1)
	for i := range 48 {
		b := &buffer{p: chunk + driver.Ptr(i*correctSize), pooled: i < 16}
		c.allocate(b, c.stream())
		c.buffers = append(c.buffers, b)
	}
	c.pinned, err = dev.MemHostAlloc(correctSize)
	c.ok(err)
	t.Cleanup(func() { c.ok(dev.MemHostFree(c.pinned)) })
	c.view, err = dev.HostView(c.pinned, correctSize)
	c.ok(err)
	return c
}

func (c *correct) ok(err error) { require.NoError(c.t, err) }

// newStream is sometimes the default stream, and blocking one time in four.
func (c *correct) newStream(i int) *driver.Stream {
	if i == 0 {
		return c.dev.DefaultStream()
	}
	s, err := c.dev.NewStream(driver.StreamOptions{Blocking: i%4 == 0})
	c.ok(err)
	return s
}

func (c *correct) stream() *driver.Stream { return c.streams[c.r.IntN(len(c.streams))] }

func (c *correct) step() {
	b, s := c.buffers[c.r.IntN(len(c.buffers))], c.stream()
	switch c.r.IntN(16) {
	case 0:
		c.free(b, s)
		c.allocate(b, c.stream())
	case 1:
		c.toHost(b, s)
	case 2:
		c.fromHost(b, s)
	case 3:
		c.replace(1 + c.r.IntN(len(c.streams)-1))
	case 4, 5, 6, 7:
		c.writes(b, s)
		c.ok(s.MemsetD8Async(b.p, 1, correctSize))
	default:
		c.copy(b, c.buffers[c.r.IntN(len(c.buffers))], s)
	}
}

func (c *correct) copy(to, from *buffer, s *driver.Stream) {
	if to == from {
		return
	}
	c.reads(from, s)
	c.writes(to, s)
	c.ok(s.MemcpyDtoDAsync(to.p, from.p, correctSize))
}

// toHost copies to the pinned memory, and the host reads it.
func (c *correct) toHost(b *buffer, s *driver.Stream) {
	c.reads(b, s)
	c.order(c.copied, s)
	c.ok(s.MemcpyDtoHAsync(c.view, b.p))
	c.ok(s.Synchronize())
	c.machine.HostRead(c.pinned, correctSize)
	c.copied = s
}

// fromHost has the host write the pinned memory, and copies it.
func (c *correct) fromHost(b *buffer, s *driver.Stream) {
	if c.copied != nil {
		c.ok(c.copied.Synchronize())
	}
	c.machine.HostWrite(c.pinned, correctSize)
	c.writes(b, s)
	c.ok(s.MemcpyHtoDAsync(b.p, c.view))
	c.copied = s
}

// reads orders s after the last write.
func (c *correct) reads(b *buffer, s *driver.Stream) {
	c.order(b.writer, s)
	b.readers[s] = true
}

// writes orders s after all uses.
func (c *correct) writes(b *buffer, s *driver.Stream) {
	c.order(b.writer, s)
	for reader := range b.readers {
		c.order(reader, s)
	}
	b.writer, b.readers = s, map[*driver.Stream]bool{}
}

func (c *correct) allocate(b *buffer, s *driver.Stream) {
	if b.pooled {
		if b.writer != nil {
			c.order(b.writer, s)
		}
		c.dev.Annotate(driver.Allocated, b.p, correctSize, s, 1)
	} else {
		var err error
		b.p, err = s.MemAllocAsync(correctSize)
		c.ok(err)
	}
	b.writer, b.readers = s, map[*driver.Stream]bool{}
	c.ok(s.MemsetD8Async(b.p, 0, correctSize))
}

func (c *correct) free(b *buffer, s *driver.Stream) {
	c.writes(b, s)
	if b.pooled {
		c.dev.Annotate(driver.Freed, b.p, correctSize, s, 1)
	} else {
		c.ok(s.MemFreeAsync(b.p))
	}
}

// replace closes a stream, after its work, and makes another.
func (c *correct) replace(i int) {
	old := c.streams[i]
	c.ok(old.Synchronize())
	for _, b := range c.buffers {
		delete(b.readers, old)
		if b.writer == old {
			b.writer = nil
		}
	}
	if c.copied == old {
		c.copied = nil
	}
	c.ok(old.Close())
	c.streams[i] = c.newStream(i)
}

// order makes what comes on s wait for what from has done, by one of the ways
// there are.
func (c *correct) order(from, s *driver.Stream) {
	if from == nil || from == s {
		return
	}
	e := c.events[c.r.IntN(len(c.events))]
	switch c.r.IntN(20) {
	case 0:
		c.ok(from.Synchronize())
	case 1:
		c.ok(e.Record(from))
		c.ok(e.Synchronize())
	case 2:
		c.ok(c.dev.Synchronize())
	default:
		c.ok(e.Record(from))
		c.ok(s.WaitEvent(e))
	}
}

func (c *correct) end() {
	for _, b := range c.buffers {
		c.free(b, c.stream())
	}
	for _, s := range c.streams[1:] {
		c.ok(s.Synchronize())
		c.ok(s.Close())
	}
	c.ok(c.dev.Synchronize())
}
