package loader

import (
	"errors"
	"fmt"
)

// Symbol is a line of a binding table: a C function and where to keep it.
type Symbol struct {
	// Proc receives the function.
	Proc *Proc
	// Name is the function as the headers call it: "cuMemAlloc".
	Name string
	// Export is its exported name, "cuMemAlloc_v2"; empty if it is Name.
	Export string
	// Since is the CUDA version of the signature that the caller binds, as CUDA
	// counts (11020 is 11.2): the driver is asked for exactly that signature,
	// however new it is.
	Since int
	// Required makes Bind fail without it. An optional symbol that is missing is
	// an error when it is called.
	Required bool
}

func (s Symbol) export() string {
	if s.Export != "" {
		return s.Export
	}
	return s.Name
}

// Proc is a C function, bound by Library.Bind. The zero Proc cannot be called.
type Proc struct {
	address uintptr
	name    string
	missing error
}

// NewProc is the C function at an address, for functions that no library
// exports: entry points that another function returned, or a callback.
func NewProc(name string, address uintptr) Proc { return Proc{name: name, address: address} }

// Name is the function's exported name.
func (p *Proc) Name() string { return p.name }

// Err says why the function cannot be called; nil if it can.
func (p *Proc) Err() error {
	if p.address != 0 {
		return nil
	}
	if p.missing == nil {
		return errUnbound
	}
	return p.missing
}

var errUnbound = errors.New("call of a C function that was never bound: call Library.Bind first")

// Bind resolves a table. It returns a SymbolError for every required symbol
// that is missing, joined.
func (l *Library) Bind(table []Symbol) error {
	ask := l.versionedLookup()
	var errs []error
	for _, s := range table {
		*s.Proc = l.resolve(s, ask)
		if err := s.Proc.Err(); err != nil && s.Required {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("bind %s: %w", l.path, err)
	}
	return nil
}

func (l *Library) resolve(s Symbol, ask versionedLookup) Proc {
	p := Proc{name: s.export(), address: ask(s)}
	if p.address == 0 {
		p.address = dlsym(l.handle, p.name)
	}
	if p.address == 0 {
		p.missing = &SymbolError{Library: l.spec.Name, Path: l.path, Symbol: p.name, Since: s.Since, Version: l.version}
	}
	return p
}
