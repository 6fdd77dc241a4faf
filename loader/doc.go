// Package loader finds CUDA's shared libraries, binds their functions and
// calls them, without cgo. It is the only package of this module that imports
// purego or touches addresses of Go memory.
//
// # Finding
//
// [Open] looks for a library in this order, and remembers why each candidate
// was refused ([SearchError], [Library.Candidates], [Observe]):
//
//  1. the path given to Open, or the file that RMM_LIBCUDA / RMM_LIBCUDART
//     names. What was named is meant: if it does not load, the search ends.
//  2. the toolkit roots CUDA_PATH and CUDA_HOME: lib64, lib, targets/*/lib (on
//     Windows bin and bin\x64)
//  3. the dynamic linker, by bare name
//  4. the usual places of drivers, toolkits, containers, WSL, Jetson and NixOS
//
// A library is never closed: CUDA keeps threads and exit handlers in its own.
//
// # Binding and calling
//
//	var abs loader.Proc
//	lib, err := loader.Open(loader.Spec{Name: "libc", Files: []string{"libc.so.6"}}, "")
//	err = lib.Bind([]loader.Symbol{{Proc: &abs, Name: "abs", Required: true}})
//	f := loader.Acquire()
//	result, err := f.Call(&abs, 42)
//	f.Release()
//
// Arguments are words. An address passed to C must be of a [Frame]'s own words
// or come from [AddressOf]: a goroutine's stack moves when it grows, and C
// would write to where it was.
//
// Built with the tag rmm_nocuda the package opens nothing: Open returns
// [ErrNotBuilt].
package loader
