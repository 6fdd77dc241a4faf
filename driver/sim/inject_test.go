package sim_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func TestTheNthCallFails(t *testing.T) {
	r := newRig(t, sim.Config{})
	s, e := r.stream(0), r.event(0)
	fault := r.machine.Fail(sim.Fault{Call: "cuEventRecord", Nth: 3, Code: api.CodeLaunchTimeout})
	for i := 1; i <= 5; i++ {
		err := r.EventRecord(e, s)
		if i != 3 {
			require.NoError(t, err)
			continue
		}
		code(t, api.CodeLaunchTimeout, "cuEventRecord", err)
		require.ErrorIs(t, err, api.ErrFault)
	}
	require.Equal(t, []string{"cuEventRecord"}, fault.Failed())
	fault.Remove()
}

// TestAFailedCallHasNoEffect: what the test gets as an error must not leak.
func TestAFailedCallHasNoEffect(t *testing.T) {
	r := newRig(t, sim.Config{})
	fault := r.machine.Fail(sim.Fault{})
	_, err := r.MemAlloc(1024)
	code(t, api.CodeOutOfMemory, "Machine.Fail", err)
	_, err = r.StreamCreate(0, 0)
	code(t, api.CodeOutOfMemory, "cuStreamCreateWithPriority", err)
	require.Equal(t, sim.Outstanding{}, r.machine.Outstanding()[0])
	fault.Remove()
	fault.Remove()
	r.alloc(1024)
	require.Len(t, fault.Failed(), 2)
}

func TestFaultsByCondition(t *testing.T) {
	r := newRig(t, sim.Config{})
	fault := r.machine.Fail(sim.Fault{When: func(call string) bool { return strings.HasPrefix(call, "cuMemAlloc") }, Nth: 2})
	r.alloc(1024)
	_, err := r.MemAllocManaged(1024)
	code(t, api.CodeOutOfMemory, "cuMemAllocManaged", err)
	require.Equal(t, []string{"cuMemAllocManaged"}, fault.Failed())
	r.alloc(1024)
}

func TestTheFirstOfSeveralFaultsDecides(t *testing.T) {
	r := newRig(t, sim.Config{})
	first := r.machine.Fail(sim.Fault{Call: "cuMemGetInfo_v2", Code: 1})
	second := r.machine.Fail(sim.Fault{Call: "cuMemGetInfo_v2", Code: 4})
	_, _, err := r.MemInfo()
	code(t, 1, "cuMemGetInfo_v2", err)
	first.Remove()
	_, _, err = r.MemInfo()
	code(t, 4, "cuMemGetInfo_v2", err)
	second.Remove()
	require.Empty(t, second.Failed()[1:])
}

func TestAnUnknownCodeHasAName(t *testing.T) {
	r := newRig(t, sim.Config{})
	defer r.machine.Fail(sim.Fault{Call: "cuCtxSynchronize", Code: 4242}).Remove()
	code(t, 4242, "CUDA_ERROR_4242", r.Synchronize())
}

func TestFaultsUnderConcurrentCalls(t *testing.T) {
	r := newRig(t, sim.Config{})
	before := r.machine.Calls()
	fault := r.machine.Fail(sim.Fault{Call: "cuMemGetInfo_v2", Nth: 500})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 250 {
				_, _, _ = r.MemInfo()
				r.machine.Fail(sim.Fault{Call: "none"}).Remove()
			}
		})
	}
	wg.Wait()
	require.Len(t, fault.Failed(), 1)
	require.Equal(t, 1000, r.machine.Calls()-before)
}

func TestSetCapacity(t *testing.T) {
	r := newRig(t, sim.Config{MemoryPerDevice: 64 * mib})
	r.alloc(32 * mib)
	require.NoError(t, r.machine.SetCapacity(0, 16*mib))
	free, total, err := r.MemInfo()
	require.NoError(t, err)
	require.Zero(t, free)
	require.Equal(t, 64*mib, total)
	_, err = r.MemAlloc(1)
	code(t, api.CodeOutOfMemory, "0 of 67108864 free", err)

	require.NoError(t, r.machine.SetCapacity(0, 34*mib))
	r.alloc(2 * mib)
	_, err = r.MemAlloc(1)
	code(t, api.CodeOutOfMemory, "", err)

	require.ErrorContains(t, r.machine.SetCapacity(1, 0), "DeviceCount")
	require.ErrorContains(t, r.machine.SetCapacity(0, -1), "between 0")
	require.ErrorContains(t, r.machine.SetCapacity(0, 65*mib), "between 0")
}

func TestStall(t *testing.T) {
	r := newRig(t, sim.Config{})
	slow, other := r.stream(api.StreamNonBlocking), r.stream(api.StreamNonBlocking)
	p := r.alloc(16)
	release, err := r.machine.Stall(0, uintptr(slow))
	require.NoError(t, err)
	require.NoError(t, r.MemsetAsync(p, 1, 1, 8, slow))
	require.NoError(t, r.MemsetAsync(p+8, 2, 1, 8, other))
	r.sync(other)
	require.False(t, r.idle(slow))
	release()
	release()
	r.sync(slow)
	require.Equal(t, append(repeated(1, 8), repeated(2, 8)...), r.read(p, 16, slow))

	_, err = r.machine.Stall(1, uintptr(slow))
	code(t, api.CodeInvalidDevice, "device 1", err)
	_, err = r.machine.Stall(0, 12345)
	code(t, api.CodeInvalidHandle, "0x3039", err)
}

// TestCloseEndsStalls: a test that ends early must not hang.
func TestCloseEndsStalls(t *testing.T) {
	m, err := sim.New(sim.Config{})
	require.NoError(t, err)
	d, err := m.Device(0)
	require.NoError(t, err)
	release, err := m.Stall(0, uintptr(api.StreamLegacy))
	require.NoError(t, err)
	ran := false
	require.NoError(t, d.LaunchHostFunc(api.StreamLegacy, func() { ran = true }))
	require.NoError(t, m.Close())
	require.True(t, ran)
	release()
	require.Zero(t, m.Outstanding()[0].Operations)
}
