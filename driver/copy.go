package driver

import "github.com/rmm-go/rmm-go/driver/internal/api"

// MemcpyHtoD copies len(src) bytes from the host to the device. It returns when
// src may be changed; the copy is ordered as on the default stream.
func (d *Device) MemcpyHtoD(dst Ptr, src []byte) error {
	if len(src) == 0 {
		return d.open("Device.MemcpyHtoD")
	}
	if err := d.enter("Device.MemcpyHtoD"); err != nil {
		return err
	}
	defer d.drv.gate.leave()
	return d.raw.MemcpyHtoD(dst, src)
}

// MemcpyDtoH copies len(dst) bytes from the device to the host and returns when
// they are there. The copy is ordered as on the default stream: synchronise a
// non-blocking stream first.
func (d *Device) MemcpyDtoH(dst []byte, src Ptr) error {
	if len(dst) == 0 {
		return d.open("Device.MemcpyDtoH")
	}
	if err := d.enter("Device.MemcpyDtoH"); err != nil {
		return err
	}
	defer d.drv.gate.leave()
	return d.raw.MemcpyDtoH(dst, src)
}

// MemcpyDtoD copies n bytes between device addresses, ordered as on the default
// stream. It does not wait for the copy.
func (d *Device) MemcpyDtoD(dst, src Ptr, n int) error {
	return d.fill("Device.MemcpyDtoD", n, func() error { return d.raw.MemcpyDtoD(dst, src, n) })
}

// MemsetD8 sets n bytes to value, ordered as on the default stream.
func (d *Device) MemsetD8(p Ptr, value uint8, n int) error {
	return d.fill("Device.MemsetD8", n, func() error { return d.raw.Memset(p, uint32(value), 1, n) })
}

// MemsetD16 sets n 16-bit words to value; p must be aligned to 2.
func (d *Device) MemsetD16(p Ptr, value uint16, n int) error {
	return d.fill("Device.MemsetD16", n, func() error { return d.raw.Memset(p, uint32(value), 2, n) })
}

// MemsetD32 sets n 32-bit words to value; p must be aligned to 4.
func (d *Device) MemsetD32(p Ptr, value uint32, n int) error {
	return d.fill("Device.MemsetD32", n, func() error { return d.raw.Memset(p, value, 4, n) })
}

// fill runs an operation of n elements on the default stream.
func (d *Device) fill(call string, n int, f func() error) error {
	if n < 0 {
		return badCount(call, n)
	}
	if n == 0 {
		return d.open(call)
	}
	if err := d.enter(call); err != nil {
		return err
	}
	defer d.drv.gate.leave()
	return f()
}

func badCount(call string, n int) error {
	return badArgument(call, "the count is %d: it must not be negative", n)
}

// MemcpyHtoDAsync copies len(src) bytes from the host to the device in stream
// order. From pinned memory (a HostView) the copy is truly asynchronous: src
// must not change until the stream has done it. From ordinary Go memory CUDA
// stages the copy, and may wait for the stream to do so. Either way src is kept
// alive until the copy is done.
func (s *Stream) MemcpyHtoDAsync(dst Ptr, src []byte) error {
	return s.hostCopy("Stream.MemcpyHtoDAsync", src, func() error { return s.dev.raw.MemcpyHtoDAsync(dst, src, s.raw) })
}

// MemcpyDtoHAsync copies len(dst) bytes from the device to the host in stream
// order. To pinned memory the copy is truly asynchronous: dst is filled once
// the stream is synchronised. To ordinary Go memory CUDA waits until the copy
// is done. Either way dst is kept alive until the copy is done.
func (s *Stream) MemcpyDtoHAsync(dst []byte, src Ptr) error {
	return s.hostCopy("Stream.MemcpyDtoHAsync", dst, func() error { return s.dev.raw.MemcpyDtoHAsync(dst, src, s.raw) })
}

// hostCopy runs a copy from or to Go memory and keeps that memory reachable.
func (s *Stream) hostCopy(call string, host []byte, f func() error) error {
	if err := s.enter(call); err != nil {
		return err
	}
	defer s.gate.leave()
	if len(host) == 0 {
		return nil
	}
	return s.keeping(kept{&host[0], len(host)}, [][]byte{host}, f)
}

