package sim

import (
	"bytes"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// snapshotLimit is the largest asynchronous copy from pageable memory that does
// not wait, in bytes.
const snapshotLimit = 64 << 10

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
