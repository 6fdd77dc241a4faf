package cuda

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// StreamCreate makes a stream of this device.
func (d *device) StreamCreate(flags api.StreamFlags, priority int) (api.Stream, error) {
	s, err := d.currentOut(&d.b.fn.streamCreate, uintptr(flags), uintptr(priority))
	return api.Stream(s), err
}

// StreamDestroy returns at once; pending work still completes.
func (d *device) StreamDestroy(s api.Stream) error {
	return d.onStream(s, &d.b.fn.streamDestroy, handle(s))
}

// StreamQuery reports whether all work on s is complete.
func (d *device) StreamQuery(s api.Stream) (bool, error) {
	return ready(d.onStream(s, &d.b.fn.streamQuery, handle(s)))
}

// StreamSynchronize waits for all work on s.
func (d *device) StreamSynchronize(s api.Stream) error {
	return d.onStream(s, &d.b.fn.streamSynchronize, handle(s))
}

// StreamWaitEvent makes later work on s wait for what e last recorded.
func (d *device) StreamWaitEvent(s api.Stream, e api.Event) error {
	return d.onStream(s, &d.b.fn.streamWaitEvent, handle(s), uintptr(e), 0)
}

// StreamID returns the driver's identifier of s. On a stream that is being
// captured cuStreamGetId would end the capture, so that is asked first.
func (d *device) StreamID(s api.Stream) (uint64, error) {
	status, err := d.isCapturing(s)
	if err != nil {
		return 0, err
	}
	if status != api.CaptureNone {
		return 0, d.b.fn.failure(&d.b.fn.streamGetID, api.CodeCaptureUnsupported, nil)
	}
	return d.streamOut(s, &d.b.fn.streamGetID)
}

func (d *device) isCapturing(s api.Stream) (api.CaptureStatus, error) {
	status, err := d.streamOut(s, &d.b.fn.streamIsCapturing)
	return api.CaptureStatus(uint32(status)), err
}

// streamOut calls a function of the form (CUstream, result *).
func (d *device) streamOut(s api.Stream, p *loader.Proc) (uint64, error) {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	f.Set(handle(s), f.WordAddr(0))
	if err := d.invokeOn(s, f, p); err != nil {
		return 0, err
	}
	return f.Word(0), nil
}

// StreamPriorities returns the least and the most urgent priority.
func (d *device) StreamPriorities() (least, greatest int, err error) {
	f := loader.Acquire()
	defer f.Release()
	f.Set(f.WordAddr(0), f.WordAddr(1))
	if err := d.invokeCurrent(f, &d.b.fn.ctxPriorityRange); err != nil {
		return 0, 0, err
	}
	return int(f.Int32(0)), int(f.Int32(1)), nil
}
