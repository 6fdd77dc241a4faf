package driver_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
)

func TestStreamFacts(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	require.Same(t, dev, s.Device())
	require.NotZero(t, s.ID())
	require.Greater(t, s.Handle(), uintptr(2))
	require.False(t, s.Foreign())
	require.False(t, s.Closed())
	require.Contains(t, s.String(), dev.String())
	requireIdle(t, s)
	require.NoError(t, s.Synchronize())
}

func TestStreamIDsAreNeverReusedWhileHandlesAre(t *testing.T) {
	dev := drivertest.Device(t)
	handles := map[uintptr]bool{}
	reused := false
	last := dev.DefaultStream().ID()
	for range 50 {
		s, err := dev.NewStream(driver.StreamOptions{})
		require.NoError(t, err)
		require.Greater(t, s.ID(), last)
		last = s.ID()
		reused = reused || handles[s.Handle()]
		handles[s.Handle()] = true
		require.NoError(t, s.Close())
	}
	require.True(t, reused, "50 streams in a row never shared a handle: the test shows nothing")
}

func TestStreamPriorities(t *testing.T) {
	dev := drivertest.Device(t)
	least, greatest, err := dev.StreamPriorities()
	require.NoError(t, err)
	require.LessOrEqual(t, greatest, least, "lower is more urgent")
	for _, priority := range []int{least, greatest, greatest - 100, least + 100} {
		s := drivertest.StreamWith(t, dev, driver.StreamOptions{Priority: priority})
		require.NoError(t, s.Synchronize())
	}
}

func TestDefaultStream(t *testing.T) {
	dev := drivertest.Device(t)
	s := dev.DefaultStream()
	require.Same(t, s, dev.DefaultStream())
	require.EqualValues(t, 1, s.Handle())
	require.False(t, s.Foreign())
	require.Equal(t, "default stream of "+dev.String(), s.String())

	p, err := s.MemAllocAsync(kib)
	require.NoError(t, err)
	require.NoError(t, s.MemsetD8Async(p, 7, kib))
	require.Equal(t, repeated(7, kib), drivertest.Read(t, s, p, kib))
	require.NoError(t, s.MemFreeAsync(p))
}

func TestDefaultStreamCannotBeClosed(t *testing.T) {
	s := drivertest.Device(t).DefaultStream()
	require.ErrorIs(t, s.Close(), driver.ErrInvalidValue)
	require.ErrorIs(t, s.Forget(), driver.ErrInvalidValue)
	require.False(t, s.Closed())
	require.NoError(t, s.Synchronize())
}

func TestDefaultStreamsOfTwoDevices(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	a, b := devices[0].DefaultStream(), devices[1].DefaultStream()
	require.NotEqual(t, a.ID(), b.ID())
	require.Equal(t, a.Handle(), b.Handle(), "the handle alone does not tell devices apart")
	for _, dev := range devices {
		p, err := dev.DefaultStream().MemAllocAsync(kib)
		require.NoError(t, err)
		info, err := dev.PointerInfo(p)
		require.NoError(t, err)
		require.Equal(t, dev.Ordinal(), info.Device)
		require.NoError(t, dev.DefaultStream().MemFreeAsync(p))
	}
}

func TestNilStream(t *testing.T) {
	dev := drivertest.Device(t)
	e := drivertest.Event(t, dev)
	pool, err := dev.DefaultPool()
	require.NoError(t, err)
	var s *driver.Stream
	require.Equal(t, "no stream", s.String())
	for call, err := range map[string]error{
		"Query":              second(s.Query()),
		"Synchronize":        s.Synchronize(),
		"Close":              s.Close(),
		"Forget":             s.Forget(),
		"WaitEvent":          s.WaitEvent(e),
		"LaunchHostFunc":     s.LaunchHostFunc(func() {}),
		"MemAllocAsync":      second(s.MemAllocAsync(1)),
		"MemFreeAsync":       s.MemFreeAsync(256),
		"MemcpyHtoDAsync":    s.MemcpyHtoDAsync(256, nil),
		"MemsetD8Async":      s.MemsetD8Async(256, 0, 0),
		"MemcpyPeerAsync":    s.MemcpyPeerAsync(256, dev, 512, dev, 1),
		"MemPrefetchAsync":   s.MemPrefetchAsync(256, 1, dev),
		"Event.Record":       e.Record(s),
		"Pool.MemAllocAsync": second(pool.MemAllocAsync(1, s)),
	} {
		require.ErrorIs(t, err, driver.ErrInvalidValue, call)
		require.ErrorContains(t, err, "stream", call)
	}
}

func TestHostFunctionsRunInOrder(t *testing.T) {
	s := drivertest.Stream(t, drivertest.Device(t))
	var order []int // host functions of one stream never overlap
	for i := range 20 {
		require.NoError(t, s.LaunchHostFunc(func() { order = append(order, i) }))
	}
	require.NoError(t, s.Synchronize())
	require.Len(t, order, 20)
	require.IsIncreasing(t, order)
}

func TestHostFunctionSeesEarlierCopies(t *testing.T) {
	dev := drivertest.Device(t)
	s := drivertest.Stream(t, dev)
	_, view := pinnedMemory(t, dev, kib)
	p := deviceMemory(t, dev, kib)
	var seen byte
	require.NoError(t, s.MemsetD8Async(p, 0x5a, kib))
	require.NoError(t, s.MemcpyDtoHAsync(view, p))
	require.NoError(t, s.LaunchHostFunc(func() { seen = view[kib-1] }))
	require.NoError(t, s.Synchronize())
	require.EqualValues(t, 0x5a, seen)
}

func TestHostFunctionMustBeGiven(t *testing.T) {
	s := drivertest.Stream(t, drivertest.Device(t))
	require.ErrorIs(t, s.LaunchHostFunc(nil), driver.ErrInvalidValue)
}

// TestManyStreamsAtOnce makes, uses and closes streams from many goroutines.
func TestManyStreamsAtOnce(t *testing.T) {
	dev := drivertest.Device(t)
	var mu sync.Mutex
	ids := map[uint64]bool{}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 20 {
				s, err := dev.NewStream(driver.StreamOptions{})
				if err != nil {
					t.Errorf("make a stream: %v", err)
					return
				}
				mu.Lock()
				if ids[s.ID()] {
					t.Errorf("two streams have ID %d", s.ID())
				}
				ids[s.ID()] = true
				mu.Unlock()
				runtime.Gosched()
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
	all.Wait()
	require.Len(t, ids, 16*20)
}
