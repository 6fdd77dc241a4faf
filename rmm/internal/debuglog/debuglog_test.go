package debuglog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/rmm-go/rmm-go/rmm/internal/debuglog"
)

func TestLineForm(t *testing.T) {
	var out bytes.Buffer
	log := debuglog.New("", "", &out)
	log.Error("grow", zap.Int("bytes", 4096))
	log.Info("ready")
	require.Regexp(t, `^\[\d\d:\d\d:\d\d:\d{6}\] \[error \] grow \{"bytes": 4096\}\n\[\d\d:\d\d:\d\d:\d{6}\] \[info  \] ready\n$`, out.String())
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		level string
		lines int
	}{{"trace", 6}, {"DEBUG", 5}, {"Info", 4}, {"", 4}, {"warn", 3}, {"error", 2}, {"critical", 1}, {"OFF", 0}} {
		var out bytes.Buffer
		log := debuglog.New("", c.level, &out)
		for _, l := range []debuglog.Level{debuglog.Trace, debuglog.Debug, debuglog.Info, debuglog.Warn, debuglog.Error, debuglog.Critical} {
			if entry := log.Check(l, "message"); entry != nil {
				entry.Write()
			}
		}
		require.Equal(t, c.lines, strings.Count(out.String(), "\n"), "level %q wrote %s", c.level, &out)
	}
}

func TestLevelNamesRoundTrip(t *testing.T) {
	for _, name := range []string{"trace", "debug", "info", "warn", "error", "critical", "off"} {
		level, err := debuglog.ParseLevel(strings.ToUpper(name))
		require.NoError(t, err)
		require.Equal(t, name, debuglog.Name(level))
	}
}

func TestUnknownLevelIsReported(t *testing.T) {
	var out bytes.Buffer
	debuglog.New("", "loud", &out).Info("still here")
	require.Contains(t, out.String(), `unknown logging level \"loud\": use one of trace, debug, info, warn, error, critical, off`)
	require.Contains(t, out.String(), "still here")
}

func TestFileOpensAtFirstMessageAndIsTruncated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "debug.log")
	log := debuglog.New(path, "", &bytes.Buffer{})
	require.NoError(t, log.Sync())
	require.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	log.Info("first")
	require.NoError(t, log.Sync())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "old")
	require.Contains(t, string(text), "first")
}

func TestUnwritableFileFallsBackWithOneError(t *testing.T) {
	var out bytes.Buffer
	path := filepath.Join(t.TempDir(), "missing", "debug.log")
	log := debuglog.New(path, "", &out)
	log.Info("one")
	log.Info("two")
	require.Equal(t, 1, strings.Count(out.String(), "cannot write the debug log"))
	require.Contains(t, out.String(), path)
	require.Equal(t, 3, strings.Count(out.String(), "\n"))
}

func TestConcurrentUse(t *testing.T) {
	var out bytes.Buffer
	log := debuglog.New("", "info", &out)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				log.Info("message")
			}
		})
	}
	all.Wait()
	require.Equal(t, 800, strings.Count(out.String(), "message\n"))
}

func TestProcessLevelChangesAtRunTime(t *testing.T) {
	before := debuglog.GetLevel()
	defer debuglog.SetLevel(before)
	debuglog.SetLevel(debuglog.Off)
	require.False(t, debuglog.Enabled(debuglog.Critical))
	debuglog.SetLevel(debuglog.Trace)
	require.True(t, debuglog.Enabled(debuglog.Trace))
	require.True(t, debuglog.Logger().Core().Enabled(debuglog.Trace))
}
