//go:build !rmm_nocuda

package loader

import (
	"sync"

	"github.com/ebitengine/purego"
)

// NewCallback makes a C function of a Go function with up to 16 word-sized
// integer parameters and one word-sized integer result (C may ignore it). The
// memory is never freed and a process has about 2 000: make one per signature
// and tell the calls apart by an argument, as HostFunc does. C may call it on
// any thread, concurrently.
func NewCallback(f any) uintptr { return purego.NewCallback(f) }

var hostFuncEntry = sync.OnceValue(func() uintptr { return NewCallback(runHostFunc) })
