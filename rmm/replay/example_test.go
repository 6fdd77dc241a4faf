package replay_test

import (
	"context"
	"fmt"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/eventlog"
	"github.com/rmm-go/rmm-go/rmm/mr"
	"github.com/rmm-go/rmm-go/rmm/replay"
)

// A log is replayed on the simulator, five times on one goroutine for each of
// its threads.
func ExampleRun() {
	log, err := replay.Compile(eventlog.File("../../testdata/traces/small.csv"))
	if err != nil {
		fmt.Println(err)
		return
	}
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer drv.Close()
	dev, err := drv.DefaultDevice()
	if err != nil {
		fmt.Println(err)
		return
	}
	resource, err := mr.NewCuda(dev)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := replay.Run(context.Background(), log, resource, replay.Options{Mode: replay.Parallel, Repeat: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("rows:", result.Events)
	fmt.Println("failed:", result.Failed, "out of memory:", result.OutOfMemory)
	fmt.Println("peak:", result.PeakLiveBytes, "bytes, left live:", result.LiveAtEnd)
	// result.NsPerOpMean is the mean time of a call.

	// Output:
	// rows: 12
	// failed: 0 out of memory: 0
	// peak: 66816 bytes, left live: 1
}
