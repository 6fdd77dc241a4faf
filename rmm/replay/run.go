package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

// Options says how to replay. The zero value is one sequential pass.
type Options struct {
	// Mode says how the threads of the log are replayed. Default: Sequential.
	Mode Mode
	// Repeat is the number of passes over the log. The first is the cold one.
	// Default: 1.
	Repeat int
	// Progress is told now and then, and at the end of each pass, how many
	// operations of all passes are done. It is called outside the timed calls, on
	// a goroutine of its own or on Run's, never twice at a time. Default: nobody
	// is told.
	Progress func(done, total int)
}

// MaxParallel is how many threads a log may have to be replayed in parallel.
const MaxParallel = 1024

// Run replays a log on a resource and leaves the resource as it was: streams
// are closed and memory is freed, also when the context is cancelled, which
// ends the replay between two operations.
//
// Failed operations are counted in the result and are no error. An error means
// that the replay is not complete: a bad option (driver.ErrInvalidValue), a
// device that gives no streams or no longer answers, or the context's cause.
func Run(ctx context.Context, log *Log, resource mr.Resource, opts Options) (Result, error) {
	if err := opts.check(log, resource); err != nil {
		return Result{}, err
	}
	r, err := newRunner(log, resource, opts)
	if err != nil {
		return Result{}, err
	}
	err = r.run(ctx)
	return r.result, errors.Join(err, r.close())
}

func (o *Options) check(log *Log, resource mr.Resource) error {
	switch {
	case log == nil:
		return badArgument("the log is nil: make one with Compile")
	case mr.Equal(resource, nil): // a nil pointer in the interface, too
		return badArgument("there is no resource to replay on")
	case resource.Device() == nil:
		return badArgument("the resource has no device")
	case !o.Mode.valid():
		return badArgument("unknown mode %v: use Sequential or Parallel", o.Mode)
	case o.Repeat < 0:
		return badArgument("Options.Repeat is %d: it must not be negative", o.Repeat)
	case o.Mode == Parallel && len(log.threads) > MaxParallel:
		return badArgument("the log has %d threads, at most %d can be replayed in parallel: use Sequential", len(log.threads), MaxParallel)
	}
	return nil
}

func badArgument(format string, args ...any) error {
	return &driver.ArgumentError{Call: "replay.Run", Reason: fmt.Sprintf(format, args...)}
}
