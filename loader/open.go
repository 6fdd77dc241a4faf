package loader

import (
	"errors"
	"fmt"
)

// Library is a loaded shared library. It stays loaded until the process ends.
// All methods are safe for concurrent use.
type Library struct {
	spec    Spec
	handle  uintptr
	path    string
	source  string
	version int
	tried   []Candidate
}

// Open finds the library that spec describes and loads it. A path that is not
// empty is the only candidate, as is the file that spec.FileVariable names;
// otherwise the search of the package comment runs. The error is a
// *SearchError, or ErrNotBuilt under the tag rmm_nocuda.
func Open(spec Spec, path string) (*Library, error) {
	if err := supported(); err != nil {
		return nil, fmt.Errorf("load %s: %w", spec.Name, err)
	}
	if named, ok := spec.named(path); ok {
		return spec.first([]Candidate{named})
	}
	return spec.first(spec.searched())
}

// first loads the first candidate that turns out to be the library.
func (s Spec) first(candidates []Candidate) (*Library, error) {
	for i := range candidates {
		c := &candidates[i]
		lib, err := s.load(*c)
		c.Err = err
		report(Decision{Library: s.Name, Candidate: *c})
		if err == nil {
			lib.tried = candidates[:i+1]
			return lib, nil
		}
	}
	return nil, &SearchError{Library: s.Name, Candidates: candidates, Hint: s.Hint}
}

func (s Spec) load(c Candidate) (*Library, error) {
	if err := inspect(c.Path); err != nil {
		return nil, err
	}
	handle, err := dlopen(c.Path, s.Global)
	if err != nil {
		return nil, err
	}
	lib := &Library{spec: s, handle: handle, path: c.Path, source: c.Source}
	if resolved := resolvedPath(handle); resolved != "" {
		lib.path = resolved
	}
	return lib, lib.readVersion()
}

// readVersion asks the library for its CUDA version, and so makes sure that it
// is what its file name says.
func (l *Library) readVersion() error {
	name := l.spec.VersionFunc
	if name == "" {
		return nil
	}
	var version Proc
	if err := l.Bind([]Symbol{{Proc: &version, Name: name, Required: true}}); err != nil {
		return fmt.Errorf("is not %s: it has no %s", l.spec.Name, name)
	}
	f := Acquire()
	defer f.Release()
	code, err := f.Call(&version, f.WordAddr(0))
	if err != nil {
		return err
	}
	switch code {
	case 0:
		l.version = int(f.Int32(0))
	case codeStubLibrary:
		return errStubLibrary
	case codeInsufficientDriver, codeNoDevice:
		// libcudart 11 wants a GPU even for this: the file is good, the version
		// stays unknown.
	default:
		return fmt.Errorf("%s failed with CUDA error %d", name, code)
	}
	return nil
}

// What a version function may answer; the driver and the runtime API share
// these numbers.
const (
	codeStubLibrary        = 34
	codeInsufficientDriver = 35
	codeNoDevice           = 100
)

var errStubLibrary = errors.New("is the toolkit's stub for linking, not the driver's library")

// Name is the library's name in messages, as "libcuda".
func (l *Library) Name() string { return l.spec.Name }

// Path is the file that was loaded, in full where the dynamic linker tells.
func (l *Library) Path() string { return l.path }

// Source is the rule of the search that found it.
func (l *Library) Source() string { return l.source }

// Version is what the library's version function said: 12020 is CUDA 12.2. 0
// without such a function, and where it needs a GPU that is not there.
func (l *Library) Version() int { return l.version }

// Candidates lists what was tried, in order; the last one is the library.
func (l *Library) Candidates() []Candidate { return append([]Candidate(nil), l.tried...) }
