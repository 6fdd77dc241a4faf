package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
	"github.com/rmm-go/rmm-go/rmm"
	"github.com/rmm-go/rmm-go/rmm/replay"
)

// replayFlags are the settings of rmm replay.
type replayFlags struct {
	backend   backendFlag
	resources []string
	modes     []string
	repeat    int
	initial   string
	check     bool
	asJSON    bool
}

func newReplay() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay [FILE…]",
		Short: "Replay allocation logs through memory resources and compare what they cost",
		Long: `Replay allocation logs in RMM's CSV form (plain or gzip) through memory resources
and compare what their calls cost. Without a FILE a log of a real PyTorch data
pipeline is replayed, which the command has with it.

The exit status is not 0 if an operation failed, memory ran out, or a log frees
what it does not hold.`,
		RunE: func(cmd *cobra.Command, files []string) error { return f.run(cmd, files) },
	}
	f.backend.register(cmd.Flags())
	names := strings.Join(rmm.AllocatorNames(), ", ")
	cmd.Flags().StringSliceVar(&f.resources, "resource", []string{"cuda", "cuda-async"}, "memory resources to compare: "+names)
	cmd.Flags().StringSliceVar(&f.modes, "mode", []string{"sequential"}, "sequential, or parallel: a goroutine per thread of the log")
	cmd.Flags().IntVar(&f.repeat, "repeat", 3, "passes over each log; the first is the cold one")
	cmd.Flags().StringVar(&f.initial, "initial", "0", "what cuda-async takes from the device at the start, as 512MiB or 1GiB; other resources ignore it")
	cmd.Flags().BoolVar(&f.check, "check", false, "on the simulator, report accesses to memory that nothing orders; slow")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

// errReplay is the exit status of a replay that went wrong; what went wrong is
// in the output.
var errReplay = errors.New("some operations failed, ran out of memory or freed what was not live: see the output")

func (f *replayFlags) run(cmd *cobra.Command, files []string) (err error) {
	job, err := f.job(files)
	if err != nil {
		return err
	}
	machine, err := sim.New(sim.Config{Check: f.check})
	if err != nil {
		return err
	}
	drv, note, err := f.backend.open(machine)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drv.Close()) }()
	if f.check && drv.Backend() != driver.Sim {
		return errors.New("--check is for the simulator: add --backend sim")
	}
	dev, err := drv.DefaultDevice()
	if err != nil {
		return err
	}
	f.announce(cmd, note, dev)
	bar := newProgress(cmd.ErrOrStderr())
	results, err := job.run(cmd.Context(), dev, bar)
	bar.finish()
	if err != nil {
		return err
	}
	if err := f.write(cmd.OutOrStdout(), report{drv.Backend().String(), dev.Name(), results}); err != nil {
		return err
	}
	return errors.Join(verdict(results), order(machine))
}

// order turns what the ordering checker found into an error.
func order(machine *sim.Machine) error {
	var errs []error
	for _, h := range machine.Hazards() {
		errs = append(errs, errors.New(h.String()))
	}
	return errors.Join(errs...)
}

// announce says what the command runs on: the first line of the output, and out
// of the way of JSON.
func (f *replayFlags) announce(cmd *cobra.Command, note string, dev *driver.Device) {
	w := cmd.OutOrStdout()
	if f.asJSON {
		w = cmd.ErrOrStderr()
	}
	fmt.Fprintf(w, "%s: %v\n", note, dev)
}

func (f *replayFlags) write(w io.Writer, r report) error {
	if f.asJSON {
		return writeJSON(w, r)
	}
	return r.print(w)
}

// job checks the flags before anything is opened.
func (f *replayFlags) job(files []string) (*job, error) {
	j := &job{files: files, resources: f.resources, repeat: f.repeat}
	if f.repeat < 1 {
		return nil, fmt.Errorf("--repeat is %d: at least one pass is needed", f.repeat)
	}
	for _, name := range f.modes {
		mode, err := replay.ParseMode(name)
		if err != nil {
			return nil, fmt.Errorf("--mode: %w", err)
		}
		j.modes = append(j.modes, mode)
	}
	for _, name := range f.resources {
		if err := rmm.CheckAllocatorName(name); err != nil {
			return nil, fmt.Errorf("--resource: %w", err)
		}
	}
	var err error
	if j.initialSize, err = rmm.ParseBytes(f.initial); err != nil {
		return nil, fmt.Errorf("--initial: %w", err)
	}
	return j, nil
}

// verdict turns results that are not clean into an error.
func verdict(results []result) error {
	for _, r := range results {
		if r.Failed > 0 || r.OutOfMemory > 0 || r.UnmatchedFrees > 0 {
			return errReplay
		}
	}
	return nil
}

// job is what to replay, through what, and how often.
type job struct {
	files       []string // none: the embedded log
	resources   []string
	modes       []replay.Mode
	repeat      int
	initialSize int
}

// result is one replay of one log through one resource.
type result struct {
	File     string `json:"file"`
	Resource string `json:"resource"`
	replay.Result
	// PeakReservedBytes is the most memory that the resource took from the driver.
	PeakReservedBytes int `json:"peak_reserved_bytes"`
}

func (j *job) run(ctx context.Context, dev *driver.Device, bar *progress) ([]result, error) {
	logs, err := openLogs(j.files)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, l := range logs {
		for _, mode := range j.modes {
			for _, name := range j.resources {
				bar.start(fmt.Sprintf("%s, %s", l.name, name), l.log.Operations()*j.repeat)
				r, err := j.replay(ctx, dev, l, mode, name, bar)
				if err != nil {
					return nil, fmt.Errorf("replay %s through %s: %w", l.name, name, err)
				}
				results = append(results, r)
			}
		}
	}
	return results, nil
}

// replay makes a fresh resource for each replay, so that none finds memory that
// another left behind.
func (j *job) replay(ctx context.Context, dev *driver.Device, l compiledLog, mode replay.Mode, name string, bar *progress) (out result, err error) {
	r, err := j.resource(name, dev)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, closeResource(r)) }()
	measured, err := replay.Run(ctx, l.log, r, replay.Options{Mode: mode, Repeat: j.repeat, Progress: bar.advance})
	return result{File: l.name, Resource: name, Result: measured, PeakReservedBytes: peakReserved(r)}, err
}
