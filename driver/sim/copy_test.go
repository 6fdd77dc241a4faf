package sim_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func numbered(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

// releaseOnceEnqueued releases a held stream as soon as the device has n
// operations, and notes that it did.
func (r *rig) releaseOnceEnqueued(n int, release func()) *atomic.Bool {
	var released atomic.Bool
	go func() {
		for r.machine.Outstanding()[0].Operations < n {
			runtime.Gosched()
		}
		released.Store(true)
		release()
	}()
	return &released
}

func TestPinnedSourceIsReadWhenTheCopyRuns(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	p := r.alloc(kib)
	_, src := r.pinned(kib)
	release := r.hold(s)
	require.NoError(t, r.MemcpyHtoDAsync(p, src, s))
	copy(src, repeated(9, kib)) // too early: the copy has not read it
	release()
	r.sync(s)
	require.Equal(t, repeated(9, kib), r.read(p, kib, s))
}

func TestSmallPageableSourceIsReadBeforeTheCallReturns(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	p := r.alloc(64 * kib)
	src := repeated(1, 64*kib)
	release := r.hold(s)
	require.NoError(t, r.MemcpyHtoDAsync(p, src, s)) // returns although the stream is held
	copy(src, repeated(2, len(src)))
	release()
	require.Equal(t, repeated(1, len(src)), r.read(p, len(src), s))
}

func TestLargePageableSourceWaitsForTheStream(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	src := numbered(64*kib + 1)
	p := r.alloc(len(src))
	released := r.releaseOnceEnqueued(2, r.hold(s))
	require.NoError(t, r.MemcpyHtoDAsync(p, src, s))
	require.True(t, released.Load())
	require.Equal(t, src, r.read(p, len(src), s))
}

func TestPageableDestinationWaitsAndPinnedDoesNot(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	p := r.alloc(kib)
	_, pinned := r.pinned(kib)
	release := r.hold(s)
	require.NoError(t, r.MemsetAsync(p, 5, 1, kib, s))
	require.NoError(t, r.MemcpyDtoHAsync(pinned, p, s))
	require.Equal(t, repeated(0, kib), pinned, "not yet")
	released := r.releaseOnceEnqueued(4, release)
	require.Equal(t, repeated(5, kib), r.read(p, kib, s))
	require.True(t, released.Load())
	require.Equal(t, repeated(5, kib), pinned)
}

func TestSynchronousCopiesAreOrderedOnTheLegacyStream(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamBlocking)
	p, q := r.alloc(kib), r.alloc(kib)
	released := r.releaseOnceEnqueued(2, r.hold(s))
	require.NoError(t, r.MemcpyHtoD(p, repeated(3, kib)))
	require.True(t, released.Load(), "waits for the blocking stream")
	require.NoError(t, r.MemcpyDtoD(q, p, kib))
	got := make([]byte, kib)
	require.NoError(t, r.MemcpyDtoH(got, q))
	require.Equal(t, repeated(3, kib), got)
}

func TestCopiesOnTheDeviceDoNotWait(t *testing.T) {
	r := newRig(t, sim.Config{})
	p, q := r.alloc(kib), r.alloc(kib)
	release := r.hold(api.StreamLegacy)
	require.NoError(t, r.Memset(p, 4, 1, kib))
	require.NoError(t, r.MemcpyDtoD(q, p, kib))
	require.False(t, r.idle(api.StreamLegacy))
	release()
	require.Equal(t, repeated(4, kib), r.read(q, kib, api.StreamLegacy))
}

func TestFillingHostMemoryWaits(t *testing.T) {
	r := newRig(t, sim.Config{})
	p, b := r.pinned(kib)
	require.NoError(t, r.Memset(p, 0x01020304, 4, kib/4))
	require.Equal(t, []byte{4, 3, 2, 1, 4, 3, 2, 1}, b[:8])
}

// TestCopiesAcrossPages moves odd amounts between odd places of every kind.
func TestCopiesAcrossPages(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	const size = 300 * kib
	data := numbered(size)
	managed, err := r.MemAllocManaged(size + 8)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.MemFree(managed)) }()
	a, b := r.alloc(size+8), r.alloc(size+8)
	require.NoError(t, r.MemcpyHtoDAsync(a+3, data, s))
	require.NoError(t, r.MemcpyDtoDAsync(managed+1, a+3, size, s))
	require.NoError(t, r.MemcpyDtoDAsync(b+5, managed+1, size, s))
	require.Equal(t, data, r.read(b+5, size, s))
	require.Equal(t, data, view(managed+1, size))
	require.Equal(t, repeated(0xA5, 5), r.read(b, 5, s), "nothing else was touched")
	require.Equal(t, repeated(0xA5, 3), r.read(b+5+size, 3, s))
}

