package loader

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrLibraryNotFound means that no candidate was the library.
	ErrLibraryNotFound = errors.New("library not found")
	// ErrSymbolNotFound means that a library lacks a function.
	ErrSymbolNotFound = errors.New("symbol not found")
	// ErrNotBuilt means that this program was built without access to CUDA.
	ErrNotBuilt = errors.New("this program was built with the tag rmm_nocuda, which leaves CUDA out: build it without the tag")
)

// SearchError says what was tried to find a library and why each candidate was
// refused. It is ErrLibraryNotFound.
type SearchError struct {
	Library    string // "libcuda"
	Candidates []Candidate
	Hint       string // what to do; may be empty
}

// Error lists every candidate on a line of its own.
func (e *SearchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "load %s: %v, tried", e.Library, ErrLibraryNotFound)
	for _, c := range e.Candidates {
		fmt.Fprintf(&b, "\n  %s (%s): %v", c.Path, c.Source, c.Err)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n%s", e.Hint)
	}
	return b.String()
}

// Is holds for ErrLibraryNotFound.
func (e *SearchError) Is(target error) bool { return target == ErrLibraryNotFound }

// Unwrap returns the candidates' reasons.
func (e *SearchError) Unwrap() []error {
	reasons := make([]error, len(e.Candidates))
	for i, c := range e.Candidates {
		reasons[i] = c.Err
	}
	return reasons
}

// SymbolError names a function that a library lacks. It is ErrSymbolNotFound.
type SymbolError struct {
	Library string // "libcuda"
	Path    string // the file
	Symbol  string // "cuStreamGetId"
	Since   int    // the CUDA version that introduced it; 0 if unknown
	Version int    // the CUDA version of the library; 0 if unknown
}

// Error names the function, its version and the library's.
func (e *SymbolError) Error() string {
	text := fmt.Sprintf("%s has no function %s", e.Library, e.Symbol)
	if e.Since != 0 {
		text += ", which came with CUDA " + versionText(e.Since)
	}
	if e.Version != 0 {
		text += fmt.Sprintf("; %s is for CUDA %s", e.Path, versionText(e.Version))
	}
	if e.Since > e.Version && e.Version != 0 {
		text += ": install a newer one"
	}
	return text
}

// Is holds for ErrSymbolNotFound.
func (e *SymbolError) Is(target error) bool { return target == ErrSymbolNotFound }

// versionText turns CUDA's 12020 into "12.2".
func versionText(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }
