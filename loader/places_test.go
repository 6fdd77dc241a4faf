package loader

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsualDirsByPlatform(t *testing.T) {
	none := func(string) string { return "" }
	for _, c := range []struct {
		goos, goarch string
		want         []string
		not          string
	}{
		{"linux", "amd64", []string{"/usr/local/cuda/lib64", "/usr/local/cuda/targets/*/lib", "/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/wsl/lib", "/run/opengl-driver/lib"}, "aarch64"},
		{"linux", "arm64", []string{"/usr/local/cuda/lib64", "/usr/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu/tegra"}, "x86_64"},
		{"darwin", "arm64", []string{"/usr/local/cuda/lib"}, "linux"},
	} {
		t.Run(c.goos+"/"+c.goarch, func(t *testing.T) {
			dirs := usualDirs(c.goos, c.goarch, none)
			require.Subset(t, dirs, c.want)
			require.NotContains(t, strings.Join(dirs, " "), c.not)
		})
	}
}

func TestWindowsDirsFollowTheEnvironment(t *testing.T) {
	env := map[string]string{"SystemRoot": "W", "ProgramFiles": "P"}
	dirs := usualDirs("windows", "amd64", func(name string) string { return env[name] })
	require.Contains(t, dirs, filepath.Join("W", "System32"))
	require.Len(t, dirs, 3)
	require.Empty(t, usualDirs("windows", "amd64", func(string) string { return "" }))
}

func TestFilesByPlatform(t *testing.T) {
	require.Equal(t, []string{"libcuda.so.1"}, cudaFiles("linux"))
	require.Equal(t, []string{"nvcuda.dll"}, cudaFiles("windows"))
	require.Equal(t, "libcudart.so.13", cudartFiles("linux")[0], "the newest first")
	require.Equal(t, "cudart64_13.dll", cudartFiles("windows")[0])
}
