package sim_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func (r *rig) free() int {
	free, total, err := r.MemInfo()
	require.NoError(r.t, err)
	require.LessOrEqual(r.t, free, total)
	return free
}

func TestCapacity(t *testing.T) {
	r := newRig(t, sim.Config{MemoryPerDevice: 10 * mib, UsedByOthers: 2 * mib})
	require.Equal(t, 8*mib, r.free())
	require.Equal(t, 10*mib, r.Info().TotalMemory)
	p, err := r.MemAlloc(5 * mib)
	require.NoError(t, err)
	require.Equal(t, 2*mib, r.free(), "device memory is taken in units of 2 MiB")
	_, err = r.MemAlloc(3 * mib)
	code(t, api.CodeOutOfMemory, "3145728 bytes asked, 2097152 of 10485760 free", err)
	require.ErrorIs(t, err, api.ErrOutOfMemory)
	small := r.alloc(100)
	require.Zero(t, r.free())
	r.alloc(100) // shares the last 2 MiB
	require.NoError(t, r.MemFree(p))
	require.Equal(t, 6*mib, r.free())
	require.Zero(t, small%512)
}

func TestHugeRequestsAreOutOfMemory(t *testing.T) {
	r := newRig(t, sim.Config{})
	for _, size := range []int{sim.DefaultMemory + 1, 1 << 50, 1<<63 - 1} {
		_, err := r.MemAlloc(size)
		require.ErrorIs(t, err, api.ErrOutOfMemory)
		_, err = r.MemAllocAsync(size, 0)
		require.ErrorIs(t, err, api.ErrOutOfMemory)
	}
	for _, size := range []int{1 << 48, 1<<63 - 1} {
		_, err := r.MemAllocManaged(size)
		require.ErrorIs(t, err, api.ErrOutOfMemory)
		_, err = r.MemHostAlloc(size, 0)
		require.ErrorIs(t, err, api.ErrOutOfMemory)
	}
}

func TestAllocatingNothingIsInvalid(t *testing.T) {
	r := newRig(t, sim.Config{})
	calls := []func(int) (api.Ptr, error){
		r.MemAlloc, r.MemAllocManaged,
		func(n int) (api.Ptr, error) { return r.MemHostAlloc(n, 0) },
	}
	for _, alloc := range calls {
		for _, size := range []int{0, -1} {
			_, err := alloc(size)
			code(t, api.CodeInvalidValue, "must be positive", err)
		}
	}
	_, err := r.MemHostAlloc(1, 64)
	code(t, api.CodeInvalidValue, "flags", err)
	_, err = r.MemAllocAsync(-1, 0)
	code(t, api.CodeInvalidValue, "must be positive", err)
}

// TestNothingIsAllocatedAndFreed: the stream-ordered calls take the size 0, and
// every free takes the nil address.
func TestNothingIsAllocatedAndFreed(t *testing.T) {
	r := newRig(t, sim.Config{})
	pool := r.defaultPool()
	p, err := r.MemAllocAsync(0, 0)
	require.NoError(t, err)
	q, err := r.MemAllocFromPoolAsync(0, pool, 0)
	require.NoError(t, err)
	require.Zero(t, p+q)
	require.Zero(t, r.get(pool, api.PoolReservedCurrent))
	require.NoError(t, r.MemFreeAsync(0, 0))
	require.NoError(t, r.MemFree(0))
	require.NoError(t, r.MemHostFree(0))
}

func TestFreeRefusesWhatIsNotAnAllocation(t *testing.T) {
	r := newRig(t, sim.Config{})
	p := r.alloc(kib)
	pinned, _ := r.pinned(kib)
	freed, err := r.MemAlloc(64)
	require.NoError(t, err)
	require.NoError(t, r.MemFree(freed))
	for name, err := range map[string]error{
		"inside": r.MemFree(p + 1), "pinned": r.MemFree(pinned), "double": r.MemFree(freed),
		"device as host": r.MemHostFree(p), "async inside": r.MemFreeAsync(p+512, 0), "async pinned": r.MemFreeAsync(pinned, 0),
		"beyond all devices": r.MemFree(1 << 45),
	} {
		t.Run(name, func(t *testing.T) { code(t, api.CodeInvalidValue, "freed before", err) })
	}
}

func TestAddressesAreReusedSoon(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.alloc(100) // keeps the shared 2 MiB in use
	for _, size := range []int{100, 5000, mib, 100 * mib} {
		first, err := r.MemAlloc(size)
		require.NoError(t, err)
		require.NoError(t, r.MemFree(first))
		second, err := r.MemAlloc(size)
		require.NoError(t, err)
		require.Equal(t, first, second)
		require.NoError(t, r.MemFree(second))
	}
}

func TestMemFreeWaitsForTheDevice(t *testing.T) {
	for name, alloc := range map[string]func(*rig) (api.Ptr, func(api.Ptr) error){
		"device":  func(r *rig) (api.Ptr, func(api.Ptr) error) { p, _ := r.MemAlloc(kib); return p, r.MemFree },
		"managed": func(r *rig) (api.Ptr, func(api.Ptr) error) { p, _ := r.MemAllocManaged(kib); return p, r.MemFree },
		"pinned":  func(r *rig) (api.Ptr, func(api.Ptr) error) { p, _ := r.MemHostAlloc(kib, 0); return p, r.MemHostFree },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sim.Config{})
			s := r.stream(api.StreamNonBlocking)
			p, free := alloc(r)
			var ran atomic.Bool
			release := r.hold(s)
			require.NoError(t, r.LaunchHostFunc(s, func() { ran.Store(true) }))
			freed := make(chan error)
			go func() {
				err := free(p)
				if !ran.Load() {
					t.Error("freed before the device was idle")
				}
				freed <- err
			}()
			require.Eventually(t, func() bool {
				info, err := r.PointerInfo(p)
				return err == nil && info.Type == api.MemoryUnregistered
			}, waitLimit, pollEvery, "the address is invalid from the beginning of the call")
			release()
			require.NoError(t, <-freed)
		})
	}
}

