package debuglog

import (
	"fmt"
	"os"

	"go.uber.org/zap/zapcore"
)

// lazyFile opens its file at the first write. If that fails it says so once, on
// the fallback, and writes there from then on. Calls are serialised by the
// caller (zapcore.Lock).
type lazyFile struct {
	path     string
	fallback zapcore.WriteSyncer
	sink     zapcore.WriteSyncer // nil until the first write
}

// Write appends a message.
func (f *lazyFile) Write(p []byte) (int, error) {
	if f.sink == nil {
		f.sink = f.open()
	}
	return f.sink.Write(p)
}

// Sync flushes what was written.
func (f *lazyFile) Sync() error {
	if f.sink == nil {
		return nil
	}
	return f.sink.Sync()
}

func (f *lazyFile) open() zapcore.WriteSyncer {
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err == nil {
		return file
	}
	fmt.Fprintf(f.fallback, "rmm: cannot write the debug log (%s=%s), logging here instead: %v\n", FileVariable, f.path, err)
	return f.fallback
}
