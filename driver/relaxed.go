package driver

import (
	"fmt"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// relaxed runs f with the thread's capture mode relaxed, where the backend knows
// captures. Queries that this package makes for its own ends run so: while
// somebody captures in global mode they would otherwise fail and invalidate that
// capture. A stream that is being captured itself must not be asked even so: see
// notCaptured.
func relaxed(dev api.Device, f func() error) error {
	graphs, ok := dev.(api.Graphs)
	if !ok {
		return f()
	}
	return graphs.WithCaptureMode(api.CaptureRelaxed, f)
}

// captured reports whether the stream is being captured. To ask harms no capture.
// The caller holds the stream open.
func (s *Stream) captured() (bool, error) {
	graphs, ok := s.dev.raw.(api.Graphs)
	if !ok {
		return false, nil
	}
	status, _, err := graphs.StreamCapture(s.raw)
	return status != CaptureNone, err
}

// notCaptured refuses a stream that is being captured. The caller holds the
// stream open.
func (s *Stream) notCaptured(call string) error {
	captured, err := s.captured()
	if err != nil {
		return fmt.Errorf("%s: ask whether %v is being captured: %w", call, s, err)
	}
	if captured {
		return s.capturedError(call)
	}
	return nil
}

func (s *Stream) capturedError(call string) error {
	return fmt.Errorf("%s: %v is being captured, end the capture first (Stream.EndCapture): %w", call, s, ErrCapture)
}
