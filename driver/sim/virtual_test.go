package sim_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

const piece = 2 * mib // the granularity

// vm is the virtual memory management of a rig's device.
type vm struct {
	*rig
	api.VirtualMemory
}

func newVM(r *rig) vm { return vm{r, r.Device.(api.VirtualMemory)} }

// reserve reserves pieces of addresses for the length of the test.
func (v vm) reserve(pieces int) api.Ptr {
	p, err := v.MemAddressReserve(pieces*piece, 0)
	require.NoError(v.t, err)
	v.t.Cleanup(func() { require.NoError(v.t, v.MemAddressFree(p, pieces*piece)) })
	return p
}

func (v vm) create(pieces int, handles api.HandleType) api.MemHandle {
	h, err := v.MemCreate(pieces*piece, handles)
	require.NoError(v.t, err)
	return h
}

// mapAt maps memory readable and writable for the length of the test or until
// unmap is called.
func (v vm) mapAt(p api.Ptr, pieces int, h api.MemHandle) (unmap func()) {
	require.NoError(v.t, v.MemMap(p, pieces*piece, 0, h))
	require.NoError(v.t, v.MemSetAccess(p, pieces*piece, v.Info().Ordinal, api.AccessReadWrite))
	mapped := true
	unmap = func() {
		if mapped {
			mapped = false
			require.NoError(v.t, v.MemUnmap(p, pieces*piece))
		}
	}
	v.t.Cleanup(unmap)
	return unmap
}

func TestGranularity(t *testing.T) {
	g, err := newVM(newRig(t, sim.Config{})).MemGranularity(true, api.HandlePosixFD|api.HandleFabric)
	require.NoError(t, err)
	require.Equal(t, piece, g)

	v := newVM(newRig(t, sim.Config{Granularity: 4 * mib}))
	g, err = v.MemGranularity(false, api.HandleNone)
	require.NoError(t, err)
	require.Equal(t, 4*mib, g)
	_, err = v.MemCreate(2*mib, 0)
	code(t, api.CodeInvalidValue, "multiple of the granularity, 4194304", err)
	_, err = v.MemGranularity(true, api.HandleWin32)
	code(t, api.CodeNotSupported, "1 (a file descriptor) and 8 (fabric)", err)

	for _, bad := range []int{-1, 1 * mib, 3 * mib} {
		_, err := sim.New(sim.Config{Granularity: bad})
		require.ErrorContains(t, err, "Config.Granularity")
	}
}

func TestDataFollowsPhysicalMemory(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	s := v.stream(api.StreamNonBlocking)
	p := v.reserve(2)
	h := v.create(1, 0)
	unmap := v.mapAt(p, 1, h)
	data := bytes.Repeat([]byte("moves "), 30_000) // more than a page
	require.NoError(t, v.MemcpyHtoDAsync(p+100, data, s))
	unmap()
	v.mapAt(p+piece, 1, h)
	require.NoError(t, v.MemRelease(h), "the mapping keeps the memory")
	require.Equal(t, data, v.read(p+piece+100, len(data), s))
}

func TestOneCopySpansMappings(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	s := v.stream(0)
	p := v.reserve(3)
	second, first := v.create(1, 0), v.create(2, 0)
	v.mapAt(p, 2, first)
	v.mapAt(p+2*piece, 1, second)
	require.NoError(t, v.MemRelease(first))
	require.NoError(t, v.MemRelease(second))
	data := repeated(7, 2*piece)
	data[0], data[len(data)-1] = 1, 2
	require.NoError(t, v.MemcpyHtoDAsync(p+piece, data, s))
	require.Equal(t, data, v.read(p+piece, len(data), s))
	require.NoError(t, v.MemsetAsync(p+2*piece-8, 0x01020304, 4, 4, s))
	require.Equal(t, bytes.Repeat([]byte{4, 3, 2, 1}, 4), v.read(p+2*piece-8, 16, s))
}

