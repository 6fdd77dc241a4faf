//go:build !linux || rmm_nocuda

package loader

// resolvedPath is known on Linux only.
func resolvedPath(uintptr) string { return "" }
