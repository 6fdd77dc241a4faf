// Package bytesize reads and prints amounts of memory.
package bytesize

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Binary units in bytes.
const (
	KiB = 1 << 10
	MiB = 1 << 20
	GiB = 1 << 30
	TiB = 1 << 40
)

// units maps lower-case suffixes to bytes.
var units = map[string]int64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "pb": 1e15,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "pib": 1 << 50,
}

const wanted = `write a number and one of B, KB, MB, GB, TB, PB (powers of 1000) or KiB, MiB, GiB, TiB, PiB (powers of 1024), such as "512MiB" or "1.5 GiB"`

// Parse reads an amount such as "1048576", "512MiB", "1.5 GB" or "2 tib" and
// returns bytes, rounded down. Units are read in any case.
func Parse(s string) (int, error) {
	number, unit := split(strings.TrimSpace(s))
	factor, ok := units[strings.ToLower(unit)]
	if !ok || !isDecimal(number) {
		return 0, fmt.Errorf("cannot read %q as an amount of memory: %s", s, wanted)
	}
	value, _ := new(big.Rat).SetString(number)
	value.Mul(value, new(big.Rat).SetInt64(factor))
	bytes := new(big.Int).Quo(value.Num(), value.Denom())
	if !bytes.IsInt64() {
		return 0, fmt.Errorf("%q is more than %d bytes, the largest amount there is", s, int64(math.MaxInt64))
	}
	return int(bytes.Int64()), nil
}

// split cuts an amount into its number and its unit.
func split(s string) (number, unit string) {
	end := strings.IndexFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		return s, ""
	}
	return s[:end], strings.TrimSpace(s[end:])
}

// maxDigits bounds the work that a hostile number can cause; the largest amount
// has 19 digits.
const maxDigits = 64

// isDecimal accepts digits with at most one point and at least one digit.
func isDecimal(s string) bool {
	points := strings.Count(s, ".")
	return points <= 1 && len(s) > points && len(s) <= maxDigits
}

// Format prints n bytes for people: "512 B", "1.50 GiB". Whole numbers of a
// unit have no decimals.
func Format(n int) string {
	if n < 0 {
		if n == math.MinInt {
			return "-8 EiB"
		}
		return "-" + Format(-n)
	}
	if n < KiB {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), -1
	for value >= KiB && unit < len(binaryUnits)-1 {
		value /= KiB
		unit++
	}
	if value == math.Trunc(value) {
		return fmt.Sprintf("%.0f %s", value, binaryUnits[unit])
	}
	return fmt.Sprintf("%.2f %s", value, binaryUnits[unit])
}

var binaryUnits = []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
