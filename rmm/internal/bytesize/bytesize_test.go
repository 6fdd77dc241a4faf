package bytesize_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rmm-go/rmm-go/rmm/internal/bytesize"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]int{
		"0": 0, "256": 256, "1B": 1, "1 b": 1,
		"1kb": 1000, "1KB": 1000, "1KiB": 1024, "2 MiB": 2 << 20, "1.5GiB": 3 << 29, ".5kib": 512, "1.kb": 1000,
		"3tb": 3e12, "3TiB": 3 << 40, "2pb": 2e15, "2PiB": 2 << 50, " 7 GB ": 7e9,
		"0.9B": 0, "1.0009kb": 1000, "9223372036854775807": math.MaxInt64,
	} {
		got, err := bytesize.Parse(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got, in)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{"", " ", "x", "2k", "1.2.3MB", ".", "-1", "-1GiB", "1e9", "0x10", "1 GiB extra", "1GiBs", "١MB", "1_000"} {
		_, err := bytesize.Parse(in)
		require.ErrorContains(t, err, "KiB, MiB", "%q must be refused with what is wanted", in)
	}
	for _, in := range []string{"9223372036854775808", "8EiB", "8192PiB", "9300PB"} {
		_, err := bytesize.Parse(in)
		require.Error(t, err, in)
	}
}

func TestFormat(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.50 KiB", 1 << 20: "1 MiB",
		141e9: "131.32 GiB", 5 << 50: "5 PiB", math.MaxInt64: "8 EiB", -2048: "-2 KiB", math.MinInt64: "-8 EiB",
	} {
		require.Equal(t, want, bytesize.Format(n))
	}
}

func TestParseReadsWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, math.MaxInt64>>20).Draw(t, "n")
		got, err := bytesize.Parse(strconv.Itoa(n) + "MiB")
		if n <= math.MaxInt64>>20 {
			require.NoError(t, err)
			require.Equal(t, n<<20, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1GiB", "1.5 kb", "", "999999999999999999999PB", ".", "1..2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := bytesize.Parse(s)
		if err != nil {
			require.Zero(t, n)
			return
		}
		require.GreaterOrEqual(t, n, 0)
	})
}
