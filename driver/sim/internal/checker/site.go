package checker

import (
	"fmt"
	"runtime"
	"strings"
)

// depth is how many frames of a call are looked at; the layers of the driver
// take up to ten of them.
const depth = 20

// site is a stack from which calls were made. Equal stacks are one site.
type site struct{ frames [depth]uintptr }

// sites are the stacks seen so far.
type sites map[[depth]uintptr]*site

// here is the site of the call under way.
func (s sites) here() *site {
	var frames [depth]uintptr
	runtime.Callers(4, frames[:])
	known := s[frames]
	if known == nil {
		known = &site{frames}
		s[frames] = known
	}
	return known
}

// callers are the frames outside the driver, the innermost first; at most shown
// of them.
func (s *site) callers() []runtime.Frame {
	n := 0
	for n < depth && s.frames[n] != 0 {
		n++
	}
	var out []runtime.Frame
	frames := runtime.CallersFrames(s.frames[:n])
	for len(out) < shown {
		f, more := frames.Next()
		if f.Function != "" && !ours(f) {
			out = append(out, f)
		}
		if !more {
			break
		}
	}
	return out
}

// shown is how many frames of a call site a report has.
const shown = 3

// root is the folder of package driver, as the compiler names it.
var root = func() string {
	_, file, _, _ := runtime.Caller(0)
	return strings.TrimSuffix(file, "sim/internal/checker/site.go")
}()

// ours reports whether a frame belongs to the driver, its backends or the
// machinery of Go; the driver's tests do not. Files tell it, because a function
// that was inlined has the name of its caller.
func ours(f runtime.Frame) bool {
	if strings.HasPrefix(f.File, root) {
		return !strings.HasSuffix(f.File, "_test.go")
	}
	return strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.Function, "testing.")
}

func formatFrames(frames []runtime.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		fmt.Fprintf(&b, "\n\t\t%s:%d %s", f.File, f.Line, f.Function)
	}
	return b.String()
}