func TestTwoAddressesOfOneMemory(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	p := v.reserve(2)
	h := v.create(1, 0)
	v.mapAt(p, 1, h)
	v.mapAt(p+piece, 1, h)
	require.NoError(t, v.MemRelease(h))
	require.NoError(t, v.MemcpyHtoD(p, []byte("alias")))
	require.Equal(t, []byte("alias"), v.read(p+piece, 5, 0))
}

func TestPhysicalMemoryCountsAgainstTheDevice(t *testing.T) {
	v := newVM(newRig(t, sim.Config{MemoryPerDevice: 8 * mib}))
	before := v.free()
	p := v.reserve(2)
	h := v.create(2, 0)
	require.Equal(t, before-2*piece, v.free())
	_, err := v.MemCreate(4*piece, 0)
	code(t, api.CodeOutOfMemory, "free on simulated device 0", err)
	unmap := v.mapAt(p, 2, h)
	require.NoError(t, v.MemRelease(h))
	require.Equal(t, before-2*piece, v.free(), "it lives while it is mapped")
	unmap()
	require.Equal(t, before, v.free())
	code(t, api.CodeInvalidValue, "released before", v.MemRelease(h))
}

// TestPhysicalMemoryTakesWhatPoolsLeaveUnused: a pool keeps what was freed, until
// somebody else needs it.
func TestPhysicalMemoryTakesWhatPoolsLeaveUnused(t *testing.T) {
	v := newVM(newRig(t, sim.Config{MemoryPerDevice: 8 * mib}))
	pool, err := v.DefaultPool()
	require.NoError(t, err)
	require.NoError(t, v.PoolSetAttribute(pool, api.PoolReleaseThreshold, 1<<40))
	p, err := v.MemAllocAsync(6*mib, 0)
	require.NoError(t, err)
	require.NoError(t, v.MemFreeAsync(p, 0))
	v.sync(0)
	require.NoError(t, v.MemRelease(v.create(4, 0)))
}

func TestMisuseOfReservations(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	p := v.reserve(4)
	_, err := v.MemAddressReserve(piece+1, 0)
	code(t, api.CodeInvalidValue, "positive multiple", err)
	_, err = v.MemAddressReserve(piece, 3)
	code(t, api.CodeInvalidValue, "power of two", err)
	_, err = v.MemAddressReserve(1<<44+piece, 0)
	code(t, api.CodeOutOfMemory, "addresses", err)
	code(t, api.CodeInvalidValue, "are not the reservation", v.MemAddressFree(p, piece))
	code(t, api.CodeInvalidValue, "are not inside a range", v.MemAddressFree(p+4*piece, piece))

	aligned, err := v.MemAddressReserve(piece, 1<<30)
	require.NoError(t, err)
	require.Zero(t, uintptr(aligned)%(1<<30))
	require.NoError(t, v.MemAddressFree(aligned, piece))
	again, err := v.MemAddressReserve(piece, 1<<30)
	require.NoError(t, err)
	require.Equal(t, aligned, again, "addresses are handed out again")
	require.NoError(t, v.MemAddressFree(again, piece))
}

