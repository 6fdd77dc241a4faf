package drivertest

import (
	"errors"
	"testing"

	"github.com/rmm-go/rmm-go/driver"
)

// Device opens a driver as Open does and returns its default device.
func Device(t testing.TB) *driver.Device {
	t.Helper()
	dev, err := Open(t).DefaultDevice()
	if err != nil {
		t.Fatalf("drivertest: %v", err)
	}
	return dev
}

// Stream makes a non-blocking stream. At the end of the test it is synchronised
// and closed, unless the test has closed it.
func Stream(t testing.TB, dev *driver.Device) *driver.Stream {
	t.Helper()
	return StreamWith(t, dev, driver.StreamOptions{})
}

// StreamWith is Stream with options.
func StreamWith(t testing.TB, dev *driver.Device, opts driver.StreamOptions) *driver.Stream {
	t.Helper()
	s, err := dev.NewStream(opts)
	if err != nil {
		t.Fatalf("drivertest: make a stream: %v", err)
	}
	t.Cleanup(func() { closeStream(t, s) })
	return s
}

func closeStream(t testing.TB, s *driver.Stream) {
	t.Helper()
	if s.Closed() {
		return
	}
	if err := s.Synchronize(); err != nil {
		t.Errorf("drivertest: synchronise %v at the end of the test: %v", s, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("drivertest: close %v at the end of the test: %v", s, err)
	}
}

// Event makes an event without timing. At the end of the test it is closed,
// unless the test has closed it.
func Event(t testing.TB, dev *driver.Device) *driver.Event {
	t.Helper()
	return EventWith(t, dev, driver.EventOptions{})
}

// EventWith is Event with options.
func EventWith(t testing.TB, dev *driver.Device, opts driver.EventOptions) *driver.Event {
	t.Helper()
	e, err := dev.NewEvent(opts)
	if err != nil {
		t.Fatalf("drivertest: make an event: %v", err)
	}
	t.Cleanup(func() { closeEvent(t, e) })
	return e
}

func closeEvent(t testing.TB, e *driver.Event) {
	t.Helper()
	if err := e.Close(); err != nil && !errors.Is(err, driver.ErrClosed) {
		t.Errorf("drivertest: close an event at the end of the test: %v", err)
	}
}