// keeping enqueues work by f and keeps its Go memory reachable: until the stream
// has done the work, or for as long as the graph lives that it is captured into.
// The memory is given as one reference to all of it, and piece by piece.
func (s *Stream) keeping(all kept, pieces [][]byte, f func() error) error {
	if s.host.due() {
		s.releaseDone()
	}
	err := f()
	if !s.dev.drv.captures.hold(s, pieces) {
		s.host.hold(all) // after a failure too: it may be of earlier work
	}
	return err
}

// releaseDone lets go of the memory of earlier work if the stream is idle. The
// caller has not asked for this, so it must harm no capture.
func (s *Stream) releaseDone() {
	if s.notCaptured("Stream.Query") != nil {
		return
	}
	mark, done := s.host.mark(), false
	err := relaxed(s.dev.raw, func() (err error) {
		done, err = s.dev.raw.StreamQuery(s.raw)
		return err
	})
	if done && err == nil {
		s.host.release(mark)
	}
}

// MemcpyDtoDAsync copies n bytes between device addresses in stream order.
func (s *Stream) MemcpyDtoDAsync(dst, src Ptr, n int) error {
	return s.fill("Stream.MemcpyDtoDAsync", n, func(raw api.Stream) error { return s.dev.raw.MemcpyDtoDAsync(dst, src, n, raw) })
}

// MemcpyPeerAsync copies n bytes from memory of one device to memory of another
// in stream order. The stream must belong to one of the two.
func (s *Stream) MemcpyPeerAsync(dst Ptr, dstDevice *Device, src Ptr, srcDevice *Device, n int) error {
	const call = "Stream.MemcpyPeerAsync"
	if dstDevice == nil || srcDevice == nil {
		return badArgument(call, "both devices must be given")
	}
	return s.fill(call, n, func(raw api.Stream) error {
		if s.dev != dstDevice && s.dev != srcDevice {
			return wrongDevice(call, s.String(), s.dev, dstDevice)
		}
		if err := dstDevice.sameDriver(call, srcDevice); err != nil {
			return err
		}
		return s.dev.raw.MemcpyPeerAsync(dst, dstDevice.Ordinal(), src, srcDevice.Ordinal(), n, raw)
	})
}

// MemsetD8Async sets n bytes to value in stream order.
func (s *Stream) MemsetD8Async(p Ptr, value uint8, n int) error {
	return s.fill("Stream.MemsetD8Async", n, func(raw api.Stream) error { return s.dev.raw.MemsetAsync(p, uint32(value), 1, n, raw) })
}

// MemsetD16Async sets n 16-bit words to value in stream order; p must be
// aligned to 2.
func (s *Stream) MemsetD16Async(p Ptr, value uint16, n int) error {
	return s.fill("Stream.MemsetD16Async", n, func(raw api.Stream) error { return s.dev.raw.MemsetAsync(p, uint32(value), 2, n, raw) })
}

// MemsetD32Async sets n 32-bit words to value in stream order; p must be
// aligned to 4.
func (s *Stream) MemsetD32Async(p Ptr, value uint32, n int) error {
	return s.fill("Stream.MemsetD32Async", n, func(raw api.Stream) error { return s.dev.raw.MemsetAsync(p, value, 4, n, raw) })
}

// MemPrefetchAsync moves n bytes of managed memory to a device, or to the host
// if to is nil, in stream order.
func (s *Stream) MemPrefetchAsync(p Ptr, n int, to *Device) error {
	const call = "Stream.MemPrefetchAsync"
	return s.fill(call, n, func(raw api.Stream) error {
		if to == nil {
			return s.dev.raw.PrefetchAsync(p, n, hostLocation, raw)
		}
		if err := s.dev.sameDriver(call, to); err != nil {
			return err
		}
		return s.dev.raw.PrefetchAsync(p, n, to.Ordinal(), raw)
	})
}

// fill runs an operation of n elements on the stream.
func (s *Stream) fill(call string, n int, f func(api.Stream) error) error {
	if n < 0 {
		return badCount(call, n)
	}
	if err := s.enter(call); err != nil {
		return err
	}
	defer s.gate.leave()
	if n == 0 {
		return nil
	}
	return f(s.raw)
}
