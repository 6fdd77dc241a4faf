package checker_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

func TestTheReportNamesBothSidesAndWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	a, b := w.stream(), w.stream()
	w.alloc()
	w.Operation(a, "cuMemsetD8Async", checker.Range{Ptr: p, Size: 64, Write: true})
	w.Operation(b, "cuMemcpyDtoHAsync_v2", checker.Range{Ptr: p, Size: 8})

	h := w.Hazards()[0]
	require.Equal(t, "stream 1", h.First.By)
	require.Equal(t, "cuMemcpyDtoHAsync_v2", h.Second.Call)
	require.Equal(t, 8, h.Size, "the part that both touch")
	lines := strings.Split(h.String(), "\n")
	require.Equal(t, "unordered write and read: stream 1 wrote 0x100000 (8 bytes), stream 2 reads it; no event or synchronisation orders the read after the write", lines[0])
	require.Equal(t, "\tstream 1: cuMemsetD8Async", lines[1])
	require.Contains(t, lines[2], "report_test.go:")
	require.Contains(t, h.Second.Frames[0].Function, "TestTheReportNamesBothSides")
	require.NotEqual(t, h.First.Frames[0].Line, h.Second.Frames[0].Line)
}

func TestTheReportOfAnAccessOutOfBounds(t *testing.T) {
	w := newWorld(t)
	w.alloc()
	w.write(w.stream(), p+size-4, 8)
	h := w.Hazards()[0]
	require.Equal(t, checker.Range{Ptr: p, Size: size}, h.Allocation)
	require.Contains(t, h.String(), "access out of bounds: the host allocated 0x100ffc (8 bytes), stream 1 writes it; the allocation ends at 0x101000, the access at 0x101004")
}

func TestEveryKindHasAName(t *testing.T) {
	for k := checker.WriteWrite; k <= checker.ForeignFree; k++ {
		require.NotContains(t, k.String(), "Kind(")
	}
	require.Equal(t, "Kind(0)", checker.Kind(0).String())
	require.Equal(t, "Kind(99)", checker.Kind(99).String())
}

// TestWithoutACheckerNothingHappens: a machine calls a nil checker.
func TestWithoutACheckerNothingHappens(t *testing.T) {
	var c *checker.Checker
	legacy := c.NewDevice("")
	s := c.NewStream(legacy, "", true)
	r := checker.Range{Ptr: p, Size: 8}
	c.Allocated(s, "", p, 8, checker.Plain)
	c.Access(c.Operation(legacy, "", r), r)
	c.HostAccess("", r)
	c.Wait(s, c.Record(s))
	c.Synchronized(c.MarkStream(s))
	c.Synchronized(c.MarkDevice(legacy))
	c.Synchronized(c.MarkAct(nil))
	c.Annotate(s, api.Annotation{})
	c.AnnotateCaptured(api.Annotation{})
	c.RefusedAccess("", nil, r)
	c.RefusedFree("", p, nil)
	c.Freed(s, "", p, 8)
	c.CloseStream(s)
	require.Empty(t, c.Hazards())
}
