package simtest

import "slices"

// Shrink leaves operations out of a script for as long as fails still holds, and
// returns the rest, in which no single operation can be left out. fails must not
// change what it is given. (It is Zeller's delta debugging.)
func Shrink[T any](script []T, fails func([]T) bool) []T {
	for size := len(script); size > 0; {
		shorter, ok := withoutOne(script, size, fails)
		if ok {
			script, size = shorter, min(size, len(shorter))
		} else {
			size /= 2
		}
	}
	return script
}

// withoutOne leaves out the first piece of a size without which the script still
// fails.
func withoutOne[T any](script []T, size int, fails func([]T) bool) ([]T, bool) {
	for at := 0; at < len(script); at += size {
		shorter := slices.Concat(script[:at], script[min(at+size, len(script)):])
		if fails(shorter) {
			return shorter, true
		}
	}
	return nil, false
}
