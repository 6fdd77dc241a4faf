package driver

import (
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// closeFunc makes a function an io.Closer.
type closeFunc func() error

func (f closeFunc) Close() error { return f() }

// objectKind makes one kind of object that keeps the driver open.
type objectKind struct {
	create  string // the call of the backend that makes it
	destroy string
	make    func(*Device) (object io.Closer, use func() error, err error)
}

var objectKinds = map[string]objectKind{
	"memory handle": {"MemCreate", "MemRelease", func(d *Device) (io.Closer, func() error, error) {
		h, err := d.MemCreate(2<<20, HandleNone)
		return closeFunc(h.Release), func() error { return h.Map(1 << 40) }, err
	}},
	"imported memory handle": {"MemImport", "MemRelease", func(d *Device) (io.Closer, func() error, error) {
		h, err := d.MemImport(Shareable{Type: HandlePosixFD, FD: 3}, 2<<20)
		return closeFunc(h.Release), func() error { return second(h.Export(HandlePosixFD)) }, err
	}},
	"pool": {"PoolCreate", "PoolDestroy", func(d *Device) (io.Closer, func() error, error) {
		p, err := d.NewPool(PoolOptions{Handles: HandlePosixFD})
		return p, func() error { return second(p.Export(HandlePosixFD)) }, err
	}},
	"imported pool": {"PoolImport", "PoolDestroy", func(d *Device) (io.Closer, func() error, error) {
		p, err := d.ImportPool(Shareable{Type: HandlePosixFD, FD: 3})
		return p, func() error { return second(p.ImportPointer(PoolPointer{})) }, err
	}},
	"event": {"EventCreate", "EventDestroy", func(d *Device) (io.Closer, func() error, error) {
		e, err := d.NewEvent(EventOptions{Interprocess: true})
		return e, func() error { return second(e.IpcHandle()) }, err
	}},
	"opened event": {"IpcOpenEvent", "EventDestroy", func(d *Device) (io.Closer, func() error, error) {
		e, err := d.IpcOpenEvent(IPCHandle{})
		return e, func() error { return second(e.Query()) }, err
	}},
	"module": {"ModuleLoad", "ModuleUnload", func(d *Device) (io.Closer, func() error, error) {
		m, err := d.LoadModule([]byte("ptx"))
		return m, func() error { return second(m.Function("k")) }, err
	}},
	"graph": {"StreamEndCapture", "GraphDestroy", func(d *Device) (io.Closer, func() error, error) {
		g, err := d.DefaultStream().EndCapture()
		return g, func() error { return dropExec(g.Instantiate()) }, err
	}},
	"launchable graph": {"GraphInstantiate", "GraphExecDestroy", func(d *Device) (io.Closer, func() error, error) {
		exec, err := (&Graph{dev: d, gate: newGate()}).Instantiate()
		return exec, func() error { return exec.Launch(d.DefaultStream()) }, err
	}},
}

// dropExec closes what using a graph makes.
func dropExec(exec *GraphExec, err error) error {
	if err != nil {
		return err
	}
	return exec.Close()
}

func fakeWithEverything() (*fakeDevice, *Device) {
	fake, dev := fakeWithVirtualMemory()
	fake.attribute[AttrMemoryPoolsSupported] = 1
	return fake, dev
}

func TestObjectsKeepTheDriverOpen(t *testing.T) {
	for name, kind := range objectKinds {
		t.Run(name, func(t *testing.T) {
			fake, dev := fakeWithEverything()
			object, use, err := kind.make(dev)
			require.NoError(t, err)
			require.NoError(t, use())
			require.ErrorIs(t, dev.drv.Close(), ErrOutstanding)
			require.NoError(t, use(), "a refused Close changes nothing")

			require.NoError(t, object.Close())
			require.Equal(t, 1, fake.count(kind.destroy))
			require.ErrorIs(t, object.Close(), ErrClosed)
			require.ErrorIs(t, use(), ErrClosed)
			require.Equal(t, 1, fake.count(kind.destroy), "a handle is destroyed once")
			require.NoError(t, dev.drv.Close())
		})
	}
}

func TestObjectsThatCannotBeMadeDoNotCount(t *testing.T) {
	for name, kind := range objectKinds {
		fake, dev := fakeWithEverything()
		fake.fail(kind.create, errors.New("no"))
		_, _, err := kind.make(dev)
		require.ErrorContains(t, err, "no", name)
		require.NoError(t, dev.drv.Close(), name)
	}
}

func TestObjectsCountThoughTheirEndFails(t *testing.T) {
	for name, kind := range objectKinds {
		fake, dev := fakeWithEverything()
		object, _, err := kind.make(dev)
		require.NoError(t, err)
		fake.fail(kind.destroy, errors.New("after a fault"))
		require.ErrorContains(t, object.Close(), "after a fault", name)
		require.NoError(t, dev.drv.Close(), "%s: after a fault the driver must still close", name)
	}
}

// TestDriverClosedWhileAnObjectIsMade: it counts from the beginning of the call.
func TestDriverClosedWhileAnObjectIsMade(t *testing.T) {
	for name, kind := range objectKinds {
		fake, dev := fakeWithEverything()
		fake.act(kind.create, func() { require.ErrorIs(t, dev.drv.Close(), ErrOutstanding, name) })
		object, _, err := kind.make(dev)
		require.NoError(t, err, name)
		require.NoError(t, object.Close(), name)
		require.NoError(t, dev.drv.Close(), name)
	}
}

// TestObjectsAreNotDestroyedInUse lets Close begin in the middle of a call.
func TestObjectsAreNotDestroyedInUse(t *testing.T) {
	for name, call := range map[string]string{
		"memory handle": "MemMap", "pool": "PoolExport", "event": "IpcEventHandle", "module": "ModuleFunction",
		"graph": "GraphInstantiate", "launchable graph": "GraphLaunch",
	} {
		fake, dev := fakeWithEverything()
		kind := objectKinds[name]
		object, use, err := kind.make(dev)
		require.NoError(t, err)
		closed := make(chan error, 1)
		fake.act(call, func() {
			go func() { closed <- object.Close() }()
			for range 1000 { // time enough for a Close that does not wait
				runtime.Gosched()
			}
			require.Zero(t, fake.count(kind.destroy), "%s destroyed in the middle of %s", name, call)
		})
		require.NoError(t, use(), name)
		require.NoError(t, <-closed, name)
	}
}

func TestNilObjects(t *testing.T) {
	_, dev := fakeWithEverything()
	s := ownStream(t, dev)
	var noHandle *MemHandle
	var noPool *Pool
	var noEvent *Event
	var noModule *Module
	var noGraph *Graph
	var noExec *GraphExec
	var noDevice *Device
	var noStream *Stream
	for call, err := range map[string]error{
		"MemHandle.Map":           noHandle.Map(256),
		"MemHandle.Export":        second(noHandle.Export(HandlePosixFD)),
		"MemHandle.Release":       noHandle.Release(),
		"Pool.Export":             second(noPool.Export(HandlePosixFD)),
		"Pool.SetAccess":          noPool.SetAccess(dev, AccessNone),
		"Event.IpcHandle":         second(noEvent.IpcHandle()),
		"Module.Function":         second(noModule.Function("k")),
		"Module.Close":            noModule.Close(),
		"Graph.Instantiate":       second(noGraph.Instantiate()),
		"Graph.Close":             noGraph.Close(),
		"GraphExec.Launch":        noExec.Launch(s),
		"GraphExec.Close":         noExec.Close(),
		"Stream.Launch":           s.Launch(nil, LaunchConfig{}),
		"Stream.BeginCapture":     noStream.BeginCapture(CaptureGlobal),
		"Stream.EndCapture":       second(noStream.EndCapture()),
		"Device.MemCreate":        second(noDevice.MemCreate(1, HandleNone)),
		"Device.LoadModule":       second(noDevice.LoadModule([]byte("x"))),
		"Device.IpcMemHandle":     second(noDevice.IpcMemHandle(256)),
		"Device.CanAccessPeer":    second(noDevice.CanAccessPeer(dev)),
		"Device.EnablePeerAccess": dev.EnablePeerAccess(nil),
		"Device.MemSetAccess":     dev.MemSetAccess(256, 1, nil, AccessRead),
	} {
		require.ErrorIs(t, err, ErrInvalidValue, call)
		require.ErrorContains(t, err, call+": ")
	}
	require.ErrorIs(t, (&GraphExec{dev: dev, gate: newGate()}).Launch(nil), ErrInvalidValue)
}
