package sim

import "syscall"

// threadID is the operating system's number of the calling thread, by which
// captures tell threads apart.
func threadID() int { return syscall.Gettid() }
