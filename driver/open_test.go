package driver_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/sim"
)

func TestOpenReadsTheEnvironment(t *testing.T) {
	t.Setenv("RMM_BACKEND", "sim")
	drv, err := driver.Open(driver.Options{})
	require.NoError(t, err)
	defer drv.Close()
	require.Equal(t, driver.Sim, drv.Backend())
	require.Empty(t, drv.Libraries())
}

func TestOpenRefusesAnUnknownBackend(t *testing.T) {
	t.Setenv("RMM_BACKEND", "rocm")
	_, err := driver.Open(driver.Options{})
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	require.ErrorContains(t, err, "RMM_BACKEND")
	require.ErrorContains(t, err, `"rocm"`)

	_, err = driver.Open(driver.Options{Backend: driver.Backend(42)})
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	require.ErrorContains(t, err, "Backend(42)")
}

func TestOptionsWinOverTheEnvironment(t *testing.T) {
	t.Setenv("RMM_BACKEND", "rocm")
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	require.NoError(t, err)
	require.NoError(t, drv.Close())
}

// TestOpenWithoutALibrarySaysHowToGoOn: no GPU must never select the simulator
// silently.
func TestOpenWithoutALibrarySaysHowToGoOn(t *testing.T) {
	t.Setenv("RMM_BACKEND", "")
	missing := filepath.Join(t.TempDir(), "libcuda.so.1")
	for _, kind := range []driver.Backend{driver.Auto, driver.CUDA} {
		_, err := driver.Open(driver.Options{Backend: kind, LibCUDA: missing})
		require.ErrorContains(t, err, "RMM_BACKEND=sim")
		if errors.Is(err, driver.ErrNotSupported) {
			continue // this program was built without CUDA, and says so
		}
		require.ErrorIs(t, err, driver.ErrLibraryNotFound)
		require.ErrorContains(t, err, missing)
	}
}

func TestOpenRefusesAMachineForAnotherBackend(t *testing.T) {
	m, err := sim.New(sim.Config{})
	require.NoError(t, err)
	_, err = driver.Open(driver.Options{Backend: driver.CUDA, Machine: m})
	require.ErrorIs(t, err, driver.ErrInvalidValue)
	require.ErrorContains(t, err, "Options.Machine")
}

func TestRuntimeAPIBackendNeedsItsLibrary(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "libcudart.so.13")
	_, err := driver.Open(driver.Options{Backend: driver.CUDART, LibCUDA: missing, LibCUDART: missing})
	if errors.Is(err, driver.ErrNotSupported) {
		require.ErrorContains(t, err, "rmm_nocuda")
		return
	}
	require.ErrorIs(t, err, driver.ErrLibraryNotFound)
	require.ErrorContains(t, err, missing)
	require.ErrorContains(t, err, "RMM_BACKEND=sim")
}

func TestDriverFacts(t *testing.T) {
	drv := drivertest.Open(t)
	require.GreaterOrEqual(t, drv.DeviceCount(), 1)
	require.GreaterOrEqual(t, drv.Version(), driver.Version(11040))
	if drv.Backend() != driver.Sim {
		require.NotEmpty(t, drv.Libraries())
		require.Contains(t, []string{"libcuda", "libcudart"}, drv.Libraries()[0].Name)
	}
}

func TestDeviceIsOpenedOnce(t *testing.T) {
	drv := drivertest.Open(t)
	opened := make([]*driver.Device, 16)
	var all sync.WaitGroup
	for i := range opened {
		all.Go(func() { opened[i], _ = drv.Device(0) })
	}
	all.Wait()
	require.NotNil(t, opened[0])
	for _, dev := range opened {
		require.Same(t, opened[0], dev)
	}
}

func TestDeviceOutOfRange(t *testing.T) {
	drv := drivertest.Open(t)
	for _, ordinal := range []int{-1, drv.DeviceCount(), 1 << 40} {
		_, err := drv.Device(ordinal)
		require.ErrorIs(t, err, driver.ErrInvalidDevice)
		require.ErrorContains(t, err, "does not exist")
	}
}

func TestDefaultDevice(t *testing.T) {
	devices := drivertest.NeedDevices(t, 2)
	drv := devices[0].Driver()
	first, err := drv.DefaultDevice()
	require.NoError(t, err)
	require.Same(t, devices[0], first)

	require.NoError(t, drv.SetDefaultDevice(devices[1]))
	second, err := drv.DefaultDevice()
	require.NoError(t, err)
	require.Same(t, devices[1], second)
}

func TestDefaultDeviceOfAnotherDriver(t *testing.T) {
	drv, other := drivertest.Open(t), drivertest.Device(t)
	require.ErrorIs(t, drv.SetDefaultDevice(other), driver.ErrWrongDevice)
	require.ErrorIs(t, drv.SetDefaultDevice(nil), driver.ErrWrongDevice)
}