func TestMisuseOfMappings(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	p := v.reserve(4)
	h := v.create(2, 0)
	for text, err := range map[string]error{
		"is no handle":   v.MemMap(p, piece, 0, h+1),
		"whole granules": v.MemMap(p+1, piece, 0, h),
		"inside a range": v.MemMap(p+3*piece, 2*piece, 0, h),
		"without gaps":   v.MemSetAccess(p, piece, 0, api.AccessRead),
	} {
		code(t, api.CodeInvalidValue, text, err)
	}
	code(t, api.CodeNotSupported, "offset must be 0", v.MemMap(p, piece, piece, h))
	code(t, api.CodeNotSupported, "at most the memory's", v.MemMap(p, 3*piece, 0, h))
	v.mapAt(p+piece, 2, h)
	require.NoError(t, v.MemRelease(h))
	small := v.create(1, 0)
	code(t, api.CodeInvalidValue, "mapped at", v.MemMap(p+2*piece, piece, 0, small))
	require.NoError(t, v.MemRelease(small))
	code(t, api.CodeInvalidValue, "whole mappings", v.MemSetAccess(p, 3*piece, 0, api.AccessRead))
	code(t, api.CodeInvalidValue, "unmap the whole", v.MemUnmap(p+piece, piece))
	code(t, api.CodeInvalidValue, "unmap the whole", v.MemUnmap(p+2*piece, 2*piece))
	code(t, api.CodeInvalidValue, "use 0 (none), 1 (read) or 3", v.MemSetAccess(p+piece, 2*piece, 0, 2))
	code(t, api.CodeInvalidDevice, "device 1", v.MemSetAccess(p+piece, 2*piece, 1, api.AccessRead))
	code(t, api.CodeInvalidValue, "still mapped", v.MemAddressFree(p, 4*piece))
}

// TestUnmappingTakesGaps, and unmaps nothing as well as much.
func TestUnmappingTakesGaps(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	p := v.reserve(5)
	require.NoError(t, v.MemUnmap(p, 5*piece))
	before := v.free()
	for _, at := range []int{1, 3} {
		h := v.create(1, 0)
		require.NoError(t, v.MemMap(p+api.Ptr(at*piece), piece, 0, h))
		require.NoError(t, v.MemRelease(h))
	}
	require.NoError(t, v.MemUnmap(p, piece))
	require.Equal(t, before-2*piece, v.free())
	require.NoError(t, v.MemUnmap(p, 5*piece))
	require.Equal(t, before, v.free())
	require.NoError(t, v.MemUnmap(p+piece, piece))
}

func TestAccessToVirtualMemory(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	p := v.reserve(2)
	h := v.create(1, 0)
	code(t, api.CodeInvalidValue, "nothing is mapped at", v.Memset(p, 0, 1, 1))
	require.NoError(t, v.MemMap(p, piece, 0, h))
	code(t, api.CodeInvalidValue, "MemSetAccess does not let device 0", v.MemcpyHtoD(p, []byte{1}))
	require.NoError(t, v.MemSetAccess(p, piece, 0, api.AccessRead))
	require.NoError(t, v.MemcpyDtoH(make([]byte, 8), p))
	code(t, api.CodeInvalidValue, "MemSetAccess does not", v.Memset(p, 0, 1, 1))
	require.NoError(t, v.MemSetAccess(p, piece, 0, api.AccessReadWrite))
	require.NoError(t, v.Memset(p, 0, 1, piece))
	code(t, api.CodeInvalidValue, "nothing is mapped at", v.Memset(p, 0, 1, piece+1))
	code(t, api.CodeInvalidValue, "impossible", v.MemcpyDtoD(p, p, -1))
	code(t, api.CodeInvalidValue, "not the address of an allocation", v.MemFree(p))
	code(t, api.CodeInvalidValue, "not the address of an allocation", v.MemFreeAsync(p, 0))
	v.sync(0)
	require.NoError(t, v.MemUnmap(p, piece))
	require.NoError(t, v.MemRelease(h))
}

func TestPointersIntoVirtualMemory(t *testing.T) {
	v := newVM(newRig(t, sim.Config{Devices: 2}).on(1))
	p := v.reserve(3)
	h := v.create(1, 0)
	v.mapAt(p+piece, 1, h)
	require.NoError(t, v.MemRelease(h))
	info, err := v.PointerInfo(p + piece + 5)
	require.NoError(t, err)
	require.Equal(t, api.PointerInfo{Type: api.MemoryDevice, Device: 1, Base: p, Size: 3 * piece}, info)
	info, err = v.PointerInfo(p)
	require.NoError(t, err)
	require.Equal(t, api.MemoryUnregistered, info.Type)
}

