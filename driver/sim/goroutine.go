package sim

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// goroutine is the number of the calling goroutine. Go hides it on purpose; the
// seeded mode needs to tell who calls, through code that knows nothing of it.
func goroutine() uint64 {
	var buf [64]byte
	fields := bytes.Fields(buf[:runtime.Stack(buf[:], false)])
	id, _ := strconv.ParseUint(string(fields[1]), 10, 64) // "goroutine 12 [running]:"
	return id
}

// heldUp reports whether a goroutine waits for another one, and not inside the
// machine: for a lock, a channel, a condition.
func heldUp(id uint64) bool {
	_, after, ok := strings.Cut(stacks(), fmt.Sprintf("goroutine %d [", id))
	if !ok {
		return false
	}
	stack, _, _ := strings.Cut(after, "\n\n")
	state, frames, _ := strings.Cut(stack, "\n")
	return slices.ContainsFunc(waits, func(w string) bool { return strings.HasPrefix(state, w) }) && !insideMachine(frames)
}

// waits are how Go calls the states of goroutines that others hold up.
var waits = []string{"sync.", "semacquire", "chan ", "select"}

// insideMachine reports whether a member of a crew is in a call to the machine.
func insideMachine(frames string) bool {
	for line := range strings.Lines(frames) {
		if strings.Contains(line, "/driver/sim.(") && !strings.Contains(line, "sim.(*crew).run") && !strings.HasPrefix(line, "created by") {
			return true
		}
	}
	return false
}

// stacks are the stacks of all goroutines.
func stacks() string {
	for size := 64 << 10; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size {
			return string(buf[:n])
		}
	}
}
