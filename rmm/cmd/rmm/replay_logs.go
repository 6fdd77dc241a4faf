package main

import (
	"bytes"
	_ "embed"

	"github.com/rmm-go/rmm-go/rmm/eventlog"
	"github.com/rmm-go/rmm-go/rmm/replay"
)

// embeddedLog is the beginning of a real log: a PyTorch data pipeline with eight
// streams.
//
//go:embed testdata/trace.csv.gz
var embeddedLog []byte

const embeddedName = "embedded trace"

// compiledLog is a log with its name.
type compiledLog struct {
	name string
	log  *replay.Log
}

// openLogs reads all logs before any is replayed, so that a broken one is found
// at once.
func openLogs(files []string) ([]compiledLog, error) {
	if len(files) == 0 {
		log, err := replay.Compile(eventlog.Read(bytes.NewReader(embeddedLog), embeddedName))
		return []compiledLog{{embeddedName, log}}, err
	}
	var logs []compiledLog
	for _, file := range files {
		log, err := replay.Compile(eventlog.File(file))
		if err != nil {
			return nil, err
		}
		logs = append(logs, compiledLog{file, log})
	}
	return logs, nil
}
