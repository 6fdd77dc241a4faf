package driver_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

const (
	// blockedAfter is how long a call that should return at once may take until it
	// counts as waiting.
	blockedAfter = 8 * time.Second
	// grace is how long a call that must wait is given to return too early. What is
	// too slow to be caught passes: the case never fails by chance.
	grace = 20 * time.Millisecond
)

// bench is what a case works with: devices, and short words for what every case
// does. A step that fails ends the case.
type bench struct {
	*recorder
	dev  *driver.Device
	peer *driver.Device // nil unless the case asks for two devices
	raw  api.Device     // dev without the checks of package driver
}

func newBench(r *recorder, devices int) *bench {
	d := drivertest.NeedDevices(r, devices)
	b := &bench{recorder: r, dev: d[0], raw: driver.Raw(d[0])}
	if devices > 1 {
		b.peer = d[1]
	}
	return b
}

func (b *bench) stream() *driver.Stream { return drivertest.Stream(b, b.dev) }

func (b *bench) blocking() *driver.Stream {
	return drivertest.StreamWith(b, b.dev, driver.StreamOptions{Blocking: true})
}

func (b *bench) event() *driver.Event { return drivertest.Event(b, b.dev) }

func (b *bench) timed() *driver.Event {
	return drivertest.EventWith(b, b.dev, driver.EventOptions{Timing: true})
}

// memory is n bytes of device memory that hold value.
func (b *bench) memory(n int, value byte) driver.Ptr {
	p := deviceMemory(b, b.dev, n)
	b.set(p, n, value)
	return p
}

// pinned is n zero bytes of pinned host memory.
func (b *bench) pinned(n int) (driver.Ptr, []byte) {
	p, view := pinnedMemory(b, b.dev, n)
	clear(view)
	return p, view
}

// set fills memory that no work uses, and waits for it.
func (b *bench) set(p driver.Ptr, n int, value byte) {
	b.ok(b.dev.MemsetD8(p, value, n))
	b.ok(b.dev.DefaultStream().Synchronize())
}

// requireAll checks that n bytes, which no work uses, are value.
func (b *bench) requireAll(p driver.Ptr, n int, value byte) {
	b.requireBytes(p, repeated(value, n))
}

func (b *bench) requireBytes(p driver.Ptr, want []byte) {
	got := make([]byte, len(want))
	b.ok(b.dev.MemcpyDtoH(got, p))
	for i := range want {
		if got[i] != want[i] {
			b.Fatalf("byte %d of %d at %v is %#02x, want %#02x", i, len(want), p, got[i], want[i])
		}
	}
}

// hold keeps s busy until release, or until the watchdog's patience ends.
func (b *bench) hold(s *driver.Stream) (release func()) {
	release = drivertest.Hold(b, s)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.releases = append(b.releases, release)
	return release
}

// ok ends the case unless err is nil.
func (b *bench) ok(err error) {
	if err != nil {
		b.Fatalf("got %s, want success", describe(err))
	}
}

// done synchronises streams.
func (b *bench) done(streams ...*driver.Stream) {
	for _, s := range streams {
		b.ok(s.Synchronize())
	}
}

// fails checks that a call failed in CUDA with one of the codes. Where there are
// several it says with which, so that the others can go.
func (b *bench) fails(err error, codes ...int) {
	var failure *driver.Error
	if !errors.As(err, &failure) || !slices.Contains(codes, failure.Code) {
		b.Fatalf("got %s, want a failure with code %d", describe(err), codes)
	}
	if len(codes) > 1 {
		b.Logf("measured: %s", describe(err))
	}
}

// describe says of an error all that helps to correct an expectation.
func describe(err error) string {
	var failure *driver.Error
	if errors.As(err, &failure) {
		return fmt.Sprintf("code %d %s of %s (%v)", failure.Code, failure.Name, failure.Call, err)
	}
	if err != nil {
		return fmt.Sprintf("an error without a code: %v", err)
	}
	return "success"
}

// busy checks that work on s is still to be done, idle that it is all done.
func (b *bench) busy(s *driver.Stream) {
	if done, err := s.Query(); done || err != nil {
		b.Fatalf("%v is idle (%s), it should be busy", s, describe(err))
	}
}

func (b *bench) idle(s *driver.Stream) {
	if done, err := s.Query(); !done || err != nil {
		b.Fatalf("%v is busy (%s), it should be idle", s, describe(err))
	}
}

func (b *bench) pending(e *driver.Event) {
	if done, err := e.Query(); done || err != nil {
		b.Fatalf("the event is complete (%s), it should be pending", describe(err))
	}
}

func (b *bench) complete(e *driver.Event) {
	if done, err := e.Query(); !done || err != nil {
		b.Fatalf("the event is pending (%s), it should be complete", describe(err))
	}
}

// becomes asks until the answer is yes.
func (b *bench) becomes(what string, ask func() (bool, error)) {
	deadline := time.Now().Add(blockedAfter)
	for time.Now().Before(deadline) {
		yes, err := ask()
		b.ok(err)
		if yes {
			return
		}
		time.Sleep(50 * time.Microsecond)
	}
	b.Fatalf("not so after %v: %s", blockedAfter, what)
}

// background runs a call that may block.
func background(call func() error) <-chan error {
	result := make(chan error, 1)
	go func() { result <- call() }()
	return result
}

// promptly checks that a call returns although a stream is held.
func (b *bench) promptly(call func() error) {
	result := background(call)
	select {
	case err := <-result:
		b.ok(err)
	case <-time.After(blockedAfter):
		b.letGo()
		err := <-result
		b.Fatalf("the call waits for the held stream (then: %s), it should return at once", describe(err))
	}
}

// onlyAfter checks that a call does not return before release lets it.
func (b *bench) onlyAfter(release func(), call func() error) {
	result := background(call)
	select {
	case err := <-result:
		b.Fatalf("the call returned while the stream is held: %s; it should wait", describe(err))
	case <-time.After(grace):
	}
	release()
	b.ok(<-result)
}

// elsewhere runs a call on another thread than the caller's, which is locked.
func elsewhere(call func() error) error { return <-background(call) }

// order takes down which host functions ran, in order.
type order struct {
	mu    sync.Mutex
	steps []string
}

func (o *order) step(name string) func() {
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.steps = append(o.steps, name)
	}
}

func (o *order) require(b *bench, want ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	require.Equal(b, want, append([]string(nil), o.steps...))
}

// handleOf and its like are what CUDA knows an object by.
func handleOf(s *driver.Stream) api.Stream  { return api.Stream(s.Handle()) }
func eventHandle(e *driver.Event) api.Event { return api.Event(e.Handle()) }
func poolHandle(p *driver.Pool) api.Pool    { return api.Pool(p.Handle()) }

// offers returns an optional part of the device's backend, or skips the case.
func offers[T any](b *bench, what string) T {
	part, ok := b.raw.(T)
	if !ok {
		b.simulatorLacks(what)
		b.Skipf("this machine has to answer through %s, which has no %s", backendUnderTest(), what)
	}
	return part
}

// simulatorLacks skips the case on the simulator.
func (b *bench) simulatorLacks(what string) {
	if backendUnderTest() == "sim" {
		b.Skipf("needs a GPU: the simulator has no %s", what)
	}
}
