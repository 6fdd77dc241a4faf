//go:build !linux && !darwin && !windows

package sim

import "errors"

// reserve takes memory from the Go heap, which commits large blocks as they are
// touched on most systems.
func reserve(size int) ([]byte, error) {
	if size > 1<<40 {
		return nil, errors.New("more than the Go heap can have")
	}
	return make([]byte, size), nil
}

func unreserve([]byte) error { return nil }
