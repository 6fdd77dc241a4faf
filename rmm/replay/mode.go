package replay

import (
	"fmt"
	"strings"

	"github.com/rmm-go/rmm-go/driver"
)

// Mode says how the threads of a log are replayed.
type Mode int

// The modes.
const (
	// Sequential replays on one goroutine, in the order of the log.
	Sequential Mode = iota
	// Parallel replays on one goroutine for each thread of the log.
	Parallel
)

var modeNames = []string{Sequential: "sequential", Parallel: "parallel"}

// String is the name that ParseMode reads.
func (m Mode) String() string {
	if !m.valid() {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return modeNames[m]
}

// MarshalText is String, for JSON.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText is ParseMode, for JSON.
func (m *Mode) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMode(string(text))
	return err
}

func (m Mode) valid() bool { return m >= 0 && int(m) < len(modeNames) }

// ParseMode reads sequential or parallel in any case. The error for anything
// else is driver.ErrInvalidValue and lists the names.
func ParseMode(name string) (Mode, error) {
	for m, n := range modeNames {
		if strings.EqualFold(name, n) {
			return Mode(m), nil
		}
	}
	return 0, &driver.ArgumentError{Call: "replay.ParseMode", Reason: fmt.Sprintf("unknown mode %q: use one of %s", name, strings.Join(modeNames, ", "))}
}
