// Command rmm shows what CUDA a machine has and replays allocation logs
// through memory resources.
//
//	rmm info              libraries, versions, devices and what they can do
//	rmm replay [FILE…]    replay logs and compare memory resources
//
// Without a GPU it runs on the simulator and says so.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes the command and returns its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "rmm:", err)
		return 1
	}
	return 0
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "rmm",
		Short:         "GPU memory resources for Go: what this machine has, and how allocation logs fare on it",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newInfo(), newReplay())
	return root
}
