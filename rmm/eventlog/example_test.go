package eventlog_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/rmm-go/rmm-go/rmm/eventlog"
)

func ExampleRead() {
	log := strings.NewReader(`Thread,Time,Action,Pointer,Size,Stream
4711,14:24:54.628665,allocate,0x7f2a30000000,1024,0x1
4711,14:24:54.628950,free,0x7f2a30000000,1k,0x1
`)
	for event, err := range eventlog.Read(log, "run.csv") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %v %d bytes at %#x\n", event.Time, event.Action, event.Size, event.Ptr)
	}
	// Output:
	// 14h24m54.628665s: allocate 1024 bytes at 0x7f2a30000000
	// run.csv:3:42: Size "1k" is not a decimal number of bytes from 0 to 9223372036854775807
}

func ExampleWriter() {
	w := eventlog.NewWriter(os.Stdout)
	err := w.WriteEvent(eventlog.Event{
		Thread: 4711, Time: 14*time.Hour + 24*time.Minute, Action: eventlog.Allocate, Ptr: 0x7f2a30000000, Size: 1024, Stream: 1,
	})
	if err != nil {
		fmt.Println(err)
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Thread,Time,Action,Pointer,Size,Stream
	// 4711,14:24:00.000000,allocate,0x7f2a30000000,1024,0x1
}

func ExampleSummarize() {
	s, err := eventlog.Summarize(eventlog.File("../../testdata/traces/small.csv"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d rows, at most %d bytes live, %d left at the end\n", s.Rows, s.PeakLiveBytes, s.LiveAtEnd)
	// Output: 12 rows, at most 66816 bytes live, 1 left at the end
}
