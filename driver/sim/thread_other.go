//go:build !linux && !darwin && !windows

package sim

// threadID is the same for all threads here, so that captures behave as if the
// program had one.
func threadID() int { return 0 }
