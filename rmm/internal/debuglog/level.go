package debuglog

import (
	"fmt"
	"strings"

	"go.uber.org/zap/zapcore"
)

// Level says how much is logged. The names are RMM's; the numbers are zap's, so
// that a Level can be compared with zap's own.
type Level = zapcore.Level

// The levels, from most to least verbose.
const (
	Trace    Level = -2
	Debug          = zapcore.DebugLevel
	Info           = zapcore.InfoLevel
	Warn           = zapcore.WarnLevel
	Error          = zapcore.ErrorLevel
	Critical       = zapcore.DPanicLevel
	Off      Level = zapcore.FatalLevel + 1
)

var levels = []struct {
	level Level
	name  string
}{
	{Trace, "trace"}, {Debug, "debug"}, {Info, "info"}, {Warn, "warn"}, {Error, "error"}, {Critical, "critical"}, {Off, "off"},
}

// ParseLevel reads a level in any case; the error for another word names them.
func ParseLevel(s string) (Level, error) {
	names := make([]string, len(levels))
	for i, l := range levels {
		if strings.EqualFold(strings.TrimSpace(s), l.name) {
			return l.level, nil
		}
		names[i] = l.name
	}
	return Info, fmt.Errorf("unknown logging level %q: use one of %s", s, strings.Join(names, ", "))
}

// Name is the word that ParseLevel reads for a level.
func Name(level Level) string {
	for _, l := range levels {
		if l.level == level {
			return l.name
		}
	}
	return level.String()
}
