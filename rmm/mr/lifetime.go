package mr

import (
	"fmt"
	"sync"
)

// lifetime lets calls use a resource until it is closed, and closes it when
// nothing uses it any more.
//
// Calls run while they hold the lock for reading, and a resource closes while it
// is held for writing. Invariant: closed resources have no live allocations.
type lifetime struct {
	mu          sync.RWMutex
	owner       string
	outstanding func() (count, bytes int)
	destroy     func() error
	retired     bool // no new allocations
	closed      bool
}

// checkOpen refuses new allocations after Retire or Close. The caller holds the
// lock.
func (l *lifetime) checkOpen(call string) error {
	if l.retired || l.closed {
		return l.closedError(call)
	}
	return nil
}

func (l *lifetime) closedError(call string) error {
	state := "closed"
	if !l.closed {
		state = "retired"
	}
	return fmt.Errorf("%s.%s: this resource was %s, make a new one: %w", l.owner, call, state, ErrClosed)
}

// Close destroys the resource. With live allocations it is ErrOutstanding, with
// their count and bytes, and changes nothing. A second Close is ErrClosed. Even
// if CUDA reports an error the resource is closed.
func (l *lifetime) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.closedError("Close")
	}
	if count, bytes := l.outstanding(); count > 0 {
		return fmt.Errorf("%s.Close: %d allocations of %d bytes are live, deallocate them first (or Retire): %w", l.owner, count, bytes, ErrOutstanding)
	}
	return l.end()
}

// Retire refuses new allocations from here on and closes the resource with its
// last Deallocate, at once if nothing is live. A second Retire does nothing;
// after Close it is ErrClosed.
func (l *lifetime) Retire() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.closedError("Retire")
	}
	l.retired = true
	return l.endIfEmpty()
}

// endIfRetired closes a retired resource whose last allocation went.
func (l *lifetime) endIfRetired() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	return l.endIfEmpty()
}

// endIfEmpty closes a retired resource without live allocations. The caller
// holds the lock for writing.
func (l *lifetime) endIfEmpty() error {
	if count, _ := l.outstanding(); count > 0 {
		return nil
	}
	return l.end()
}

func (l *lifetime) end() error {
	l.closed = true
	if err := l.destroy(); err != nil {
		return fmt.Errorf("%s: close: %w", l.owner, err)
	}
	return nil
}
