package loader

import "unsafe"

// AddressOf returns the address of *p for C. The object is on the heap from
// then on, where it does not move; the caller keeps it alive with
// runtime.KeepAlive until C is done with the address.
func AddressOf[T any](p *T) uintptr {
	if leak {
		leaks = append(leaks, unsafe.Pointer(p))
	}
	return uintptr(unsafe.Pointer(p))
}

// leak is never true, but the compiler does not know: because AddressOf might
// store p, escape analysis puts *p on the heap.
var (
	leak  bool
	leaks []unsafe.Pointer
)

// GoString copies the zero-terminated C string at an address that C returned.
// Address 0 gives the empty string.
func GoString(address uintptr) string {
	if address == 0 {
		return ""
	}
	start := (*byte)(foreign(address))
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(start), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(start, n))
}

// foreign makes a pointer of an address in C's memory. Never for Go memory:
// the collector does not see the address as a reference.
func foreign(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// cString appends the terminating zero that C wants.
func cString(s string) []byte { return append([]byte(s), 0) }
