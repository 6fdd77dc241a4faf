package loader

import (
	"slices"
	"sync"
)

// Decision is one step of a search: a candidate taken or refused.
type Decision struct {
	Library string // the library that is being looked for
	Candidate
}

var observers struct {
	mu   sync.Mutex
	list []*func(Decision)
}

// Observe calls f for every decision of every later search, until stop is
// called. f runs on the goroutine that searches, and must not call Observe or
// stop. Safe for concurrent use.
func Observe(f func(Decision)) (stop func()) {
	entry := &f
	observers.mu.Lock()
	defer observers.mu.Unlock()
	observers.list = append(observers.list, entry)
	return func() {
		observers.mu.Lock()
		defer observers.mu.Unlock()
		observers.list = slices.DeleteFunc(observers.list, func(e *func(Decision)) bool { return e == entry })
	}
}

func report(d Decision) {
	observers.mu.Lock()
	defer observers.mu.Unlock()
	for _, f := range observers.list {
		(*f)(d)
	}
}
