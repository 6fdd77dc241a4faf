package sim

var getCurrentThreadID = kernel32.NewProc("GetCurrentThreadId")

// threadID is the operating system's number of the calling thread, by which
// captures tell threads apart.
func threadID() int {
	id, _, _ := getCurrentThreadID.Call() // it cannot fail
	return int(id)
}
