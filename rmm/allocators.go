package rmm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// ErrUnknownAllocator means that no memory resource has the given name; the
// error lists the names.
var ErrUnknownAllocator = errors.New("unknown allocator")

// AllocatorOptions are the settings of a resource made by name. A setting that
// means nothing to the resource is an error, not silently ignored.
type AllocatorOptions struct {
	// InitialSize is how many bytes the resource takes from the device at once
	// when it is made. Default: 0. For cuda-async only.
	InitialSize int
}

// allocator is a named way to make a resource.
type allocator struct {
	name, alias string
	sized       bool // InitialSize means something
	build       func(*driver.Device, AllocatorOptions) (mr.Resource, error)
}

var allocators = []allocator{
	{name: "cuda", build: func(dev *driver.Device, _ AllocatorOptions) (mr.Resource, error) { return asResource(mr.NewCuda(dev)) }},
	{name: "cuda-async", alias: "async", sized: true, build: func(dev *driver.Device, o AllocatorOptions) (mr.Resource, error) {
		return asResource(mr.NewCudaAsync(dev, mr.CudaAsyncOptions{InitialSize: o.InitialSize}))
	}},
	{name: "managed", build: func(dev *driver.Device, _ AllocatorOptions) (mr.Resource, error) {
		return asResource(mr.NewManaged(dev))
	}},
	{name: "pinned-host", build: func(dev *driver.Device, _ AllocatorOptions) (mr.Resource, error) {
		return asResource(mr.NewPinnedHost(dev))
	}},
}

// asResource keeps a nil *T from becoming a non-nil Resource.
func asResource[T mr.Resource](r T, err error) (mr.Resource, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// AllocatorNames lists the names that NewAllocator and Options.Allocator take,
// without aliases.
func AllocatorNames() []string {
	names := make([]string, len(allocators))
	for i, a := range allocators {
		names[i] = a.name
	}
	return names
}

func findAllocator(name string) (*allocator, error) {
	i := slices.IndexFunc(allocators, func(a allocator) bool { return a.name == name || (a.alias != "" && a.alias == name) })
	if i < 0 {
		return nil, fmt.Errorf("%w %q: use one of %s", ErrUnknownAllocator, name, strings.Join(AllocatorNames(), ", "))
	}
	return &allocators[i], nil
}

// CheckAllocatorName returns nil for a name that NewAllocator knows, aliases
// included; otherwise ErrUnknownAllocator with the list of names.
func CheckAllocatorName(name string) error {
	_, err := findAllocator(name)
	return err
}

// TakesInitialSize reports whether AllocatorOptions.InitialSize means something
// to the named allocator.
func TakesInitialSize(name string) bool {
	a, err := findAllocator(name)
	return err == nil && a.sized
}

// NewAllocator makes the memory resource that a name stands for, on a device.
// An unknown name is ErrUnknownAllocator and lists the names; a setting that
// the resource has no use for is driver.ErrInvalidValue. Close the resource
// after use if it is an io.Closer.
func NewAllocator(name string, dev *driver.Device, opts AllocatorOptions) (mr.Resource, error) {
	a, err := findAllocator(name)
	if err != nil {
		return nil, err
	}
	if opts.InitialSize < 0 {
		return nil, &driver.ArgumentError{Call: "rmm.NewAllocator", Reason: fmt.Sprintf("InitialSize is %d bytes: it must not be negative", opts.InitialSize)}
	}
	if opts.InitialSize > 0 && !a.sized {
		return nil, &driver.ArgumentError{Call: "rmm.NewAllocator", Reason: fmt.Sprintf("the allocator %q takes no InitialSize: leave it 0", name)}
	}
	r, err := a.build(dev, opts)
	if err != nil {
		return nil, fmt.Errorf("make allocator %q: %w", name, err)
	}
	return r, nil
}
