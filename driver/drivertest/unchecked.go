package drivertest

import (
	"sync"
	"testing"
)

var uncheckedTests sync.Map // by testing.TB

// Unchecked makes the simulated machines that the test opens from here on lack
// the ordering checker; on a GPU it does nothing. It is for tests of what the
// checker cannot judge: work that a host function holds back until the program
// has done something else, or how much Go memory a call allocates.
func Unchecked(t testing.TB) {
	t.Helper()
	uncheckedTests.Store(t, true)
	t.Cleanup(func() { uncheckedTests.Delete(t) })
}

// checks reports whether a machine of the test has a checker: it would distort a
// benchmark.
func checks(t testing.TB) bool {
	_, benchmark := t.(*testing.B)
	_, unchecked := uncheckedTests.Load(t)
	return !benchmark && !unchecked
}
