package simtest_test

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watched is a test under test: it takes down what a helper says.
type watched struct {
	testing.TB
	errors []string
}

type stop struct{}

func (w *watched) Helper()      {}
func (w *watched) Failed() bool { return len(w.errors) > 0 }
func (w *watched) Errorf(format string, args ...any) {
	w.errors = append(w.errors, fmt.Sprintf(format, args...))
}
func (w *watched) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	panic(stop{})
}

func (w *watched) text() string { return strings.Join(w.errors, "\n") }

// watch runs f as a test of its own.
func watch(t *testing.T, f func(t testing.TB)) *watched {
	w := &watched{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(stop{}) {
				panic(r)
			}
		}()
		f(w)
	}()
	return w
}
