package driver

import (
	"slices"
	"sync"

	"github.com/rmm-go/rmm-go/loader"
)

// SearchDecision is one step of the search for a CUDA library: a candidate
// taken, or refused for the reason in Err.
type SearchDecision = loader.Decision

// ObserveSearch calls f for every step of every later search for a library,
// until stop is called. It is meant for logs; f must be quick and must not call
// ObserveSearch, stop or Open.
func ObserveSearch(f func(SearchDecision)) (stop func()) { return loader.Observe(f) }

var openObservers struct {
	sync.Mutex
	funcs []*func(*Driver, error) // replaced, never changed in place
}

// ObserveOpen calls f after every later Open, until stop is called: with the
// driver, or with nil and the error. It is meant for logs; f must be quick and
// must not call Open.
func ObserveOpen(f func(*Driver, error)) (stop func()) {
	openObservers.Lock()
	defer openObservers.Unlock()
	openObservers.funcs = append(slices.Clone(openObservers.funcs), &f)
	return func() {
		openObservers.Lock()
		defer openObservers.Unlock()
		openObservers.funcs = slices.DeleteFunc(slices.Clone(openObservers.funcs), func(g *func(*Driver, error)) bool { return g == &f })
	}
}

// observeOpen tells the observers and returns err.
func observeOpen(d *Driver, err error) error {
	openObservers.Lock()
	funcs := openObservers.funcs
	openObservers.Unlock()
	for _, f := range funcs {
		(*f)(d, err)
	}
	return err
}
