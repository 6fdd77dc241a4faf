package driver_test

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// begin captures s. The case keeps its thread, on which the capture must end,
// and a capture that the case leaves open ends with it: in global mode it would
// break what comes after.
func (b *bench) begin(s *driver.Stream, mode driver.CaptureMode) {
	offers[api.Graphs](b, "stream capture")
	runtime.LockOSThread()
	b.Cleanup(runtime.UnlockOSThread)
	b.ok(s.BeginCapture(mode))
	b.Cleanup(func() {
		if status, _, err := s.CaptureStatus(); err != nil || status == driver.CaptureNone {
			return
		}
		if g, err := s.EndCapture(); err == nil {
			b.ok(g.Close())
		}
	})
}

// end ends a capture that went well.
func (b *bench) end(s *driver.Stream) *driver.GraphExec {
	g, err := s.EndCapture()
	b.ok(err)
	exec, err := g.Instantiate()
	b.ok(err)
	b.ok(g.Close())
	b.Cleanup(func() { b.ok(exec.Close()) })
	return exec
}

// discard ends a capture that went well, for what was recorded is of no interest.
func (b *bench) discard(s *driver.Stream) {
	g, err := s.EndCapture()
	b.ok(err)
	b.ok(g.Close())
}

// endFails ends a capture that something went wrong with.
func (b *bench) endFails(s *driver.Stream, code int) {
	g, err := s.EndCapture()
	if err == nil {
		b.ok(g.Close())
	}
	b.fails(err, code)
	b.status(s, driver.CaptureNone)
}

// status checks the state of a stream, and returns the capture's ID.
func (b *bench) status(s *driver.Stream, want driver.CaptureStatus) uint64 {
	got, id, err := s.CaptureStatus()
	b.ok(err)
	if got != want {
		b.Fatalf("the capture status of %v is %d, want %d", s, got, want)
	}
	return id
}

// harmless is the case that a call on another thread does not disturb a capture,
// harmful that it fails and invalidates it. The call gets what it needs before
// the capture begins.
func harmless(mode driver.CaptureMode, prepare func(*bench) func() error) func(*bench) {
	return func(b *bench) {
		s, call := b.stream(), prepare(b)
		b.begin(s, mode)
		b.ok(elsewhere(call))
		b.status(s, driver.CaptureActive)
		b.discard(s)
	}
}

func harmful(mode driver.CaptureMode, prepare func(*bench) func() error) func(*bench) {
	return func(b *bench) {
		s, call := b.stream(), prepare(b)
		b.begin(s, mode)
		b.fails(elsewhere(call), api.CodeCaptureUnsupported)
		b.status(s, driver.CaptureInvalidated)
		b.endFails(s, api.CodeCaptureInvalidated)
	}
}

// relaxed is a call with its thread's capture mode exchanged for the relaxed one.
func relaxed(prepare func(*bench) func() error) func(*bench) func() error {
	return func(b *bench) func() error {
		g, call := offers[api.Graphs](b, "stream capture"), prepare(b)
		return func() error { return g.WithCaptureMode(api.CaptureRelaxed, call) }
	}
}

// Calls that people make while somebody else captures a stream.

func anEventQuery(b *bench) func() error {
	e := b.event()
	return func() error {
		_, err := e.Query()
		return err
	}
}

func aStreamQuery(b *bench) func() error {
	s := b.stream()
	return func() error {
		_, err := s.Query()
		return err
	}
}

func aStreamSynchronize(b *bench) func() error { return b.stream().Synchronize }

func anEventRecord(b *bench) func() error {
	s, e := b.stream(), b.event()
	return func() error { return e.Record(s) }
}

func aMemAlloc(b *bench) func() error {
	return func() error {
		p, err := b.dev.MemAlloc(kib)
		if err == nil {
			b.Cleanup(func() { b.ok(b.dev.MemFree(p)) })
		}
		return err
	}
}

func aPoolAllocation(b *bench) func() error {
	s, pool := b.stream(), b.pool(0)
	return func() error {
		p, err := pool.MemAllocAsync(kib, s)
		if err == nil {
			b.Cleanup(func() { b.ok(s.MemFreeAsync(p)) })
		}
		return err
	}
}

func aMemCreate(b *bench) func() error {
	n := b.piece()
	return func() error {
		h, err := b.dev.MemCreate(n, driver.HandleNone)
		if err == nil {
			b.Cleanup(func() { b.ok(h.Release()) })
		}
		return err
	}
}
