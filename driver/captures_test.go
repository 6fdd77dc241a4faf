package driver

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// capturing begins a capture on a new stream.
func capturing(t *testing.T, dev *Device) *Stream {
	t.Helper()
	s := ownStream(t, dev)
	require.NoError(t, s.BeginCapture(CaptureRelaxed))
	return s
}

func TestCaptureModesAreCUDAs(t *testing.T) {
	for mode, want := range map[CaptureMode]api.CaptureMode{
		CaptureRelaxed: api.CaptureRelaxed, CaptureThreadLocal: api.CaptureThreadLocal, CaptureGlobal: api.CaptureGlobal,
	} {
		fake, dev := newFake()
		require.NoError(t, ownStream(t, dev).BeginCapture(mode))
		require.Equal(t, want, fake.mode)
	}
	fake, dev := newFake()
	for _, mode := range []CaptureMode{-1, 3} {
		err := ownStream(t, dev).BeginCapture(mode)
		require.ErrorIs(t, err, ErrInvalidValue)
		require.ErrorContains(t, err, "use CaptureRelaxed, CaptureThreadLocal or CaptureGlobal")
	}
	require.Zero(t, fake.count("StreamBeginCapture"))
}

// TestCapturingStreamRefusesToBeWaitedForOrClosed: each would put an event into
// the graph that never completes.
func TestCapturingStreamRefusesToBeWaitedForOrClosed(t *testing.T) {
	fake, dev := newFake()
	s := capturing(t, dev)
	for call, f := range map[string]func() error{
		"Stream.Wait":  func() error { return s.Wait(t.Context()) },
		"Stream.Close": s.Close,
	} {
		err := f()
		require.ErrorIs(t, err, ErrCapture, call)
		require.ErrorContains(t, err, call+": "+s.String())
		require.ErrorContains(t, err, "Stream.EndCapture")
	}
	require.Zero(t, fake.count("EventRecord"))
	require.False(t, s.Closed())
	status, id, err := s.CaptureStatus()
	require.NoError(t, err)
	require.Equal(t, CaptureActive, status)
	require.NotZero(t, id)

	g, err := s.EndCapture()
	require.NoError(t, err)
	require.NoError(t, g.Close())
	require.NoError(t, s.Wait(t.Context()))
	require.NoError(t, s.Close())
}

// TestStreamThatCannotBeAskedCanBeClosed: after a fault every call fails.
func TestStreamThatCannotBeAskedCanBeClosed(t *testing.T) {
	fake, dev := newFake()
	s := ownStream(t, dev)
	fake.fail("StreamCapture", errors.New("fault"))
	require.ErrorContains(t, s.Wait(t.Context()), "ask whether "+s.String())
	require.NoError(t, s.Close())
}

// TestCopiesAskNoStreamThatIsCaptured: neither its own, nor, unless relaxed, any
// other one while somebody captures in global mode.
func TestCopiesAskNoStreamThatIsCaptured(t *testing.T) {
	fake, dev := newFake()
	other, s := ownStream(t, dev), capturing(t, dev)
	for range 2 * holdCount {
		require.NoError(t, other.MemcpyHtoDAsync(256, make([]byte, 8)))
		require.NoError(t, s.MemcpyHtoDAsync(256, make([]byte, 8)))
	}
	require.Positive(t, fake.count("StreamQuery"))
	require.LessOrEqual(t, len(other.host.refs), holdCount)
	require.Equal(t, api.CaptureActive, fake.capture)
}

// TestForeignCaptureIsNotAsked: the same for a capture that other code began.
func TestForeignCaptureIsNotAsked(t *testing.T) {
	fake, dev := newFake()
	s := ownStream(t, dev)
	require.NoError(t, fake.StreamBeginCapture(s.raw, api.CaptureGlobal))
	for range 2 * holdCount {
		require.NoError(t, s.MemcpyHtoDAsync(256, make([]byte, 8)))
	}
	require.Zero(t, fake.count("StreamQuery"))
	require.Len(t, s.host.refs, 2*holdCount)
}

// TestClosingAStreamHarmsNoCapture: it asks whether the closing events of others
// are complete.
func TestClosingAStreamHarmsNoCapture(t *testing.T) {
	fake, dev := newFake()
	fake.setPending(true)
	require.NoError(t, ownStream(t, dev).Close())
	capturing(t, dev)
	closed := ownStream(t, dev)
	require.NoError(t, closed.Close())
	require.NoError(t, closed.MemFreeAsync(256))
	require.Positive(t, fake.count("EventQuery"))
	require.Equal(t, api.CaptureActive, fake.capture)
}