// TestUnmappingWaitsForNothing: work that comes to an address after its memory
// was taken away faults.
func TestUnmappingWaitsForNothing(t *testing.T) {
	r := newRig(t, sim.Config{})
	v := newVM(r)
	p := v.reserve(1)
	h := v.create(1, 0)
	unmap := v.mapAt(p, 1, h)
	require.NoError(t, v.MemRelease(h))
	s, err := v.StreamCreate(api.StreamNonBlocking, 0)
	require.NoError(t, err)
	release := v.hold(s)
	require.NoError(t, v.MemsetAsync(p, 1, 1, 10, s))
	unmap()
	release()
	err = v.StreamSynchronize(s)
	code(t, api.CodeIllegalAddress, "nothing is mapped", err)
	require.ErrorIs(t, err, api.ErrFault)
	require.NoError(t, v.Device.(api.Contexts).PrimaryContextReset())
}

func TestMemoryIsExportedAndImported(t *testing.T) {
	for name, kind := range map[string]api.HandleType{"fd": api.HandlePosixFD, "fabric": api.HandleFabric} {
		t.Run(name, func(t *testing.T) {
			v := newVM(newRig(t, sim.Config{}))
			p := v.reserve(2)
			h := v.create(1, kind)
			s, err := v.MemExport(h, kind)
			require.NoError(t, err)
			imported, err := v.MemImport(s)
			require.NoError(t, err)
			v.mapAt(p, 1, h)
			v.mapAt(p+piece, 1, imported)
			require.NoError(t, v.MemcpyHtoD(p, []byte("shared")))
			require.Equal(t, []byte("shared"), v.read(p+piece, 6, 0))
			require.NoError(t, v.MemRelease(h))
			again, err := v.MemImport(s)
			require.NoError(t, err, "an import does not use the handle up")
			require.NoError(t, v.MemRelease(again))
			require.NoError(t, v.MemRelease(imported))
			if kind == api.HandlePosixFD {
				require.NoError(t, os.NewFile(uintptr(s.FD), "").Close(), "the descriptor is the caller's")
			}
		})
	}
}

func TestMisuseOfExports(t *testing.T) {
	v := newVM(newRig(t, sim.Config{}))
	h := v.create(1, api.HandleFabric)
	_, err := v.MemExport(h, api.HandlePosixFD)
	code(t, api.CodeInvalidValue, "was not made for handle type 1", err)
	_, err = v.MemExport(h, api.HandleNone)
	code(t, api.CodeInvalidValue, "handle type 0", err)
	s, err := v.MemExport(h, api.HandleFabric)
	require.NoError(t, err)
	require.NoError(t, v.MemRelease(h))
	_, err = v.MemImport(s)
	code(t, api.CodeInvalidValue, "names nothing", err)
	_, err = v.MemImport(api.Shareable{Type: api.HandlePosixFD, FD: -1})
	code(t, api.CodeInvalidValue, "read file descriptor -1", err)
	_, err = v.MemImport(api.Shareable{Type: api.HandleWin32})
	code(t, api.CodeInvalidValue, "handle type 2", err)
	_, err = v.MemCreate(piece, api.HandleWin32)
	code(t, api.CodeNotSupported, "handle types 0x2", err)
}

func TestMachinesWithoutVirtualMemory(t *testing.T) {
	without := map[sim.Attribute]int{api.AttrVirtualMemoryManagementSupported: 0}
	v := newVM(newRig(t, sim.Config{Attributes: without}))
	_, err := v.MemGranularity(true, 0)
	code(t, api.CodeNotSupported, "without virtual memory management", err)
	_, err = v.MemCreate(piece, 0)
	code(t, api.CodeNotSupported, "without virtual memory management", err)

	v = newVM(newRig(t, sim.Config{Attributes: map[sim.Attribute]int{api.AttrHandleTypeFabricSupported: 0}}))
	_, err = v.MemCreate(piece, api.HandleFabric)
	code(t, api.CodeNotSupported, "without export as a fabric handle", err)
}
