package sim

import (
	"bytes"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// snapshotLimit is the largest asynchronous copy from pageable memory that does
// not wait, in bytes.
const snapshotLimit = 64 << 10

// place finds n bytes inside one live allocation, or of mapped virtual
// addresses that the device can use. The caller holds host.mu and keeps it
// until the operation is enqueued.
func (d *device) place(call string, p api.Ptr, n int, access api.Access) (place, error) {
	if virtual(p) {
		return d.virtualPlace(call, p, n, access)
	}
	b, owner, ok := d.machine.block(p)
	switch {
	case !ok:
		return place{}, fail(call, api.CodeInvalidValue, "%v is in no live allocation", p)
	case n < 0 || uintptr(n) > b.end()-uintptr(p):
		return place{}, fail(call, api.CodeInvalidValue, "%d bytes at %v do not lie in the allocation of %d bytes at %#x", n, p, b.asked, b.base)
	case owner == nil:
		return place{host: b.bytes(p, n)}, nil
	}
	return place{pages: &owner.memory.pages, base: uintptr(p)}, nil
}

// block finds the allocation that contains p, and the device whose memory it
// is, nil for host memory. The caller holds host.mu.
func (m *Machine) block(p api.Ptr) (b block, owner *device, ok bool) {
	if owner = m.deviceOf(p); owner != nil {
		b, ok = owner.memory.lookup(p)
		return b, owner, ok
	}
	if live := m.host.live.find(p); live != nil {
		return *live, nil, true
	}
	return block{}, nil, false
}

// binding finds the memory of an operation and returns the work on it. A stream
// does so at the call, a graph at each of its launches. The caller holds
// host.mu.
type binding func() (work, error)

// work is what an operation does; the checker knows it as act. It is nil for a
// marker.
type work func(act *checker.Act)

// submit enqueues an operation, which accesses these ranges, on the stream of a
// handle. The caller holds host.mu.
func (d *device) submit(call string, s api.Stream, bind binding, ranges ...checker.Range) (*op, error) {
	check := d.machine.graph.check
	work, err := bind()
	if err != nil {
		check.RefusedAccess(call, err, ranges...)
		return nil, err
	}
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	st, err := d.stream(call, s)
	if err != nil {
		return nil, err
	}
	return g.put(st, work, task{call, bind, ranges}), nil
}

// task is an operation as a call asks for it.
type task struct {
	call   string
	bind   binding
	ranges []checker.Range
}

// put enqueues the work of a task on a stream, or records the task if the stream
// is captured. The caller holds the lock.
func (g *graph) put(s *stream, do work, t task) *op {
	if s.capture != nil {
		s.record(t)
		return nil
	}
	act := g.check.Operation(s.thread, t.call, t.ranges...)
	o := g.enqueue(s, do.with(act), nil)
	if o != nil {
		o.act = act
	}
	return o
}

// with is the work known to the checker as act, nil for a marker.
func (w work) with(act *checker.Act) func() {
	if w == nil {
		return nil
	}
	return func() { w(act) }
}

// captured reports whether a stream is being captured.
func (d *device) captured(handle api.Stream) bool {
	g := d.machine.graph
	if g.capturing.Load() == 0 {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s, err := d.anyStream("", handle)
	return err == nil && s.capture != nil
}

// await waits for an operation if the call that made it must. There is none to
// wait for if it was recorded.
func (d *device) await(call string, o *op, err error, must bool) error {
	if err != nil || !must || o == nil {
		return err
	}
	d.machine.graph.exec.await(o)
	check := d.machine.graph.check
	check.Synchronized(check.MarkAct(o.act))
	return d.sticky(call)
}

func (d *device) MemcpyHtoD(dst api.Ptr, src []byte) error {
	const call = "cuMemcpyHtoD_v2"
	o, _, err := d.copyIn(call, dst, src, api.StreamLegacy, false)
	return d.await(call, o, err, true)
}

func (d *device) MemcpyHtoDAsync(dst api.Ptr, src []byte, s api.Stream) error {
	const call = "cuMemcpyHtoDAsync_v2"
	o, staged, err := d.copyIn(call, dst, src, s, true)
	return d.await(call, o, err, !staged)
}

// copyIn enqueues a copy to the device; staged means that src may change
// before the copy has run.
func (d *device) copyIn(call string, dst api.Ptr, src []byte, s api.Stream, async bool) (o *op, staged bool, err error) {
	if err := d.enter(call); err != nil {
		return nil, false, err
	}
	h := d.machine.host
	h.mu.RLock()
	defer h.mu.RUnlock()
	from := src
	if staged = h.holds(src); async && !staged && len(src) <= snapshotLimit && !d.captured(s) {
		from, staged = bytes.Clone(src), true
	}
	o, err = d.submit(call, s, func() (work, error) {
		to, err := d.place(call, dst, len(from), api.AccessReadWrite)
		return func(*checker.Act) { move(to, place{host: from}, len(from)) }, err
	}, writing(dst, len(src)), h.access(src, false))
	if async && o != nil {
		o.act = nil // that this simulator waits for a large copy is no promise of CUDA's
	}
	return o, staged, err
}

func (d *device) MemcpyDtoH(dst []byte, src api.Ptr) error {
	const call = "cuMemcpyDtoH_v2"
	o, _, err := d.copyOut(call, dst, src, api.StreamLegacy)
	return d.await(call, o, err, true)
}

func (d *device) MemcpyDtoHAsync(dst []byte, src api.Ptr, s api.Stream) error {
	const call = "cuMemcpyDtoHAsync_v2"
	o, pinned, err := d.copyOut(call, dst, src, s)
	return d.await(call, o, err, !pinned)
}

func (d *device) copyOut(call string, dst []byte, src api.Ptr, s api.Stream) (o *op, pinned bool, err error) {
	if err := d.enter(call); err != nil {
		return nil, false, err
	}
	h := d.machine.host
	h.mu.RLock()
	defer h.mu.RUnlock()
	o, err = d.submit(call, s, func() (work, error) {
		from, err := d.place(call, src, len(dst), api.AccessRead)
		return func(*checker.Act) { move(place{host: dst}, from, len(dst)) }, err
	}, reading(src, len(dst)), h.access(dst, true))
	return o, h.holds(dst), err
}

func (d *device) MemcpyDtoD(dst, src api.Ptr, n int) error {
	const call = "cuMemcpyDtoD_v2"
	if err := d.enter(call); err != nil {
		return err
	}
	return d.copyAcross(call, dst, d, src, d, n, api.StreamLegacy)
}

func (d *device) MemcpyDtoDAsync(dst, src api.Ptr, n int, s api.Stream) error {
	const call = "cuMemcpyDtoDAsync_v2"
	if err := d.enter(call); err != nil {
		return err
	}
	return d.copyAcross(call, dst, d, src, d, n, s)
}

func (d *device) MemcpyPeerAsync(dst api.Ptr, dstDevice int, src api.Ptr, srcDevice int, n int, s api.Stream) error {
	const call = "cuMemcpyPeerAsync"
	if err := d.enter(call); err != nil {
		return err
	}
	if err := d.machine.lies(call, dst, dstDevice); err != nil {
		return err
	}
	if err := d.machine.lies(call, src, srcDevice); err != nil {
		return err
	}
	devices := d.machine.devices
	return d.copyAcross(call, dst, devices[dstDevice], src, devices[srcDevice], n, s)
}

// lies checks that device memory is where a peer copy says; host memory is
// everywhere.
func (m *Machine) lies(call string, p api.Ptr, ordinal int) error {
	if ordinal < 0 || ordinal >= len(m.devices) {
		return fail(call, api.CodeInvalidDevice, "device %d does not exist, there are %d", ordinal, len(m.devices))
	}
	if owner := m.deviceOf(p); owner != nil && owner.info.Ordinal != ordinal {
		return fail(call, api.CodeInvalidValue, "%v is memory of device %d, not of device %d", p, owner.info.Ordinal, ordinal)
	}
	return nil
}

// copyAcross enqueues a copy on s, from memory as one device sees it to memory
// as another does.
func (d *device) copyAcross(call string, dst api.Ptr, writer *device, src api.Ptr, reader *device, n int, s api.Stream) error {
	h := d.machine.host
	h.mu.RLock()
	defer h.mu.RUnlock()
	_, err := d.submit(call, s, func() (work, error) {
		to, err := writer.place(call, dst, n, api.AccessReadWrite)
		if err != nil {
			return nil, err
		}
		from, err := reader.place(call, src, n, api.AccessRead)
		return func(*checker.Act) { move(to, from, n) }, err
	}, reading(src, n), writing(dst, n))
	return err
}
