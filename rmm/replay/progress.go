package replay

import "time"

// reportEvery is how often Options.Progress is told.
const reportEvery = 100 * time.Millisecond

// report tells the progress of a pass until the returned function is called.
func (r *runner) report(pass int) (end func()) {
	if r.progress == nil {
		return func() {}
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(reportEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				r.tell(pass)
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
		r.tell(pass)
	}
}

// tell leaves an interrupted pass alone: its turnstiles stand open and say
// nothing about what was done.
func (r *runner) tell(pass int) {
	if r.stop.Load() {
		return
	}
	done := pass * len(r.log.ops)
	for _, l := range r.lanes {
		done += min(int(l.turn.done.Load()), len(l.ops))
	}
	r.progress(done, r.passes*len(r.log.ops))
}
