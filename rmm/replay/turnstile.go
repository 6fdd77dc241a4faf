package replay

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// turnstile counts the operations that a goroutine has done, and lets others
// wait for a count.
//
// A waiter publishes what it wants and then looks at done; pass publishes done
// and then looks at what is wanted. So one of the two sees the other, and no
// wake-up is lost.
type turnstile struct {
	done   atomic.Int64
	wanted atomic.Int64 // the least count that anybody sleeps for
	mu     sync.Mutex   // orders changes of wanted
	cond   sync.Cond
}

// nobody is wanted while no one sleeps; everything is done at the end.
const (
	nobody     = math.MaxInt64
	everything = math.MaxInt64 - 1
)

// init makes the turnstile ready for a pass; nobody may be waiting.
func (t *turnstile) init() {
	t.done.Store(0)
	t.wanted.Store(nobody)
	t.cond.L = &t.mu
}

// pass says that n operations are done.
func (t *turnstile) pass(n int64) {
	t.done.Store(n)
	if n < t.wanted.Load() {
		return
	}
	t.mu.Lock()
	t.wanted.Store(nobody) // who must sleep on says so again
	t.mu.Unlock()
	t.cond.Broadcast()
}

// open lets everybody through.
func (t *turnstile) open() { t.pass(everything) }

// wait blocks until n operations are done: spinning first, because most waits
// are short, then asleep.
func (t *turnstile) wait(n int64) {
	const spins, yields = 100, 10
	for range spins {
		if t.done.Load() >= n {
			return
		}
	}
	for range yields {
		runtime.Gosched()
		if t.done.Load() >= n {
			return
		}
	}
	t.sleep(n)
}

func (t *turnstile) sleep(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		t.wanted.Store(min(t.wanted.Load(), n))
		if t.done.Load() >= n {
			return
		}
		t.cond.Wait()
	}
}
