package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim"
)

const hintPage = 4 * kib

// managedPages is managed memory for the length of the test, and how to ask
// about some of its pages.
func (r *rig) managedPages(pages int) (p api.Ptr, ask func(from, to int, a api.RangeAttribute) int) {
	p, err := r.MemAllocManaged(pages * hintPage)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, r.MemFree(p)) })
	require.Zero(r.t, p%hintPage)
	return p, func(from, to int, a api.RangeAttribute) int {
		v, err := r.Device.(api.ManagedHints).MemRangeAttribute(p+api.Ptr(from*hintPage), (to-from)*hintPage, a)
		require.NoError(r.t, err)
		return v
	}
}

func TestHintsAreKeptByPage(t *testing.T) {
	r := newRig(t, sim.Config{Devices: 2})
	h := r.Device.(api.ManagedHints)
	p, ask := r.managedPages(10)
	require.Equal(t, 0, ask(0, 10, api.RangeReadMostly))
	require.Equal(t, -2, ask(0, 10, api.RangePreferredLocation))
	require.Equal(t, -2, ask(0, 10, api.RangeLastPrefetchLocation))

	require.NoError(t, h.MemAdvise(p+hintPage+1, 2*hintPage, api.AdviseSetPreferredLocation, 1))
	require.Equal(t, 1, ask(1, 4, api.RangePreferredLocation), "touched pages count whole")
	require.Equal(t, -2, ask(0, 4, api.RangePreferredLocation), "they differ")
	require.Equal(t, -2, ask(4, 10, api.RangePreferredLocation))
	require.NoError(t, h.MemAdvise(p, 10*hintPage, api.AdviseSetPreferredLocation, -1))
	require.Equal(t, -1, ask(0, 10, api.RangePreferredLocation))
	require.NoError(t, h.MemAdvise(p, 10*hintPage, api.AdviseUnsetPreferredLocation, 99))
	require.Equal(t, -2, ask(0, 10, api.RangePreferredLocation))

	require.NoError(t, h.MemAdvise(p, hintPage, api.AdviseSetReadMostly, 99))
	require.Equal(t, 1, ask(0, 1, api.RangeReadMostly))
	require.Equal(t, 0, ask(0, 2, api.RangeReadMostly))
	require.NoError(t, h.MemAdvise(p, hintPage, api.AdviseUnsetReadMostly, 0))
	require.Equal(t, 0, ask(0, 1, api.RangeReadMostly))

	require.NoError(t, r.PrefetchAsync(p, 5*hintPage, 1, 0))
	require.NoError(t, r.PrefetchAsync(p+2*hintPage, hintPage, -1, 0))
	require.Equal(t, 1, ask(0, 2, api.RangeLastPrefetchLocation))
	require.Equal(t, -1, ask(2, 3, api.RangeLastPrefetchLocation))
	require.Equal(t, 1, ask(3, 5, api.RangeLastPrefetchLocation))
	require.NoError(t, h.MemAdvise(p, hintPage, api.AdviseSetAccessedBy, 1))
	require.NoError(t, h.MemAdvise(p, hintPage, api.AdviseUnsetAccessedBy, -1))
}

// TestHintsFollowAModel compares the runs of pages with one hint for each page.
func TestHintsFollowAModel(t *testing.T) {
	const pages = 12
	r := newRig(t, sim.Config{Devices: 3})
	h := r.Device.(api.ManagedHints)
	p, ask := r.managedPages(pages)
	var model [pages]int
	require.NoError(t, r.PrefetchAsync(p, pages*hintPage, 0, 0))
	rapid.Check(t, func(rt *rapid.T) {
		from := rapid.IntRange(0, pages-1).Draw(rt, "from")
		to := rapid.IntRange(from+1, pages).Draw(rt, "to")
		where := rapid.IntRange(-1, 2).Draw(rt, "where")
		require.NoError(rt, h.MemAdvise(p+api.Ptr(from*hintPage), (to-from)*hintPage, api.AdviseSetPreferredLocation, where))
		for i := from; i < to; i++ {
			model[i] = where + 2
		}
		for i, want := range model {
			require.Equal(rt, want-2, ask(i, i+1, api.RangePreferredLocation))
		}
		require.Equal(rt, where, ask(from, to, api.RangePreferredLocation))
		require.Equal(rt, 0, ask(0, pages, api.RangeLastPrefetchLocation), "other hints stay")
	})
}

func TestMisuseOfHints(t *testing.T) {
	r := newRig(t, sim.Config{})
	h := r.Device.(api.ManagedHints)
	p, _ := r.managedPages(1)
	device := r.alloc(64)
	code(t, api.CodeInvalidValue, "not inside managed memory", h.MemAdvise(device, 64, api.AdviseSetReadMostly, 0))
	code(t, api.CodeInvalidValue, "not inside managed memory", h.MemAdvise(p, hintPage+1, api.AdviseSetReadMostly, 0))
	code(t, api.CodeInvalidValue, "0 bytes", h.MemAdvise(p, 0, api.AdviseSetReadMostly, 0))
	code(t, api.CodeInvalidValue, "advice 7", h.MemAdvise(p, 1, 7, 0))
	code(t, api.CodeInvalidDevice, "-1 for the host", h.MemAdvise(p, 1, api.AdviseSetPreferredLocation, 1))
	code(t, api.CodeInvalidDevice, "-1 for the host", h.MemAdvise(p, 1, api.AdviseSetAccessedBy, -2))
	_, err := h.MemRangeAttribute(device, 1, api.RangeReadMostly)
	code(t, api.CodeInvalidValue, "not inside managed memory", err)
	_, err = h.MemRangeAttribute(p, 1, 3)
	code(t, api.CodeInvalidValue, "attribute 3", err)

	r = newRig(t, sim.Config{Attributes: map[sim.Attribute]int{api.AttrConcurrentManagedAccess: 0}})
	p, _ = r.managedPages(1)
	err = r.Device.(api.ManagedHints).MemAdvise(p, 1, api.AdviseSetPreferredLocation, 0)
	code(t, api.CodeInvalidDevice, "without concurrent managed access", err)
	code(t, api.CodeInvalidDevice, "without concurrent managed access", r.PrefetchAsync(p, 1, -1, 0))
}

func TestHintsGoWithTheMemory(t *testing.T) {
	r := newRig(t, sim.Config{})
	p, err := r.MemAllocManaged(hintPage)
	require.NoError(t, err)
	require.NoError(t, r.PrefetchAsync(p, hintPage, 0, 0))
	require.NoError(t, r.MemFree(p))
	_, ask := r.managedPages(1)
	require.Equal(t, -2, ask(0, 1, api.RangeLastPrefetchLocation))
}
