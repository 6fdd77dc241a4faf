package rmm

import "github.com/rmm-go/rmm-go/rmm/internal/bytesize"

// Binary units in bytes.
const (
	KiB = bytesize.KiB
	MiB = bytesize.MiB
	GiB = bytesize.GiB
	TiB = bytesize.TiB
)

// ParseBytes reads an amount of memory such as "1048576", "512MiB", "1.5 GB"
// or "2 tib" and returns bytes, rounded down. Units are read in any case: B, KB
// to PB are powers of 1000, KiB to PiB powers of 1024. The error for anything
// else, or for more than an int holds, says what can be written.
func ParseBytes(s string) (int, error) { return bytesize.Parse(s) }

// FormatBytes prints an amount of memory for people: "512 B", "1.50 GiB".
func FormatBytes(n int) string { return bytesize.Format(n) }
