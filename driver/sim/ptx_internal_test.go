package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const ptxHead = "// made by hand\n.version 7.0\n.target sm_70\n.address_size 64\n"

func TestEntries(t *testing.T) {
	for _, c := range []struct {
		text string
		want []entry
	}{
		{"", nil},
		{".func helper() { ret; }", nil},
		{".visible .entry k() { ret; }", []entry{{"k", nil}}},
		{".entry k { ret; }", []entry{{"k", nil}}},
		{".weak\t.entry\n _Z3addPf (\n)\n{ ret; }", []entry{{"_Z3addPf", nil}}},
		{"// .entry no()\n/* .entry no(\n) */ .entry yes()", []entry{{"yes", nil}}},
		{".entry a(.param .u64 p, .param .f32 x)\n{}\n.entry b(.param .b8 c)", []entry{{"a", []int{8, 4}}, {"b", []int{1}}}},
		{".entry a(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24])", []entry{{"a", []int{8, 24}}}},
		{".entry a(.param .b64 v[3], .param .texref t)", []entry{{"a", []int{24, 0}}}},
		{".entry a(.param .b8 v[99999999999999999999])", []entry{{"a", []int{0}}}},
		{".entry %f$x()", []entry{{"%f$x", nil}}},
	} {
		got, isPTX := entries([]byte(ptxHead + c.text))
		require.True(t, isPTX)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestWhatIsNoPTX(t *testing.T) {
	for _, text := range []string{"", "hello", ".entry k() {}", "\x7fELF.version", "# .version 7.0"} {
		_, isPTX := entries([]byte(text))
		require.False(t, isPTX, text)
	}
	_, isPTX := entries([]byte(ptxHead + "\x00"))
	require.True(t, isPTX, "as C has it")
}

func FuzzEntries(f *testing.F) {
	f.Add(ptxHead + ".entry a(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24]) { ret; }")
	f.Add(".version /* .entry x */ 7.0 .entry k")
	f.Fuzz(func(t *testing.T, text string) {
		found, isPTX := entries([]byte(text))
		require.True(t, isPTX || found == nil)
		for _, e := range found {
			require.True(t, strings.Contains(text, e.name))
			for _, size := range e.params {
				require.True(t, size >= 0 && size <= 16*maxParams)
			}
		}
	})
}