func TestCloseWithOpenObjectsChangesNothing(t *testing.T) {
	drv := drivertest.Open(t)
	dev, err := drv.DefaultDevice()
	require.NoError(t, err)
	s := drivertest.Stream(t, dev)
	e := drivertest.Event(t, dev)

	err = drv.Close()
	require.ErrorIs(t, err, driver.ErrOutstanding)
	require.ErrorContains(t, err, "2 ")
	require.NoError(t, e.Record(s), "a refused Close must leave everything usable")
	require.NoError(t, s.Synchronize())

	require.NoError(t, e.Close())
	require.ErrorIs(t, drv.Close(), driver.ErrOutstanding)
	require.NoError(t, s.Close())
	require.NoError(t, drv.Close())
}

func TestClosedDriverRefusesEverything(t *testing.T) {
	drv := drivertest.Open(t)
	dev, err := drv.DefaultDevice()
	require.NoError(t, err)
	pool, err := dev.DefaultPool()
	require.NoError(t, err)
	require.NoError(t, drv.Close())

	require.ErrorIs(t, drv.Close(), driver.ErrClosed)
	_, err = drv.Device(0)
	require.ErrorIs(t, err, driver.ErrClosed)
	for call, err := range map[string]error{
		"NewStream":     second(dev.NewStream(driver.StreamOptions{})),
		"NewEvent":      second(dev.NewEvent(driver.EventOptions{})),
		"NewPool":       second(dev.NewPool(driver.PoolOptions{})),
		"WrapStream":    second(dev.WrapStream(0)),
		"MemAlloc":      second(dev.MemAlloc(1)),
		"MemFree":       dev.MemFree(256),
		"PointerInfo":   second(dev.PointerInfo(256)),
		"MemsetD8":      dev.MemsetD8(256, 0, 1),
		"empty MemcpyH": dev.MemcpyHtoD(256, nil),
		"Synchronize":   dev.Synchronize(),
		"Pool":          second(pool.Attribute(driver.PoolUsedCurrent)),
	} {
		require.ErrorIs(t, err, driver.ErrClosed, call)
	}
	_, err = dev.DefaultStream().MemAllocAsync(1)
	require.ErrorIs(t, err, driver.ErrStreamClosed)
}

// second is the error of a call with two results.
func second[T any](_ T, err error) error { return err }

// TestCloseRacesWithNewObjects closes a driver while streams are being made: one
// side or the other loses, and no stream outlives its driver.
func TestCloseRacesWithNewObjects(t *testing.T) {
	drivertest.NeedSim(t) // opens a driver per round
	for range 100 {
		drv := drivertest.Open(t)
		dev, err := drv.DefaultDevice()
		require.NoError(t, err)
		var made *driver.Stream
		var makeErr, closeErr error
		var both sync.WaitGroup
		both.Go(func() { made, makeErr = dev.NewStream(driver.StreamOptions{}) })
		both.Go(func() { closeErr = drv.Close() })
		both.Wait()

		if makeErr != nil {
			require.ErrorIs(t, makeErr, driver.ErrClosed)
			require.NoError(t, closeErr)
			continue
		}
		if closeErr != nil {
			require.ErrorIs(t, closeErr, driver.ErrOutstanding)
			require.NoError(t, made.Close())
			continue
		}
		require.Fail(t, "the driver closed with a stream open")
	}
}

func TestObserveOpenSeesSuccessAndFailure(t *testing.T) {
	type opening struct {
		drv *driver.Driver
		err error
	}
	var seen []opening
	stop := driver.ObserveOpen(func(drv *driver.Driver, err error) { seen = append(seen, opening{drv, err}) })
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	require.NoError(t, err)
	require.NoError(t, drv.Close())
	_, failure := driver.Open(driver.Options{Backend: driver.Backend(42)})
	stop()
	drivertest.Open(t)
	require.Equal(t, []opening{{drv, nil}, {nil, failure}}, seen)
}

func TestDefaultIsOpenedOnceAndReplaceable(t *testing.T) {
	t.Setenv("RMM_BACKEND", "rocm")
	previous := driver.SetDefault(nil)
	defer driver.SetDefault(previous)
	_, err := driver.Default()
	require.Error(t, err)

	t.Setenv("RMM_BACKEND", "sim")
	drv, err := driver.Default()
	require.NoError(t, err, "a failure must not be remembered")
	again, err := driver.Default()
	require.NoError(t, err)
	require.Same(t, drv, again)

	mine := drivertest.Open(t)
	require.Same(t, drv, driver.SetDefault(mine))
	chosen, err := driver.Default()
	require.NoError(t, err)
	require.Same(t, mine, chosen)
	require.NoError(t, drv.Close())
}