func TestPointerInfo(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	p, far := r.alloc(1000), r.on(1).alloc(3*mib)
	pinned, _ := r.on(1).pinned(77)
	managed, err := r.MemAllocManaged(5000)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.MemFree(managed)) }()
	local := 0
	for _, c := range []struct {
		at   api.Ptr
		want api.PointerInfo
	}{
		{p, api.PointerInfo{Type: api.MemoryDevice, Base: p, Size: 1000}},
		{p + 999, api.PointerInfo{Type: api.MemoryDevice, Base: p, Size: 1000}},
		{p + 1000, api.PointerInfo{Device: -1}},
		{far + 2*mib, api.PointerInfo{Type: api.MemoryDevice, Device: 1, Base: far, Size: 3 * mib}},
		{pinned + 76, api.PointerInfo{Type: api.MemoryHost, Device: 1, Base: pinned, Size: 77}},
		{managed + 1, api.PointerInfo{Type: api.MemoryManaged, Base: managed, Size: 5000}},
		{api.Ptr(addressOf(&local)), api.PointerInfo{Device: -1}},
		{0, api.PointerInfo{Device: -1}},
	} {
		got, err := r.PointerInfo(c.at)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "at %v", c.at)
	}
}

// TestMemoryIsCommittedWhenTouched takes far more than a test machine has.
func TestMemoryIsCommittedWhenTouched(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows counts reserved memory against the commit limit")
	}
	r := newRig(t, sim.Config{Devices: 8})
	const size = 256 << 30
	managed, err := r.MemAllocManaged(size)
	require.NoError(t, err)
	view(managed, size)[size-1] = 7
	require.NoError(t, r.MemFree(managed))
	for i := range 8 {
		d := r.on(i)
		p := d.alloc(140 * 1000 * 1000 * 1000)
		require.NoError(t, d.Memset(p+100<<30, 5, 1, 100))
		require.Equal(t, repeated(5, 100), d.read(p+100<<30, 100, 0))
	}
}

func TestManagedMemoryCanBeSwitchedOff(t *testing.T) {
	r := newRig(t, sim.Config{Attributes: map[sim.Attribute]int{api.AttrManagedMemory: 0}})
	_, err := r.MemAllocManaged(1)
	code(t, api.CodeNotSupported, "without managed memory", err)
}

func TestPrefetch(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	p, err := r.MemAllocManaged(kib)
	require.NoError(t, err)
	code(t, api.CodeInvalidDevice, "0 to 1", r.PrefetchAsync(p, kib, 2, 0))
	code(t, api.CodeInvalidValue, "managed", r.PrefetchAsync(p, kib+1, 0, 0))
	code(t, api.CodeInvalidValue, "managed", r.PrefetchAsync(r.alloc(kib), kib, 0, 0))
	code(t, api.CodeInvalidHandle, "not a stream", r.PrefetchAsync(p, kib, 0, 77))
	require.NoError(t, r.MemFree(p))
}

// TestAllocationsNeverOverlap compares the machine with a simple model under
// random allocations and frees of all kinds.
func TestAllocationsNeverOverlap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, sim.Config{MemoryPerDevice: 256 * mib})
		s, err := r.StreamCreate(api.StreamNonBlocking, 0)
		require.NoError(rt, err)
		allocs := []func(int) (api.Ptr, error){
			r.MemAlloc, r.MemAllocManaged,
			func(n int) (api.Ptr, error) { return r.MemHostAlloc(n, 0) },
			func(n int) (api.Ptr, error) { return r.MemAllocAsync(n, s) },
		}
		frees := []func(api.Ptr) error{r.MemFree, r.MemFree, r.MemHostFree, func(p api.Ptr) error { return r.MemFreeAsync(p, s) }}
		type span struct {
			p          api.Ptr
			size, kind int
		}
		var live []span
		drop := func(i int) {
			require.NoError(rt, frees[live[i].kind](live[i].p))
			live = append(live[:i], live[i+1:]...)
		}
		for range rapid.IntRange(1, 300).Draw(rt, "steps") {
			if len(live) > 0 && rapid.Bool().Draw(rt, "free") {
				drop(rapid.IntRange(0, len(live)-1).Draw(rt, "which"))
				continue
			}
			size := 1 << rapid.IntRange(0, 22).Draw(rt, "magnitude")
			size += rapid.IntRange(0, size).Draw(rt, "more")
			kind := rapid.IntRange(0, len(allocs)-1).Draw(rt, "kind")
			p, err := allocs[kind](size)
			if err != nil {
				require.ErrorIs(rt, err, api.ErrOutOfMemory)
				continue
			}
			require.Zero(rt, p%512)
			for _, o := range live {
				require.False(rt, p < o.p+api.Ptr(o.size) && o.p < p+api.Ptr(size), "%v+%d overlaps %v+%d", p, size, o.p, o.size)
			}
			live = append(live, span{p, size, kind})
			probe := live[rapid.IntRange(0, len(live)-1).Draw(rt, "probe")]
			info, err := r.PointerInfo(probe.p + api.Ptr(probe.size-1))
			require.NoError(rt, err)
			require.Equal(rt, probe.p, info.Base)
			require.Equal(rt, probe.size, info.Size)
		}
		for len(live) > 0 {
			drop(0)
		}
		require.NoError(rt, r.StreamSynchronize(s))
		require.NoError(rt, r.StreamDestroy(s))
		require.Equal(rt, 256*mib, r.free(), "everything merged and given back")
	})
}
