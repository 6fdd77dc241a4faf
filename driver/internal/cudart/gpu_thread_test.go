//go:build linux && !rmm_nocuda

package cudart

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// thread sees what a CUDA program on the same thread would see.
type thread struct {
	peekLastError *loader.Proc
	getDevice     *loader.Proc
	getCurrent    *loader.Proc
	contextState  *loader.Proc
	createContext *loader.Proc
	destroy       *loader.Proc
}

func seeThread(t testing.TB) thread {
	t.Helper()
	driver, err := loader.Open(loader.CUDA(), "")
	require.NoError(t, err)
	cudart, err := loader.Open(loader.CUDART(), "")
	require.NoError(t, err)
	return thread{
		peekLastError: bindPeek(t, cudart),
		getDevice:     bind(t, cudart, loader.Symbol{Name: "cudaGetDevice"}),
		getCurrent:    bind(t, driver, loader.Symbol{Name: "cuCtxGetCurrent", Since: 4000}),
		contextState:  bind(t, driver, loader.Symbol{Name: "cuDevicePrimaryCtxGetState", Since: 7000}),
		createContext: bind(t, driver, loader.Symbol{Name: "cuCtxCreate", Export: "cuCtxCreate_v2", Since: 3020}),
		destroy:       bind(t, driver, loader.Symbol{Name: "cuCtxDestroy", Export: "cuCtxDestroy_v2", Since: 4000}),
	}
}

func (s thread) current(t testing.TB) uint64 { return ask(t, s.getCurrent) }

// active reports whether somebody holds a device's primary context.
func (s thread) active(t testing.TB, ordinal int) bool {
	f := loader.Acquire()
	defer f.Release()
	f.Set(uintptr(ordinal), f.WordAddr(0), f.WordAddr(1))
	code, err := f.Invoke(s.contextState)
	require.NoError(t, err)
	require.Zero(t, code)
	return f.Int32(1) != 0
}

func TestThreadsWithoutAContextStaySo(t *testing.T) {
	w, s := openGPU(t), seeThread(t)
	onOwnThread(func() {
		require.Zero(t, s.current(t))
		require.NoError(t, w.hotCalls())
		require.NoError(t, w.StreamSynchronize(w.s))
		require.Zero(t, s.current(t))
	})
}

func TestForeignContextsComeBack(t *testing.T) {
	w, s := openGPU(t), seeThread(t)
	onOwnThread(func() {
		foreign := ask(t, s.createContext, 0, 0)
		defer func() { require.Zero(t, call(t, s.destroy, uintptr(foreign))) }()
		p, err := w.MemAlloc(4096)
		require.NoError(t, err)
		require.NoError(t, w.hotCalls())
		require.NoError(t, w.MemcpyHtoD(p, []byte{1, 2, 3}))
		require.Equal(t, foreign, s.current(t))
		require.NoError(t, w.MemFree(p), "it was the primary context's")
		require.Equal(t, foreign, s.current(t))
	})
}

func TestNobodyFindsOurFailures(t *testing.T) {
	w, s := openGPU(t), seeThread(t)
	onOwnThread(func() {
		_, err := w.MemAlloc(1 << 50)
		require.ErrorIs(t, err, api.ErrOutOfMemory)
		require.Zero(t, call(t, s.peekLastError))

		release := make(chan struct{})
		require.NoError(t, w.LaunchHostFunc(w.s, func() { <-release }))
		done, err := w.StreamQuery(w.s)
		require.NoError(t, err)
		require.False(t, done)
		require.Zero(t, call(t, s.peekLastError), "not ready is remembered too, unless taken back")
		close(release)
		require.NoError(t, w.StreamSynchronize(w.s))
	})
}

// alone is set in the environment of a process that runs one test.
const alone = "RMM_TEST_ALONE"

// TestOtherDevicesStayUntouched runs in a process of its own, where nobody has
// used device 0.
func TestOtherDevicesStayUntouched(t *testing.T) {
	if os.Getenv(alone) == "" {
		runAlone(t)
		return
	}
	b, err := Open(Options{})
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	if b.DeviceCount() < 2 {
		t.Skipf("needs 2 devices: this machine has %d", b.DeviceCount())
	}
	useSecondDevice(t, b)
	require.NoError(t, b.Close())
}

func useSecondDevice(t *testing.T, b api.Backend) {
	t.Helper()
	d, err := b.(*backend).device(1)
	require.NoError(t, err)
	thread := seeThread(t)
	onOwnThread(func() {
		device := uint32(ask(t, thread.getDevice))
		s, err := d.StreamCreate(api.StreamNonBlocking, 0)
		require.NoError(t, err)
		p, err := d.MemAllocAsync(1<<20, s)
		require.NoError(t, err)
		info, err := d.PointerInfo(p)
		require.NoError(t, err)
		require.Equal(t, 1, info.Device)
		require.NoError(t, d.MemFreeAsync(p, s))
		require.NoError(t, d.StreamSynchronize(s))
		require.NoError(t, d.StreamDestroy(s))
		require.Equal(t, device, uint32(ask(t, thread.getDevice)), "the thread's device is what it was")
		require.Zero(t, thread.current(t))
	})
	require.False(t, thread.active(t, 0), "nobody used device 0")
}

// skipped is the reason of a skipped test.
var skipped = regexp.MustCompile(`needs (a GPU|\d+ devices): .*`)

// runAlone repeats the test in a new process and passes its verdict on.
func runAlone(t *testing.T) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	command.Env = append(os.Environ(), alone+"=1")
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	if reason := skipped.FindString(string(output)); reason != "" {
		t.Skip(reason)
	}
}
