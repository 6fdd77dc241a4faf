//go:build linux && !rmm_nocuda

package loader_test

import (
	"errors"
	"fmt"

	"github.com/rmm-go/rmm-go/loader"
)

// Any library is found and bound in the way that CUDA's are.
func Example() {
	lib, err := loader.Open(loader.Spec{Name: "libc", Files: []string{"libc.so.6"}}, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	var abs loader.Proc
	if err := lib.Bind([]loader.Symbol{{Proc: &abs, Name: "abs", Required: true}}); err != nil {
		fmt.Println(err)
		return
	}
	f := loader.Acquire()
	defer f.Release()
	minus42 := -42
	result, err := f.Call(&abs, uintptr(minus42))
	fmt.Println(result, err)
	// Output: 42 <nil>
}

// A failed search says what was tried and why each candidate was refused.
func ExampleSearchError() {
	_, err := loader.Open(loader.CUDA(), "/opt/driver/libcuda.so.1")
	var search *loader.SearchError
	if errors.As(err, &search) {
		for _, c := range search.Candidates {
			fmt.Printf("%s (%s): %v\n", c.Path, c.Source, c.Err)
		}
	}
	// Output: /opt/driver/libcuda.so.1 (given path): no such file
}
