package driver

import (
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// fakeDevice answers the calls on streams, events and copies at once. A test
// puts a function on a call to act in the middle of it, where on a real device
// only bad luck would.
type fakeDevice struct {
	api.Device
	mu      sync.Mutex
	calls   []string
	streams api.Stream // the last handle given out
	pending bool       // work does not complete
	silent  bool       // calls are not counted
	during  map[string]func()
}

func newFake() (*fakeDevice, *Device) {
	fake := &fakeDevice{streams: api.StreamPerThread, during: map[string]func(){}}
	drv := &Driver{gate: newGate(), devices: make([]*Device, 1)}
	drv.backend = fakeBackend{device: fake}
	dev := newDevice(drv, fake)
	drv.devices[0] = dev
	return fake, dev
}

type fakeBackend struct {
	api.Backend
	device *fakeDevice
}

func (b fakeBackend) Close() error { return nil }

func (f *fakeDevice) called(name string) {
	if f.silent {
		return
	}
	f.mu.Lock()
	f.calls = append(f.calls, name)
	act := f.during[name]
	delete(f.during, name) // once: what it does may call the same
	f.mu.Unlock()
	if act != nil {
		act()
	}
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

func (f *fakeDevice) Info() api.DeviceInfo { return api.DeviceInfo{Name: "fake"} }

func (f *fakeDevice) Synchronize() error { f.called("Synchronize"); return nil }

func (f *fakeDevice) StreamCreate(api.StreamFlags, int) (api.Stream, error) {
	f.called("StreamCreate")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.streams++
	return f.streams, nil
}

func (f *fakeDevice) StreamDestroy(api.Stream) error { f.called("StreamDestroy"); return nil }

func (f *fakeDevice) StreamID(s api.Stream) (uint64, error) { return uint64(s), nil }

func (f *fakeDevice) StreamQuery(api.Stream) (bool, error) {
	f.called("StreamQuery")
	return !f.pending, nil
}

func (f *fakeDevice) StreamSynchronize(api.Stream) error { f.called("StreamSynchronize"); return nil }

func (f *fakeDevice) StreamWaitEvent(api.Stream, api.Event) error {
	f.called("StreamWaitEvent")
	return nil
}

func (f *fakeDevice) LaunchHostFunc(_ api.Stream, fn func()) error {
	f.called("LaunchHostFunc")
	fn()
	return nil
}

func (f *fakeDevice) EventCreate(api.EventFlags) (api.Event, error) {
	f.called("EventCreate")
	return 1, nil
}

func (f *fakeDevice) EventDestroy(api.Event) error { f.called("EventDestroy"); return nil }

func (f *fakeDevice) EventRecord(api.Event, api.Stream) error { f.called("EventRecord"); return nil }

func (f *fakeDevice) EventQuery(api.Event) (bool, error) {
	f.called("EventQuery")
	return !f.pending, nil
}

func (f *fakeDevice) MemFreeAsync(api.Ptr, api.Stream) error { f.called("MemFreeAsync"); return nil }

func (f *fakeDevice) MemcpyHtoDAsync(api.Ptr, []byte, api.Stream) error {
	f.called("MemcpyHtoDAsync")
	return nil
}
