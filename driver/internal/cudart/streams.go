package cudart

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// handle is what the runtime is given for s. 0 and 1 are one stream, but only 1
// (cudaStreamLegacy) says so whichever default-stream mode an entry point was
// made for.
func handle(s api.Stream) uintptr {
	if s == api.StreamDefault {
		s = api.StreamLegacy
	}
	return uintptr(s)
}

// StreamCreate makes a stream of this device.
func (d *device) StreamCreate(flags api.StreamFlags, priority int) (api.Stream, error) {
	s, err := d.callOut(&d.b.rt.streamCreate, uintptr(flags), uintptr(priority))
	return api.Stream(s), err
}

// StreamDestroy returns at once; pending work still completes.
func (d *device) StreamDestroy(s api.Stream) error {
	return d.call(&d.b.rt.streamDestroy, handle(s))
}

// StreamQuery reports whether all work on s is complete.
func (d *device) StreamQuery(s api.Stream) (bool, error) {
	return d.query(&d.b.rt.streamQuery, handle(s))
}

// StreamSynchronize waits for all work on s.
func (d *device) StreamSynchronize(s api.Stream) error {
	return d.call(&d.b.rt.streamSynchronize, handle(s))
}

// StreamWaitEvent makes later work on s wait for what e last recorded.
func (d *device) StreamWaitEvent(s api.Stream, e api.Event) error {
	return d.call(&d.b.rt.streamWaitEvent, handle(s), uintptr(e), 0)
}

// StreamID returns the driver's identifier of s. On a stream that is being
// captured cudaStreamGetId would end the capture, so that is asked first.
func (d *device) StreamID(s api.Stream) (uint64, error) {
	status, err := d.streamOut(s, &d.b.rt.streamIsCapturing)
	if err != nil {
		return 0, err
	}
	if uint32(status) != 0 {
		return 0, d.b.failure(&d.b.rt.streamGetID, api.CodeCaptureUnsupported)
	}
	return d.streamOut(s, &d.b.rt.streamGetID)
}

// streamOut calls a function of the form (cudaStream_t, result *).
func (d *device) streamOut(s api.Stream, p *loader.Proc) (uint64, error) {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	f.Set(handle(s), f.WordAddr(0))
	if err := d.invoke(f, p); err != nil {
		return 0, err
	}
	return f.Word(0), nil
}

// StreamPriorities returns the least and the most urgent priority.
func (d *device) StreamPriorities() (least, greatest int, err error) {
	f := loader.Acquire()
	defer f.Release()
	f.Set(f.WordAddr(0), f.WordAddr(1))
	if err := d.invoke(f, &d.b.rt.priorityRange); err != nil {
		return 0, 0, err
	}
	return int(f.Int32(0)), int(f.Int32(1)), nil
}
