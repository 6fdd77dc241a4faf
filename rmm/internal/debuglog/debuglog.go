// Package debuglog is the library's debug log: zap, to the file that
// RMM_DEBUG_LOG_FILE names or to stderr, at the level of RMM_LOGGING_LEVEL.
//
// Both variables are read once, at first use. The file is opened (and
// truncated) by the first message, so that a quiet run leaves no file behind.
package debuglog

import (
	"io"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Names of the environment variables.
const (
	FileVariable  = "RMM_DEBUG_LOG_FILE"
	LevelVariable = "RMM_LOGGING_LEVEL"
)

var process = sync.OnceValue(func() *Log {
	return New(os.Getenv(FileVariable), os.Getenv(LevelVariable), os.Stderr)
})

// Logger is the process-wide debug logger.
func Logger() *zap.Logger { return process().Logger }

// Enabled reports whether messages of a level are written.
func Enabled(level Level) bool { return process().level.Enabled(level) }

// SetLevel changes the level of the process-wide logger.
func SetLevel(level Level) { process().level.SetLevel(level) }

// GetLevel is the level of the process-wide logger.
func GetLevel() Level { return process().level.Level() }

// Log is a logger with a level that can change.
type Log struct {
	*zap.Logger
	level zap.AtomicLevel
}

// New makes a logger that writes to the file named path, or to fallback if path
// is empty or cannot be written. An unknown level is reported in the log and
// taken for info.
func New(path, level string, fallback io.Writer) *Log {
	sink := zapcore.AddSync(fallback)
	if path != "" {
		sink = &lazyFile{path: path, fallback: sink}
	}
	l := &Log{level: zap.NewAtomicLevelAt(Info)}
	l.Logger = zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(encoding()), zapcore.Lock(sink), l.level))
	if level == "" {
		return l
	}
	parsed, err := ParseLevel(level)
	if err != nil {
		l.Warn("reading "+LevelVariable, zap.Error(err), zap.String("using", Name(Info)))
	}
	l.level.SetLevel(parsed)
	return l
}

// encoding is RMM's line: time of day and level in brackets, then the message.
func encoding() zapcore.EncoderConfig {
	return zapcore.EncoderConfig{
		TimeKey:          "time",
		LevelKey:         "level",
		MessageKey:       "message",
		ConsoleSeparator: " ",
		LineEnding:       zapcore.DefaultLineEnding,
		EncodeDuration:   zapcore.NanosDurationEncoder,
		EncodeTime: func(t time.Time, e zapcore.PrimitiveArrayEncoder) {
			e.AppendString(clock(t))
		},
		EncodeLevel: func(l zapcore.Level, e zapcore.PrimitiveArrayEncoder) {
			e.AppendString("[" + (Name(l) + "      ")[:max(6, len(Name(l)))] + "]")
		},
	}
}

// clock prints [HH:MM:SS:ffffff]; package time knows no fraction after a colon.
func clock(t time.Time) string {
	b := t.AppendFormat([]byte{'['}, "15:04:05.000000]")
	b[9] = ':'
	return string(b)
}
