package driver

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// fakeDevice answers the calls on streams, events and copies at once. A test
// puts a function on a call to act in the middle of it, where on a real device
// only bad luck would, or an error to make it fail.
//
// Its rules of capture are CUDA's: a query that is not relaxed while anything is
// captured in global mode, and any query of the captured stream, fails and
// invalidates the capture.
type fakeDevice struct {
	api.Device
	mu      sync.Mutex
	calls   []string
	streams api.Stream // the last handle given out
	pending bool       // work does not complete
	silent  bool       // calls are not counted
	during  map[string]func()
	errs    map[string]error

	captured  api.Stream // 0: none
	capture   api.CaptureStatus
	mode      api.CaptureMode // of the last capture
	relaxed   int             // calls of WithCaptureMode under way
	attribute map[api.Attribute]int

	shape  api.LaunchConfig // of the last launch
	params api.Params
}

func newFake() (*fakeDevice, *Device) {
	fake := newFakeDevice()
	return fake, driverOver(fake)
}

// newPlainFake is a device without any of the optional interfaces.
func newPlainFake() (*fakeDevice, *Device) {
	fake := newFakeDevice()
	return fake, driverOver(struct{ api.Device }{fake})
}

func newFakeDevice() *fakeDevice {
	return &fakeDevice{streams: api.StreamPerThread, during: map[string]func(){}, errs: map[string]error{},
		attribute: map[api.Attribute]int{}}
}

func driverOver(raw api.Device) *Device {
	drv := &Driver{gate: newGate(), devices: make([]*Device, 1), backend: fakeBackend{}}
	drv.devices[0] = newDevice(drv, raw)
	return drv.devices[0]
}

func ownStream(t *testing.T, dev *Device) *Stream {
	t.Helper()
	s, err := dev.NewStream(StreamOptions{})
	require.NoError(t, err)
	return s
}

func ownEvent(t *testing.T, dev *Device) *Event {
	t.Helper()
	e, err := dev.NewEvent(EventOptions{})
	require.NoError(t, err)
	return e
}

// second is the error of a call with a result.
func second[T any](_ T, err error) error { return err }

type fakeBackend struct{ api.Backend }

func (fakeBackend) Name() string { return "fake" }

func (fakeBackend) Close() error { return nil }

// act runs f in the middle of the next call of name.
func (f *fakeDevice) act(name string, do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.during[name] = do
}

// fail makes every later call of name fail; nil ends that.
func (f *fakeDevice) fail(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs[name] = err
}

// setPending says whether work stays incomplete.
func (f *fakeDevice) setPending(pending bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = pending
}

func (f *fakeDevice) called(name string) error {
	if f.silent {
		return nil
	}
	f.mu.Lock()
	f.calls = append(f.calls, name)
	act, err := f.during[name], f.errs[name]
	delete(f.during, name) // once: what it does may call the same
	f.mu.Unlock()
	if act != nil {
		act()
	}
	return err
}

// count is how often name was called.
func (f *fakeDevice) count(name string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, call := range f.calls {
		if call == name {
			n++
		}
	}
	return n
}

// query is a call that captures forbid; s is 0 for one on no stream.
func (f *fakeDevice) query(name string, s api.Stream) (bool, error) {
	if err := f.called(name); err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.capture != api.CaptureNone && (f.relaxed == 0 || s == f.captured) {
		f.capture = api.CaptureInvalidated
		return false, &api.Error{Call: name, Code: api.CodeCaptureUnsupported, Name: "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}
	}
	return !f.pending, nil
}

func (f *fakeDevice) Info() api.DeviceInfo { return api.DeviceInfo{Name: "fake"} }

func (f *fakeDevice) Attribute(a api.Attribute) (int, error) {
	return f.attribute[a], f.called("Attribute")
}

func (f *fakeDevice) Synchronize() error { return f.called("Synchronize") }

func (f *fakeDevice) StreamCreate(api.StreamFlags, int) (api.Stream, error) {
	err := f.called("StreamCreate")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.streams++
	return f.streams, err
}

func (f *fakeDevice) StreamDestroy(api.Stream) error { return f.called("StreamDestroy") }

func (f *fakeDevice) StreamID(s api.Stream) (uint64, error) { return uint64(s), nil }

func (f *fakeDevice) StreamQuery(s api.Stream) (bool, error) { return f.query("StreamQuery", s) }

func (f *fakeDevice) StreamSynchronize(api.Stream) error { return f.called("StreamSynchronize") }

func (f *fakeDevice) StreamWaitEvent(api.Stream, api.Event) error { return f.called("StreamWaitEvent") }

func (f *fakeDevice) LaunchHostFunc(_ api.Stream, fn func()) error {
	err := f.called("LaunchHostFunc")
	fn()
	return err
}

func (f *fakeDevice) EventCreate(api.EventFlags) (api.Event, error) {
	return 1, f.called("EventCreate")
}

func (f *fakeDevice) EventDestroy(api.Event) error { return f.called("EventDestroy") }

func (f *fakeDevice) EventRecord(api.Event, api.Stream) error { return f.called("EventRecord") }

func (f *fakeDevice) EventQuery(api.Event) (bool, error) { return f.query("EventQuery", 0) }

func (f *fakeDevice) MemFreeAsync(api.Ptr, api.Stream) error { return f.called("MemFreeAsync") }

func (f *fakeDevice) MemcpyHtoDAsync(api.Ptr, []byte, api.Stream) error {
	return f.called("MemcpyHtoDAsync")
}

func (f *fakeDevice) PoolCreate(api.PoolProps) (api.Pool, error) { return 1, f.called("PoolCreate") }

func (f *fakeDevice) PoolDestroy(api.Pool) error { return f.called("PoolDestroy") }
