package driver_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

// mover is a goroutine that works on streams of its own, one per device, and
// changes OS threads whenever it can.
type mover struct {
	id    uint32
	homes []home
	peers []*driver.Event // of all movers, to wait for
	calls *atomic.Int64
	err   error
}

// home is what a mover has on one device.
type home struct {
	dev     *driver.Device
	stream  *driver.Stream
	event   *driver.Event
	scratch driver.Ptr // plain memory that lives as long as the mover
}

const words = 1 << 10 // what a mover fills and checks, in 32-bit words

// do counts a driver call and remembers the first failure.
func (m *mover) do(what string, err error) {
	m.calls.Add(1)
	if err != nil && m.err == nil {
		m.err = fmt.Errorf("mover %d: %s: %w", m.id, what, err)
	}
}

func (m *mover) run(rounds int) {
	for i := range rounds {
		if m.err != nil {
			return
		}
		h := m.homes[(int(m.id)+i)%len(m.homes)]
		value := m.id<<16 | uint32(i)
		m.work(h, value)
		m.wander(i)
		m.look(h, i)
	}
}

// work fills memory with value by way of three blocks and checks what arrives.
func (m *mover) work(h home, value uint32) {
	p, err := h.stream.MemAllocAsync(4 * words)
	m.do("allocate", err)
	q, err := h.stream.MemAllocAsync(4 * words)
	m.do("allocate", err)
	if m.err != nil {
		return
	}
	got := make([]byte, 4*words)
	m.do("set", h.stream.MemsetD32Async(p, value, words))
	m.do("record", h.event.Record(h.stream))
	runtime.Gosched()
	m.do("wait", h.stream.WaitEvent(m.peers[int(value)%len(m.peers)]))
	m.do("copy", h.stream.MemcpyDtoDAsync(q, p, 4*words))
	m.do("free", h.stream.MemFreeAsync(p))
	m.do("copy", h.stream.MemcpyDtoDAsync(h.scratch, q, 4*words))
	m.do("free", h.stream.MemFreeAsync(q))
	m.do("read", h.stream.MemcpyDtoHAsync(got, h.scratch))
	m.do("synchronise", h.stream.Synchronize())
	m.check(got, value)
}

func (m *mover) check(got []byte, value uint32) {
	for i := 0; i < len(got) && m.err == nil; i += 4 {
		if v := binary.LittleEndian.Uint32(got[i:]); v != value {
			m.err = fmt.Errorf("mover %d: word %d is %#x, want %#x", m.id, i/4, v, value)
		}
	}
}

// wander makes it likely that the goroutine goes on on another thread.
func (m *mover) wander(i int) {
	switch i % 8 {
	case 3:
		runtime.LockOSThread()
		runtime.Gosched()
		runtime.UnlockOSThread()
	case 5:
		done := make(chan struct{})
		go func() { // a goroutine that ends locked takes its thread with it
			runtime.LockOSThread()
			close(done)
		}()
		<-done
	default:
		runtime.Gosched()
	}
}

// look makes the calls that only ask, and now and then the slow ones that need a
// context of their own.
func (m *mover) look(h home, i int) {
	m.do("query the event", second(h.event.Query()))
	m.do("query the stream", second(h.stream.Query()))
	info, err := h.dev.PointerInfo(h.scratch)
	m.do("ask for the pointer", err)
	if m.err == nil && info.Device != h.dev.Ordinal() {
		m.err = fmt.Errorf("mover %d: memory of %v is on device %d", m.id, h.dev, info.Device)
	}
	if i%32 != 31 {
		return
	}
	p, err := h.dev.MemAlloc(kib)
	m.do("plain allocate", err)
	if err == nil {
		m.do("plain free", h.dev.MemFree(p))
	}
}

// movers makes n movers on the devices.
func movers(t *testing.T, n int, devices []*driver.Device, calls *atomic.Int64) []*mover {
	t.Helper()
	all := make([]*mover, n)
	var events []*driver.Event
	for i := range all {
		m := &mover{id: uint32(i), calls: calls}
		for _, dev := range devices {
			h := home{dev, drivertest.Stream(t, dev), drivertest.Event(t, dev), deviceMemory(t, dev, 4*words)}
			m.homes = append(m.homes, h)
			events = append(events, h.event)
		}
		all[i] = m
	}
	for _, m := range all {
		m.peers = events
	}
	return all
}

// collectGarbage runs the collector until the returned function is called.
func collectGarbage() (stop func()) {
	var ended atomic.Bool
	var running sync.WaitGroup
	running.Go(func() {
		for !ended.Load() {
			runtime.GC()
			runtime.Gosched()
		}
	})
	return func() { ended.Store(true); running.Wait() }
}

// moveAround runs the movers for at least total driver calls.
func moveAround(t *testing.T, devices []*driver.Device, total int) {
	t.Helper()
	const goroutines, callsPerRound = 64, 14
	var calls atomic.Int64
	all := movers(t, goroutines, devices, &calls)
	stop := collectGarbage()
	var running sync.WaitGroup
	for _, m := range all {
		running.Go(func() { m.run(total/goroutines/callsPerRound + 1) })
	}
	running.Wait()
	stop()
	for _, m := range all {
		require.NoError(t, m.err)
	}
	require.GreaterOrEqual(t, int(calls.Load()), total)
}

func TestGoroutinesMoveBetweenThreads(t *testing.T) {
	moveAround(t, []*driver.Device{drivertest.Device(t)}, 100_000)
}

func TestTwoDevicesGoroutinesAlternate(t *testing.T) {
	moveAround(t, drivertest.NeedDevices(t, 2), 100_000)
}
