//go:build linux && !rmm_nocuda

package loader

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// clearEnvironment hides the machine's own CUDA settings from a test.
func clearEnvironment(t *testing.T) {
	for _, name := range []string{"CUDA_PATH", "CUDA_HOME", "RMM_LIBCUDA", "RMM_LIBCUDART"} {
		t.Setenv(name, "")
	}
}

func writeFile(t *testing.T, path string, content []byte) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, content, 0o644))
	return path
}

// foreignELF is the head of a shared object for another processor.
func foreignELF() []byte {
	const sharedObject, amd64, arm64 = 3, 62, 183
	machine := uint16(arm64)
	if runtime.GOARCH == "arm64" {
		machine = amd64
	}
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(head[16:], sharedObject)
	binary.LittleEndian.PutUint16(head[18:], machine)
	binary.LittleEndian.PutUint32(head[20:], 1)
	binary.LittleEndian.PutUint16(head[52:], 64)
	return append(head, make([]byte, 4096)...)
}

func searchError(t *testing.T, err error) *SearchError {
	t.Helper()
	require.ErrorIs(t, err, ErrLibraryNotFound)
	var search *SearchError
	require.ErrorAs(t, err, &search)
	return search
}

func TestOpenByTheDynamicLinker(t *testing.T) {
	clearEnvironment(t)
	lib, err := Open(specMath, "")
	require.NoError(t, err)
	require.Equal(t, "libm", lib.Name())
	require.Equal(t, SourceLinker, lib.Source())
	require.True(t, filepath.IsAbs(lib.Path()), "the linker's own path, got %s", lib.Path())
	require.Equal(t, "libm.so.6", filepath.Base(lib.Path()))
	require.Zero(t, lib.Version())
	require.Equal(t, []Candidate{{Path: "libm.so.6", Source: SourceLinker}}, lib.Candidates())
}

func TestOpenTakesTheFirstRuleThatHolds(t *testing.T) {
	clearEnvironment(t)
	resolved, err := Open(specMath, "")
	require.NoError(t, err)
	toolkit := t.TempDir()
	real, err := os.ReadFile(resolved.Path())
	require.NoError(t, err)
	copied := writeFile(t, filepath.Join(toolkit, "targets", "some-linux", "lib", "libm.so.6"), real)

	t.Run("toolkit root before the linker", func(t *testing.T) {
		t.Setenv("CUDA_HOME", toolkit)
		lib, err := Open(specMath, "")
		require.NoError(t, err)
		require.Equal(t, "CUDA_HOME", lib.Source())
		tried := lib.Candidates()
		require.Len(t, tried, 3)
		require.Equal(t, filepath.Join(toolkit, "lib64", "libm.so.6"), tried[0].Path)
		require.ErrorIs(t, tried[0].Err, errNoSuchFile)
		require.Equal(t, copied, tried[2].Path)
	})
	t.Run("variable before the root", func(t *testing.T) {
		t.Setenv("CUDA_HOME", toolkit)
		t.Setenv("RMM_LIBM_OF_TEST", resolved.Path())
		lib, err := Open(specMath, "")
		require.NoError(t, err)
		require.Equal(t, "RMM_LIBM_OF_TEST", lib.Source())
		require.Len(t, lib.Candidates(), 1)
	})
	t.Run("given path before the variable", func(t *testing.T) {
		t.Setenv("RMM_LIBM_OF_TEST", "/nowhere/libm.so.6")
		lib, err := Open(specMath, resolved.Path())
		require.NoError(t, err)
		require.Equal(t, SourceGiven, lib.Source())
	})
}

func TestOpenRefusesBadFilesEachWithItsReason(t *testing.T) {
	clearEnvironment(t)
	dir := t.TempDir()
	for _, c := range []struct{ name, path, reason string }{
		{"missing", filepath.Join(dir, "absent.so"), "no such file"},
		{"directory", dir, "is a directory: name the library file itself"},
		{"device", os.DevNull, "is not a regular file"},
		{"text", writeFile(t, filepath.Join(dir, "text.so"), []byte("this is a plain text file, long enough to hold an ELF header and more")), "invalid ELF header"},
		{"empty", writeFile(t, filepath.Join(dir, "empty.so"), nil), "file too short"},
		{"other processor", writeFile(t, filepath.Join(dir, "foreign.so"), foreignELF()), "is for another processor: EM_"},
		{"unknown bare name", "libnosuchthing.so.9", "cannot open shared object file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(specMath, c.path)
			search := searchError(t, err)
			require.Len(t, search.Candidates, 1, "what was named is the only candidate")
			require.ErrorContains(t, search.Candidates[0].Err, c.reason)
			require.ErrorContains(t, err, c.path+" (given path): ")
		})
	}
}

func TestOpenDoesNotFallThroughFromAVariable(t *testing.T) {
	clearEnvironment(t)
	t.Setenv("RMM_LIBM_OF_TEST", "/nowhere/libm.so.6")
	_, err := Open(specMath, "")
	require.Len(t, searchError(t, err).Candidates, 1)
	require.EqualError(t, err, "load libm: library not found, tried\n  /nowhere/libm.so.6 (RMM_LIBM_OF_TEST): no such file")
}

func TestOpenListsEveryCandidate(t *testing.T) {
	clearEnvironment(t)
	root := t.TempDir()
	t.Setenv("CUDA_PATH", root)
	spec := Spec{Name: "libnosuch", Files: []string{"libnosuch.so.2", "libnosuch.so.1"}, Hint: "install nosuch"}
	_, err := Open(spec, "")
	search := searchError(t, err)

	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, len(search.Candidates)+2, "a heading, a line per candidate, the hint")
	require.Equal(t, "install nosuch", lines[len(lines)-1])
	for i, c := range search.Candidates {
		require.Error(t, c.Err)
		require.Contains(t, lines[i+1], c.Path+" ("+c.Source+"): ")
	}
	sources := map[string]int{}
	for _, c := range search.Candidates {
		sources[c.Source]++
	}
	require.Equal(t, 6, sources["CUDA_PATH"])
	require.Equal(t, 2, sources[SourceLinker])
	require.GreaterOrEqual(t, sources[SourceUsual], 2*len(usualDirs(runtime.GOOS, runtime.GOARCH, os.Getenv)))
}

func TestOpenChecksThatAFileIsTheLibrary(t *testing.T) {
	clearEnvironment(t)
	for name, c := range map[string]struct{ function, reason string }{
		"lacks its version function": {"cuDriverGetVersion", "is not libc: it has no cuDriverGetVersion"},
		// An address is no file descriptor.
		"version function fails": {"close", "close failed with CUDA error -1"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := specC
			spec.VersionFunc = c.function
			_, err := Open(spec, "libc.so.6")
			require.ErrorContains(t, err, c.reason)
			require.ErrorIs(t, err, ErrLibraryNotFound)
		})
	}
}

func TestOpenWithoutCUDA(t *testing.T) {
	clearEnvironment(t)
	lib, err := Open(CUDA(), "")
	if err == nil {
		t.Skipf("this machine has libcuda: %s", lib.Path())
	}
	require.ErrorContains(t, err, "libcuda.so.1 (dynamic linker): ")
	require.ErrorContains(t, err, "RMM_LIBCUDA")
}
