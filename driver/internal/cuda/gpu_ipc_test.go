//go:build linux && !rmm_nocuda

package cuda

import (
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// offer is what this process exports to a second one: the environment variable
// of that name makes this test binary play the second.
type offer struct {
	Memory  api.IPCHandle
	Event   api.IPCHandle
	Pointer api.PoolPointer // in the pool whose descriptor is the first after stderr
}

const (
	offerVariable = "RMM_TEST_IPC_OFFER"
	offeredBytes  = 6
	inheritedFD   = 3
)

// takings are the bytes that the second process found.
type takings struct{ Memory, Pool []byte }

func TestMain(m *testing.M) {
	text, second := os.LookupEnv(offerVariable)
	if !second {
		os.Exit(m.Run())
	}
	var o offer
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		var found takings
		if found, err = o.take(); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(found)
		}
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

// take opens everything that is offered, reads it and closes it.
func (o offer) take() (found takings, err error) {
	b, err := Open(Options{})
	if err != nil {
		return found, err
	}
	defer b.Close()
	d, err := b.(*backend).device(0)
	if err != nil {
		return found, err
	}
	if found.Memory, err = o.takeMemory(d); err != nil {
		return found, err
	}
	found.Pool, err = o.takePool(d)
	return found, err
}

func (o offer) takeMemory(d *device) ([]byte, error) {
	e, err := d.IpcOpenEvent(o.Event)
	if err != nil {
		return nil, err
	}
	if err := d.EventSynchronize(e); err != nil {
		return nil, err
	}
	if err := d.EventDestroy(e); err != nil {
		return nil, err
	}
	p, err := d.IpcOpenMem(o.Memory)
	if err != nil {
		return nil, err
	}
	data := make([]byte, offeredBytes)
	if err := d.MemcpyDtoH(data, p); err != nil {
		return nil, err
	}
	return data, d.IpcCloseMem(p)
}

func (o offer) takePool(d *device) ([]byte, error) {
	pool, err := d.PoolImport(api.Shareable{Type: api.HandlePosixFD, FD: inheritedFD})
	if err != nil {
		return nil, err
	}
	p, err := d.PoolImportPointer(pool, o.Pointer)
	if err != nil {
		return nil, err
	}
	data := make([]byte, offeredBytes)
	if err := d.MemcpyDtoH(data, p); err != nil {
		return nil, err
	}
	if err := d.MemFree(p); err != nil {
		return nil, err
	}
	return data, d.PoolDestroy(pool)
}

// exportedPool is a pool with its descriptor and an allocation that holds data.
func (w work) exportedPool(t *testing.T, data string) (pool api.Pool, s api.Shareable, p api.Ptr) {
	t.Helper()
	pool, err := w.PoolCreate(api.PoolProps{HandleTypes: int32(api.HandlePosixFD)})
	require.NoError(t, err)
	s, err = w.PoolExport(pool, api.HandlePosixFD)
	require.NoError(t, err)
	require.Positive(t, s.FD)
	p, err = w.MemAllocFromPoolAsync(4096, pool, w.s)
	require.NoError(t, err)
	w.put(t, p, []byte(data))
	t.Cleanup(func() {
		require.NoError(t, w.MemFreeAsync(p, w.s))
		require.NoError(t, w.StreamSynchronize(w.s))
		require.NoError(t, w.PoolDestroy(pool))
	})
	return pool, s, p
}

func TestASecondProcessReadsOurMemoryOnTheGPU(t *testing.T) {
	w := openGPU(t)
	var o offer
	var err error
	memory := w.alloc(t, 4096)
	w.put(t, memory, []byte("memory"))
	o.Memory, err = w.IpcMemHandle(memory)
	require.NoError(t, err)
	e, err := w.EventCreate(api.EventInterprocess | api.EventDisableTiming)
	require.NoError(t, err)
	require.NoError(t, w.EventRecord(e, w.s))
	o.Event, err = w.IpcEventHandle(e)
	require.NoError(t, err)
	_, s, p := w.exportedPool(t, "pooled")
	o.Pointer, err = w.PoolExportPointer(p)
	require.NoError(t, err)
	descriptor := os.NewFile(uintptr(s.FD), "pool")

	found := o.give(t, descriptor)
	require.NoError(t, descriptor.Close())
	require.Equal(t, takings{Memory: []byte("memory"), Pool: []byte("pooled")}, found)
	require.NoError(t, w.EventDestroy(e))
}

// give runs the second process.
func (o offer) give(t *testing.T, descriptor *os.File) (found takings) {
	t.Helper()
	text, err := json.Marshal(o)
	require.NoError(t, err)
	program, err := os.Executable()
	require.NoError(t, err)
	second := exec.Command(program)
	second.Env = append(os.Environ(), offerVariable+"="+string(text))
	second.ExtraFiles = []*os.File{descriptor}
	second.Stderr = os.Stderr
	answer, err := second.Output()
	require.NoError(t, err, "its reason is on stderr")
	require.NoError(t, json.Unmarshal(answer, &found))
	return found
}

func TestHandlesAreForOtherProcessesOnTheGPU(t *testing.T) {
	w := openGPU(t)
	h, err := w.IpcMemHandle(w.alloc(t, 64))
	require.NoError(t, err)
	_, err = w.IpcOpenMem(h)
	require.ErrorIs(t, err, api.ErrInvalidContext)
	require.ErrorContains(t, err, "in the process that exported it")
	_, err = w.IpcOpenMem(api.IPCHandle{})
	require.Error(t, err, "what nobody exported")
}

func TestMemoryThatHasNoLegacyHandleOnTheGPU(t *testing.T) {
	w := openGPU(t)
	p, err := w.MemAllocAsync(64, w.s)
	require.NoError(t, err)
	_, err = w.IpcMemHandle(p)
	require.ErrorIs(t, err, api.ErrInvalidValue, "pool memory is exported with its pool")
	require.NoError(t, w.MemFreeAsync(p, w.s))
	_, err = w.IpcEventHandle(w.e)
	require.Error(t, err, "the event was not made for other processes")
}

func TestAPoolIsImportedInItsOwnProcessOnTheGPU(t *testing.T) {
	w := openGPU(t)
	_, s, p := w.exportedPool(t, "pooled")
	imported, err := w.PoolImport(s)
	require.NoError(t, err)
	require.NoError(t, syscall.Close(s.FD))
	data, err := w.PoolExportPointer(p)
	require.NoError(t, err)
	q, err := w.PoolImportPointer(imported, data)
	require.NoError(t, err)
	require.NotEqual(t, p, q)
	require.Equal(t, []byte("pooled"), w.get(t, q, 6))
	_, err = w.MemAllocFromPoolAsync(64, imported, w.s)
	require.Error(t, err, "nothing can be allocated from an imported pool")
	require.NoError(t, w.MemFreeAsync(q, w.s))
	require.NoError(t, w.StreamSynchronize(w.s))
	require.NoError(t, w.PoolDestroy(imported))
}

func TestAPoolThatWasNotMadeForExportOnTheGPU(t *testing.T) {
	w := openGPU(t)
	pool, err := w.PoolCreate(api.PoolProps{})
	require.NoError(t, err)
	_, err = w.PoolExport(pool, api.HandlePosixFD)
	require.ErrorIs(t, err, api.ErrInvalidValue)
	require.NoError(t, w.PoolDestroy(pool))
}