func TestMemsetPatterns(t *testing.T) {
	r := newRig(t, sim.Config{})
	s := r.stream(api.StreamNonBlocking)
	p := r.alloc(200 * kib)
	for width, want := range map[int]string{1: "\x44", 2: "\x44\x33", 4: "\x44\x33\x22\x11"} {
		count := 150 * kib / width
		require.NoError(t, r.MemsetAsync(p+4, 0x11223344, width, count, s))
		got := r.read(p+4, 150*kib, s)
		for i, b := range got {
			require.Equal(t, want[i%width], b)
		}
	}
}

func TestPeerCopiesBetweenEightDevices(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 8})
	const size = 100 * kib
	data := numbered(size)
	at := r.alloc(size)
	require.NoError(t, r.MemcpyHtoD(at, data))
	for i := 1; i < 8; i++ {
		next := r.on(i)
		s := next.stream(api.StreamNonBlocking)
		to := next.alloc(size)
		require.NoError(t, next.MemcpyPeerAsync(to, i, at, i-1, size, s))
		next.sync(s)
		at = to
	}
	require.Equal(t, data, r.on(7).read(at, size, 0))
}

func TestPeerCopyChecksTheDevices(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	p, q := r.alloc(kib), r.on(1).alloc(kib)
	code(t, api.CodeInvalidValue, "memory of device 0, not of device 1", r.MemcpyPeerAsync(q, 1, p, 1, kib, 0))
	code(t, api.CodeInvalidDevice, "there are 2", r.MemcpyPeerAsync(q, 2, p, 0, kib, 0))
	code(t, api.CodeInvalidDevice, "there are 2", r.MemcpyPeerAsync(q, 1, p, -1, kib, 0))
}

func TestCopiesStayInsideAllocations(t *testing.T) {
	r := newRig(t, sim.Config{})
	p, q := r.alloc(1000), r.alloc(1000)
	b := make([]byte, 1001)
	outside := "do not lie in the allocation of 1000 bytes"
	code(t, api.CodeInvalidValue, outside, r.MemcpyHtoD(p, b))
	code(t, api.CodeInvalidValue, outside, r.MemcpyDtoHAsync(b, p, 0))
	code(t, api.CodeInvalidValue, outside, r.MemcpyDtoD(p, q+1, 1000))
	code(t, api.CodeInvalidValue, outside, r.MemcpyDtoD(p, q, -1))
	code(t, api.CodeInvalidValue, outside, r.Memset(p, 0, 4, 251))
	code(t, api.CodeInvalidValue, "no live allocation", r.MemcpyDtoD(p, 0, 8))
	code(t, api.CodeInvalidValue, "no live allocation", r.MemcpyHtoDAsync(p+1000, b[:8], 0))
	code(t, api.CodeInvalidValue, "no live allocation", r.Memset(1<<45-1, 0, 1, 1))
	code(t, api.CodeInvalidHandle, "not a stream", r.MemcpyDtoDAsync(p, q, 8, 99))
}

func TestMemsetRefusals(t *testing.T) {
	r := newRig(t, sim.Config{})
	p := r.alloc(1000)
	code(t, api.CodeInvalidValue, "use 1, 2 or 4", r.Memset(p, 0, 8, 1))
	code(t, api.CodeInvalidValue, "not aligned", r.MemsetAsync(p+2, 0, 4, 1, 0))
	code(t, api.CodeInvalidValue, "count", r.Memset(p, 0, 1, -1))
	code(t, api.CodeInvalidValue, "count", r.Memset(p, 0, 4, 1<<62))
}

func TestFreedGranulesForgetTheirContent(t *testing.T) {
	r := newRig(t, sim.Config{})
	p, err := r.MemAlloc(4 * mib)
	require.NoError(t, err)
	require.NoError(t, r.Memset(p, 1, 1, 4*mib))
	require.NoError(t, r.MemFree(p))
	q := r.alloc(4 * mib)
	require.Equal(t, p, q)
	require.Equal(t, repeated(0xA5, 4*mib), r.read(q, 4*mib, 0))
}
