package sim

import (
	"bytes"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// snapshotLimit is the largest asynchronous copy from pageable memory that does
// not wait, in bytes.
const snapshotLimit = 64 << 10

// place finds n bytes inside one live allocation. The caller holds host.mu and
// keeps it until the operation is enqueued.
func (m *Machine) place(call string, p api.Ptr, n int) (place, error) {
	var b block
	var ok bool
	d := m.deviceOf(p)
	if d != nil {
		b, ok = d.memory.lookup(p)
	} else if live := m.host.live.find(p); live != nil {
		b, ok = *live, true
	}
	switch {
	case !ok:
		return place{}, fail(call, api.CodeInvalidValue, "%v is in no live allocation", p)
	case n < 0 || uintptr(n) > b.end()-uintptr(p):
		return place{}, fail(call, api.CodeInvalidValue, "%d bytes at %v do not lie in the allocation of %d bytes at %#x", n, p, b.asked, b.base)
	case d == nil:
		return place{host: b.bytes(p, n)}, nil
	}
	return place{pages: &d.memory.pages, base: uintptr(p)}, nil
}

// submit enqueues work, or a marker if work is nil, on the stream of a handle.
func (d *device) submit(call string, s api.Stream, work func()) (*op, error) {
	g := d.machine.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	st, err := d.stream(call, s)
	if err != nil {
		return nil, err
	}
	return g.enqueue(st, work, nil), nil
}

// await waits for an operation if the call that made it must.
func (d *device) await(o *op, err error, must bool) error {
	if err == nil && must {
		d.machine.graph.exec.await(o)
	}
	return err
}

func (d *device) MemcpyHtoD(dst api.Ptr, src []byte) error {
	o, _, err := d.copyIn("cuMemcpyHtoD_v2", dst, src, api.StreamLegacy, false)
	return d.await(o, err, true)
}

func (d *device) MemcpyHtoDAsync(dst api.Ptr, src []byte, s api.Stream) error {
	o, staged, err := d.copyIn("cuMemcpyHtoDAsync_v2", dst, src, s, true)
	return d.await(o, err, !staged)
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
	to, err := d.machine.place(call, dst, len(src))
	if err != nil {
		return nil, false, err
	}
	staged = h.holds(src)
	if async && !staged && len(src) <= snapshotLimit {
		src, staged = bytes.Clone(src), true
	}
	o, err = d.submit(call, s, func() { move(to, place{host: src}, len(src)) })
	return o, staged, err
}

func (d *device) MemcpyDtoH(dst []byte, src api.Ptr) error {
	o, _, err := d.copyOut("cuMemcpyDtoH_v2", dst, src, api.StreamLegacy)
	return d.await(o, err, true)
}

func (d *device) MemcpyDtoHAsync(dst []byte, src api.Ptr, s api.Stream) error {
	o, pinned, err := d.copyOut("cuMemcpyDtoHAsync_v2", dst, src, s)
	return d.await(o, err, !pinned)
}

func (d *device) copyOut(call string, dst []byte, src api.Ptr, s api.Stream) (o *op, pinned bool, err error) {
	if err := d.enter(call); err != nil {
		return nil, false, err
	}
	h := d.machine.host
	h.mu.RLock()
	defer h.mu.RUnlock()
	from, err := d.machine.place(call, src, len(dst))
	if err != nil {
		return nil, false, err
	}
	o, err = d.submit(call, s, func() { move(place{host: dst}, from, len(dst)) })
	return o, h.holds(dst), err
}

func (d *device) MemcpyDtoD(dst, src api.Ptr, n int) error {
	const call = "cuMemcpyDtoD_v2"
	if err := d.enter(call); err != nil {
		return err
	}
	return d.copyAcross(call, dst, src, n, api.StreamLegacy)
}

func (d *device) MemcpyDtoDAsync(dst, src api.Ptr, n int, s api.Stream) error {
	const call = "cuMemcpyDtoDAsync_v2"
	if err := d.enter(call); err != nil {
		return err
	}
	return d.copyAcross(call, dst, src, n, s)
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
	return d.copyAcross(call, dst, src, n, s)
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

func (d *device) copyAcross(call string, dst, src api.Ptr, n int, s api.Stream) error {
	h := d.machine.host
	h.mu.RLock()
	defer h.mu.RUnlock()
	to, err := d.machine.place(call, dst, n)
	if err != nil {
		return err
	}
	from, err := d.machine.place(call, src, n)
	if err != nil {
		return err
	}
	_, err = d.submit(call, s, func() { move(to, from, n) })
	return err
}
