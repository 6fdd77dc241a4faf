package checker_test

import (
	"testing"

	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// TestMappingsSideBySide are one range, unlike allocations.
func TestMappingsSideBySide(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.Allocated(nil, "cuMemMap", p, size, checker.Mapped)
	w.Allocated(nil, "cuMemMap", p+size, size, checker.Mapped)
	w.write(a, p, 2*size)
	w.clean()
	w.read(b, p+size, 1)
	w.only(checker.WriteRead)
	w.write(a, p, 2*size+1)
	w.only(checker.WriteRead, checker.ReadWrite, checker.OutOfBounds)
}

// TestUnmappingWaitsForNothing: pending work makes it a hazard.
func TestUnmappingWaitsForNothing(t *testing.T) {
	w := newWorld(t)
	a := w.stream()
	w.Allocated(nil, "cuMemMap", p, size, checker.Mapped)
	w.read(a, p, 8)
	w.Freed(nil, "cuMemUnmap", p, size)
	w.only(checker.UnorderedFree)

	w.Allocated(nil, "cuMemMap", p, size, checker.Mapped)
	w.read(a, p, 8)
	w.sync(a)
	w.Freed(nil, "cuMemUnmap", p, size)
	w.only(checker.UnorderedFree)
}