// TestMemoryOfCapturedCopiesLivesWithTheGraph: a graph copies from the same Go
// memory at every launch, long after the stream was synchronised.
func TestMemoryOfCapturedCopiesLivesWithTheGraph(t *testing.T) {
	_, dev := newFake()
	s := capturing(t, dev)
	source := make([]byte, 8)
	require.NoError(t, s.MemcpyHtoDAsync(256, source))
	exec := instantiated(t, s)
	require.NoError(t, s.Synchronize())
	require.Empty(t, s.host.refs)
	require.Same(t, &source[0], &exec.memory[0][0])

	require.NoError(t, exec.Launch(s))
	require.NoError(t, exec.Close())
	require.Nil(t, exec.memory)
	require.Len(t, s.host.refs, 1, "the launch may be under way")
	require.NoError(t, s.Synchronize())
	require.Empty(t, s.host.refs)
	require.True(t, dev.drv.captures.none())
}

// TestMemoryOfACapturedLaunchLivesWithTheOuterGraph, whatever becomes of the
// inner one.
func TestMemoryOfACapturedLaunchLivesWithTheOuterGraph(t *testing.T) {
	_, dev := newFake()
	s := capturing(t, dev)
	source := make([]byte, 8)
	require.NoError(t, s.MemcpyHtoDAsync(256, source))
	inner := instantiated(t, s)
	require.NoError(t, s.BeginCapture(CaptureRelaxed))
	require.NoError(t, inner.Launch(s))
	require.NoError(t, inner.Close())
	require.Same(t, &source[0], &instantiated(t, s).memory[0][0])
	require.Empty(t, s.host.refs)
}

// instantiated ends a capture.
func instantiated(t *testing.T, s *Stream) *GraphExec {
	t.Helper()
	g, err := s.EndCapture()
	require.NoError(t, err)
	exec, err := g.Instantiate()
	require.NoError(t, err)
	require.NoError(t, g.Close())
	require.Nil(t, g.memory)
	return exec
}

// TestLaunchesOfOneGraphDoNotPileUp on a stream that is only ever fed.
func TestLaunchesOfOneGraphDoNotPileUp(t *testing.T) {
	fake, dev := newFake()
	s := capturing(t, dev)
	require.NoError(t, s.MemcpyHtoDAsync(256, make([]byte, holdBytes)))
	exec := instantiated(t, s)
	for range 10 * holdCount {
		require.NoError(t, exec.Launch(s))
		require.LessOrEqual(t, len(s.host.refs), holdCount)
	}
	require.Less(t, fake.count("StreamQuery"), 20, "a launch costs no query as a rule")
}

func TestInvalidatedCaptureKeepsNothing(t *testing.T) {
	fake, dev := newFake()
	s := capturing(t, dev)
	require.NoError(t, s.MemcpyHtoDAsync(256, make([]byte, 8)))
	fake.fail("StreamEndCapture", &api.Error{Call: "cuStreamEndCapture", Code: api.CodeCaptureInvalidated})
	require.ErrorIs(t, second(s.EndCapture()), ErrCapture)
	require.True(t, dev.drv.captures.none())
	require.NoError(t, s.Close())
	require.NoError(t, dev.drv.Close(), "no graph came to be")
}

// TestCaptureEndedOnTheWrongStreamGoesOn, and its memory stays held.
func TestCaptureEndedOnTheWrongStreamGoesOn(t *testing.T) {
	fake, dev := newFake()
	s := capturing(t, dev)
	require.NoError(t, s.MemcpyHtoDAsync(256, make([]byte, 8)))
	unmatched := &api.Error{Call: "cuStreamEndCapture", Code: api.CodeCaptureUnmatched}
	fake.fail("StreamEndCapture", unmatched)
	fake.act("StreamEndCapture", func() { fake.captured, fake.capture = s.raw, api.CaptureActive })
	require.ErrorIs(t, second(s.EndCapture()), ErrCapture)

	fake.fail("StreamEndCapture", nil)
	g, err := s.EndCapture()
	require.NoError(t, err)
	require.Len(t, g.memory, 1)
}

// TestCaptureThatCannotBeFollowedIsAbandoned rather than left behind.
func TestCaptureThatCannotBeFollowedIsAbandoned(t *testing.T) {
	fake, dev := newFake()
	s := ownStream(t, dev)
	fake.fail("StreamCapture", errors.New("no answer"))
	require.ErrorContains(t, s.BeginCapture(CaptureRelaxed), "no answer")
	require.Equal(t, 1, fake.count("StreamEndCapture"))
	require.Equal(t, 1, fake.count("GraphDestroy"))
}

func TestGraphsStayOnTheirDevice(t *testing.T) {
	fake, dev := newFake()
	_, elsewhere := newFake()
	g, err := capturing(t, dev).EndCapture()
	require.NoError(t, err)
	exec, err := g.Instantiate()
	require.NoError(t, err)
	require.ErrorIs(t, exec.Launch(ownStream(t, elsewhere)), ErrWrongDevice)
	closed := ownStream(t, dev)
	require.NoError(t, closed.Close())
	require.ErrorIs(t, exec.Launch(closed), ErrStreamClosed)
	require.Zero(t, fake.count("GraphLaunch"))
}
