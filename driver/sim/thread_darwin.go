package sim

import "syscall"

// threadID is the operating system's number of the calling thread, by which
// captures tell threads apart.
func threadID() int {
	id, _, _ := syscall.RawSyscall(syscall.SYS_THREAD_SELFID, 0, 0, 0) // it cannot fail
	return int(id)
}
