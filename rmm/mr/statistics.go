package mr

import (
	"fmt"
	"sync"

	"github.com/rmm-go/rmm-go/driver"
)

// Counter follows an amount: what it is now, the highest it was, and the sum of
// all increases. Value is negative if more was given back than taken since the
// counter began.
type Counter struct {
	Value, Peak, Total int
}

// Counters are what a Statistics counts since PushCounters, or since it was
// made.
type Counters struct {
	Bytes       Counter // sizes as asked, without any rounding
	Allocations Counter
}

// Statistics counts the allocations that pass through to its upstream. It is
// RMM's statistics_resource_adaptor.
//
// It adds about 25 ns to an allocation with its release. A release is counted
// before the upstream has the memory back, so that a peak never counts an
// address twice.
type Statistics struct {
	identity
	upstream           Resource
	bytes, allocations counter

	mu    sync.Mutex // guards marks
	marks []mark     // one per PushCounters
}

// mark is where a PushCounters began.
type mark struct{ bytes, allocations since }

// NewStatistics makes a Statistics in front of upstream.
func NewStatistics(upstream Resource) (*Statistics, error) {
	id, err := adaptorIdentity("Statistics", upstream)
	if err != nil {
		return nil, err
	}
	return &Statistics{identity: id, upstream: upstream}, nil
}

// Upstream is the resource behind this one.
func (a *Statistics) Upstream() Resource { return a.upstream }

// Allocate passes through and counts what succeeded.
func (a *Statistics) Allocate(size, align int, s *driver.Stream) (driver.Ptr, error) {
	p, err := a.upstream.Allocate(size, align, s)
	if err == nil {
		a.bytes.add(size)
		a.allocations.add(1)
	}
	return p, err
}

// Deallocate passes through and counts what succeeded.
func (a *Statistics) Deallocate(p driver.Ptr, size, align int, s *driver.Stream) error {
	a.bytes.take(size)
	a.allocations.take(1)
	err := a.upstream.Deallocate(p, size, align, s)
	if err != nil {
		a.bytes.untake(size)
		a.allocations.untake(1)
	}
	return err
}

// Counters returns the counters that PushCounters began last, or those since the
// Statistics was made. A call that runs at the same time is counted or not.
func (a *Statistics) Counters() Counters {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counters()
}

func (a *Statistics) counters() Counters {
	var m mark
	if n := len(a.marks); n > 0 {
		m = a.marks[n-1]
	}
	return Counters{a.bytes.count(m.bytes), a.allocations.count(m.allocations)}
}

// PushCounters begins new counters at zero and returns those that were in force.
// The stack belongs to the Statistics, not to the calling goroutine.
func (a *Statistics) PushCounters() Counters {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.counters()
	a.marks = append(a.marks, mark{a.bytes.mark(), a.allocations.mark()})
	return before
}

// PopCounters ends the counters that PushCounters began last and returns them.
// The ones underneath go on as if there had been no push. Without a matching
// PushCounters it is ErrNotPushed.
func (a *Statistics) PopCounters() (Counters, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.marks)
	if n == 0 {
		return Counters{}, fmt.Errorf("Statistics.PopCounters: call PushCounters first: %w", ErrNotPushed)
	}
	popped := a.counters()
	a.bytes.unmark(a.marks[n-1].bytes)
	a.allocations.unmark(a.marks[n-1].allocations)
	a.marks = a.marks[:n-1]
	return popped, nil
}
