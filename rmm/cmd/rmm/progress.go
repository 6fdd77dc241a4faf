package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a progress bar, on a terminal only. The zero progress shows
// nothing.
type progress struct {
	w   io.Writer // nil: not a terminal
	bar *progressbar.ProgressBar
}

func newProgress(w io.Writer) *progress {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &progress{w: w}
	}
	return &progress{}
}

// start begins a bar of total steps.
func (p *progress) start(what string, total int) {
	if p.w == nil {
		return
	}
	p.finish()
	p.bar = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(p.w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// advance moves the bar to done steps.
func (p *progress) advance(done, _ int) {
	if p.bar != nil {
		_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
	}
}

// finish clears the bar.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
