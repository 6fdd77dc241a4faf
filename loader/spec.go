package loader

import "runtime"

// Spec says which library is wanted and how the search names it.
type Spec struct {
	// Name is how messages call the library: "libcuda".
	Name string
	// Files are its file names, the most wanted first.
	Files []string
	// FileVariable is an environment variable that names the exact file; may be
	// empty.
	FileVariable string
	// VersionFunc is a C function int f(int *version) that works before any
	// initialisation; a file without it, or one where it fails, is not this
	// library. Empty: any file that loads will do.
	VersionFunc string
	// Global makes the library's symbols visible to libraries loaded later, for
	// those with plug-ins that are not linked against it (libpython). CUDA's
	// libraries stay local: two versions of libcudart may share a process.
	Global bool
	// Hint ends the error when nothing was found: what to install.
	Hint string
}

// CUDA is libcuda, which comes with the GPU driver.
func CUDA() Spec {
	return Spec{
		Name:         "libcuda",
		Files:        cudaFiles(runtime.GOOS),
		FileVariable: "RMM_LIBCUDA",
		VersionFunc:  "cuDriverGetVersion",
		Hint:         "install the NVIDIA GPU driver, or set RMM_LIBCUDA to the full path of its library",
	}
}

// CUDART is libcudart, which comes with the CUDA toolkit; versions 13, 12 and
// 11 are looked for in this order.
func CUDART() Spec {
	return Spec{
		Name:         "libcudart",
		Files:        cudartFiles(runtime.GOOS),
		FileVariable: "RMM_LIBCUDART",
		VersionFunc:  "cudaRuntimeGetVersion",
		Hint:         "install the CUDA runtime, or set CUDA_PATH to its folder or RMM_LIBCUDART to the full path of its library",
	}
}

func cudaFiles(goos string) []string {
	switch goos {
	case "windows":
		return []string{"nvcuda.dll"}
	case "darwin":
		return []string{"libcuda.dylib"}
	}
	// Not libcuda.so: without the driver that is the toolkit's stub.
	return []string{"libcuda.so.1"}
}

func cudartFiles(goos string) []string {
	switch goos {
	case "windows":
		return []string{"cudart64_13.dll", "cudart64_12.dll", "cudart64_110.dll"}
	case "darwin":
		return []string{"libcudart.dylib"}
	}
	return []string{"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}
}
