package sim_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func pointerTo(b []byte) api.Ptr { return api.Ptr(uintptr(unsafe.Pointer(&b[0]))) }

func TestRegisteredMemoryIsPinned(t *testing.T) {
	r := newRig(t, sim.Config{})
	host := r.Device.(api.HostRegister)
	memory := make([]byte, 256*kib)
	require.NoError(t, host.MemHostRegister(memory))
	info, err := r.PointerInfo(pointerTo(memory) + 5)
	require.NoError(t, err)
	require.Equal(t, api.PointerInfo{Type: api.MemoryHost, Base: pointerTo(memory), Size: len(memory)}, info)

	s := r.stream(api.StreamNonBlocking)
	p := r.alloc(len(memory))
	release := r.hold(s)
	require.NoError(t, r.MemcpyHtoDAsync(p, memory, s), "it does not wait, nor take a snapshot")
	memory[0] = 42
	release()
	require.Equal(t, []byte{42, 0}, r.read(p, 2, s))
	require.NoError(t, r.MemsetAsync(pointerTo(memory), 7, 1, 2, s))
	require.NoError(t, host.MemHostUnregister(memory), "it waits for the device")
	require.Equal(t, []byte{7, 7, 0}, memory[:3])
	info, err = r.PointerInfo(pointerTo(memory))
	require.NoError(t, err)
	require.Equal(t, api.MemoryUnregistered, info.Type)
}

func TestMisuseOfRegistration(t *testing.T) {
	r := newRig(t, sim.Config{})
	host := r.Device.(api.HostRegister)
	memory := make([]byte, 4096)
	code(t, api.CodeInvalidValue, "0 bytes", host.MemHostRegister(nil))
	code(t, api.CodeInvalidValue, "0 bytes", host.MemHostUnregister(nil))
	require.NoError(t, host.MemHostRegister(memory[1000:2000]))
	for _, part := range [][]byte{memory, memory[:1001], memory[1999:], memory[1500:1501]} {
		code(t, api.CodeHostMemoryRegistered, "already", host.MemHostRegister(part))
	}
	code(t, 713, "no registered memory", host.MemHostUnregister(memory))
	code(t, api.CodeInvalidValue, "not the address", r.MemHostFree(pointerTo(memory[1000:])))
	require.NoError(t, host.MemHostRegister(memory[2000:]), "next to it")
	require.NoError(t, host.MemHostUnregister(memory[2000:]))
	require.NoError(t, host.MemHostUnregister(memory[1000:]), "the address counts")

	p, pinned := r.pinned(64)
	code(t, api.CodeHostMemoryRegistered, "already", host.MemHostRegister(pinned))
	code(t, 713, "no registered memory", host.MemHostUnregister(pinned))
	require.NoError(t, r.Memset(p, 0, 1, 64))
}

func TestDevicesThatCannotRegister(t *testing.T) {
	r := newRig(t, sim.Config{Attributes: map[sim.Attribute]int{api.AttrHostRegisterSupported: 0}})
	code(t, api.CodeNotSupported, "without registered host memory", r.Device.(api.HostRegister).MemHostRegister(make([]byte, 8)))
}
