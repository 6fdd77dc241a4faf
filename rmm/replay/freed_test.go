package replay

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// taken lists who is told about a range, each once.
func taken(f *freedRanges, begin, end uint64) (by []uint32) {
	f.take(begin, end, func(w wait) { by = append(by, w.done) })
	slices.Sort(by)
	return slices.Compact(by)
}

func TestFreedRangesAreCut(t *testing.T) {
	f := newFreedRanges()
	f.put(100, 200, wait{done: 1})
	require.Empty(t, taken(&f, 0, 100))
	require.Empty(t, taken(&f, 200, 300))
	require.Empty(t, taken(&f, 150, 150))
	require.Equal(t, []uint32{1}, taken(&f, 140, 160))
	require.Empty(t, taken(&f, 140, 160), "what was taken is gone")
	require.Equal(t, []uint32{1}, taken(&f, 0, 101), "the lower rest")
	require.Equal(t, []uint32{1}, taken(&f, 199, 999), "the upper rest")
	require.Equal(t, []uint32{1}, taken(&f, 0, 999), "what lies between them")
	require.Nil(t, f.root)
}

// TestFreedRangesAgainstModel compares with a note at every address.
func TestFreedRangesAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFreedRanges()
		var model [64]uint32
		for i := range rapid.IntRange(1, 50).Draw(t, "steps") {
			begin := rapid.IntRange(0, 63).Draw(t, "begin")
			end := rapid.IntRange(begin, 64).Draw(t, "end")
			want := slices.Clone(model[begin:end])
			slices.Sort(want)
			want = slices.DeleteFunc(slices.Compact(want), func(n uint32) bool { return n == 0 })
			require.ElementsMatch(t, want, taken(&f, uint64(begin), uint64(end)))
			by := uint32(0)
			if rapid.Bool().Draw(t, "put") {
				by = uint32(i + 1)
				f.put(uint64(begin), uint64(end), wait{done: by})
			}
			for a := begin; a < end; a++ {
				model[a] = by
			}
		}
	})
}

func TestFreedRangesStayBalanced(t *testing.T) {
	f := newFreedRanges()
	const n = 1 << 14
	for i := range uint64(n) { // in order: an unbalanced tree would be a list
		f.put(i*256, i*256+256, wait{})
	}
	require.Less(t, depth(f.root), 64)
}

func depth(n *freedRange) int {
	if n == nil {
		return 0
	}
	return 1 + max(depth(n.left), depth(n.right))
}
