package replay

import (
	"errors"
	"fmt"
	"sync"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/eventlog"
)

// address is the resource whose memory lies where the log says: it knows each
// allocation of a log by its size, and fails a call that the log's order does
// not allow.
type address struct {
	dev    *driver.Device
	places map[int]driver.Ptr // by size

	mu    sync.Mutex
	live  map[driver.Ptr]int
	calls []string
}

var errOrder = errors.New("the order of the log is broken")

func newAddress(dev *driver.Device, events []eventlog.Event) *address {
	a := &address{dev: dev, places: make(map[int]driver.Ptr), live: make(map[driver.Ptr]int)}
	for _, e := range events {
		if e.Action == eventlog.Allocate {
			a.places[e.Size] = driver.Ptr(e.Ptr)
		}
	}
	return a
}

func (a *address) Device() *driver.Device { return a.dev }

func (a *address) Allocate(size, _ int, _ *driver.Stream) (driver.Ptr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.places[size]
	a.calls = append(a.calls, fmt.Sprintf("allocate %d", size))
	for q, n := range a.live {
		if p < q+driver.Ptr(n) && q < p+driver.Ptr(size) {
			return 0, errOrder
		}
	}
	a.live[p] = size
	return p, nil
}

func (a *address) Deallocate(p driver.Ptr, size, _ int, _ *driver.Stream) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, fmt.Sprintf("free %d", size))
	if a.live[p] != size {
		return errOrder
	}
	delete(a.live, p)
	return nil
}

// limit is a resource of limited size that remembers nothing but sums.
type limit struct {
	dev  *driver.Device
	size int
	last driver.Ptr // the last one that it hands out; 0 is no such limit

	mu       sync.Mutex
	used     int
	next     driver.Ptr
	failFree error
}

func (l *limit) Device() *driver.Device { return l.dev }

func (l *limit) Allocate(size, _ int, _ *driver.Stream) (driver.Ptr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used+size > l.size || (l.last > 0 && l.next == l.last) {
		return 0, fmt.Errorf("limit of %d bytes: %w", l.size, driver.ErrOutOfMemory)
	}
	l.used += size
	l.next += 1 << 20
	return l.next, nil
}

func (l *limit) Deallocate(_ driver.Ptr, size, _ int, _ *driver.Stream) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used -= size
	return l.failFree
}
