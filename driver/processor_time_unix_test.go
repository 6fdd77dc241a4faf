//go:build unix

package driver_test

import (
	"syscall"
	"time"
)

// processorTime is what the process has used so far, in user and system mode.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
