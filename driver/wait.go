package driver

import (
	"context"
	"errors"
)

// Wait blocks until the work that the event last recorded is complete, or ctx
// ends (ctx.Err(); the work itself goes on). Unlike Synchronize it holds no OS
// thread, so that thousands of goroutines can wait, and it harms no capture of a
// graph. Waits of up to 5 ms are answered within microseconds, longer ones
// within a few milliseconds. An event closed meanwhile is ErrClosed; one that is
// recorded anew meanwhile may be waited for until the new work is complete.
func (e *Event) Wait(ctx context.Context) error {
	const call = "Event.Wait"
	if ctx == nil {
		return nilContext(call)
	}
	if err := e.enter(call); err != nil {
		return err
	}
	e.gate.leave() // Close does not wait for the waiters: it ends their waits
	return e.dev.poller.wait(ctx, e)
}

// Wait blocks until all work enqueued on the stream so far is complete, or ctx
// ends; see Event.Wait. A stream that is being captured is ErrCapture, without
// harm to the capture. Closing the stream does not end the wait.
func (s *Stream) Wait(ctx context.Context) error {
	const call = "Stream.Wait"
	if ctx == nil {
		return nilContext(call)
	}
	end, mark, err := s.markEnd(call)
	if err != nil {
		return err
	}
	err = s.dev.poller.wait(ctx, end)
	closeErr := end.Close()
	if err != nil {
		return err
	}
	s.host.release(mark)
	return closeErr
}

// markEnd records a new event behind all work of the stream. mark is the end of
// the Go memory that this work needs.
func (s *Stream) markEnd(call string) (end *Event, mark uint64, err error) {
	if err := s.enter(call); err != nil {
		return nil, 0, err
	}
	defer s.gate.leave()
	if err := s.notCaptured(call); err != nil {
		return nil, 0, err
	}
	mark = s.host.mark()
	end, err = s.dev.NewEvent(EventOptions{})
	if err != nil {
		return nil, 0, err
	}
	if err := s.dev.raw.EventRecord(end.raw, s.raw); err != nil {
		return nil, 0, errors.Join(err, end.Close())
	}
	return end, mark, nil
}

func nilContext(call string) error {
	return badArgument(call, "the context is nil: use context.Background()")
}
