package loader

import "path/filepath"

// rootVariables name the environment variables that hold a toolkit's folder.
var rootVariables = []string{"CUDA_PATH", "CUDA_HOME"}

// rootDirs lists where a toolkit under root keeps its libraries, as patterns.
func rootDirs(goos, root string) []string {
	if goos == "windows" {
		// CUDA 13 moved the libraries from bin to bin\x64.
		return under(root, `bin\x64`, "bin")
	}
	return under(root, "lib64", "lib", "targets/*/lib")
}

// usualDirs lists where drivers, toolkits and containers put their libraries,
// as patterns, for one platform.
func usualDirs(goos, goarch string, getenv func(string) string) []string {
	switch goos {
	case "windows":
		return windowsDirs(getenv)
	case "linux":
		return linuxDirs(goarch)
	}
	return []string{"/usr/local/cuda/lib"}
}

func linuxDirs(goarch string) []string {
	dirs := []string{
		"/usr/local/cuda/lib64",
		"/usr/local/cuda/targets/*/lib",
		"/usr/local/nvidia/lib64", // NVIDIA's container runtime, Kubernetes device plug-ins
	}
	switch goarch {
	case "amd64":
		dirs = append(dirs, "/usr/lib/x86_64-linux-gnu")
	case "arm64":
		dirs = append(dirs, "/usr/lib/aarch64-linux-gnu",
			"/usr/lib/aarch64-linux-gnu/tegra", "/usr/lib/aarch64-linux-gnu/nvidia") // Jetson, before and since JetPack 6
	}
	return append(dirs,
		"/usr/lib64",
		"/usr/lib/wsl/lib",        // WSL: the Windows driver's own
		"/run/opengl-driver/lib",  // NixOS
		"/usr/lib/nvidia/current", // Debian without its alternatives
		"/opt/cuda/targets/*/lib", // Arch
		"/usr/local/cuda-*/lib64") // several toolkits side by side
}

func windowsDirs(getenv func(string) string) []string {
	var dirs []string
	if root := getenv("SystemRoot"); root != "" {
		dirs = append(dirs, under(root, "System32")...)
	}
	if files := getenv("ProgramFiles"); files != "" {
		toolkit := filepath.Join(files, "NVIDIA GPU Computing Toolkit", "CUDA", "v*")
		dirs = append(dirs, rootDirs("windows", toolkit)...)
	}
	return dirs
}

func under(root string, dirs ...string) []string {
	joined := make([]string, len(dirs))
	for i, dir := range dirs {
		joined[i] = filepath.Join(root, dir)
	}
	return joined
}
