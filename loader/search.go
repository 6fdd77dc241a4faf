package loader

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// The rules of the search, as Candidate.Source names them. A candidate from
// an environment variable has the variable's name instead.
const (
	SourceGiven  = "given path"
	SourceLinker = "dynamic linker"
	SourceUsual  = "usual place"
)

// Candidate is one file that the search considered.
type Candidate struct {
	Path   string // what was tried; a bare name is the dynamic linker's to resolve
	Source string // the rule that named it: SourceGiven, "RMM_LIBCUDA", "CUDA_PATH", …
	Err    error  // why it was refused; nil for the one that was taken
}

// named returns the one candidate that the caller or the environment names, if
// there is one.
func (s Spec) named(path string) (Candidate, bool) {
	if path != "" {
		return Candidate{Path: path, Source: SourceGiven}, true
	}
	if s.FileVariable != "" {
		if path = os.Getenv(s.FileVariable); path != "" {
			return Candidate{Path: path, Source: s.FileVariable}, true
		}
	}
	return Candidate{}, false
}

// searched lists the candidates in the order in which they are tried.
func (s Spec) searched() []Candidate {
	var list []Candidate
	for _, variable := range rootVariables {
		if root := os.Getenv(variable); root != "" {
			list = append(list, s.inside(rootDirs(runtime.GOOS, root), variable)...)
		}
	}
	for _, file := range s.Files {
		list = append(list, Candidate{Path: file, Source: SourceLinker})
	}
	return append(list, s.inside(usualDirs(runtime.GOOS, runtime.GOARCH, os.Getenv), SourceUsual)...)
}

// inside lists every file name in every folder. A pattern that matches no
// folder stays in the list as it is, so that the reader sees that it was tried.
func (s Spec) inside(patterns []string, source string) []Candidate {
	var list []Candidate
	for _, pattern := range patterns {
		dirs, err := filepath.Glob(pattern)
		if err != nil || len(dirs) == 0 {
			dirs = []string{pattern}
		}
		for _, dir := range dirs {
			for _, file := range s.Files {
				list = append(list, Candidate{Path: filepath.Join(dir, file), Source: source})
			}
		}
	}
	return list
}

var (
	errNoSuchFile = errors.New("no such file")
	errDirectory  = errors.New("is a directory: name the library file itself")
	errIrregular  = errors.New("is not a regular file")
)

// inspect refuses what is plainly no library, with a clearer reason than the
// dynamic linker has. A bare name passes: the linker knows where to look.
func inspect(path string) error {
	if filepath.Base(path) == path {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errNoSuchFile
	case err != nil:
		return err
	case info.IsDir():
		return errDirectory
	case !info.Mode().IsRegular():
		return errIrregular
	}
	return inspectMachine(path)
}
