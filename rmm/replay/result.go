package replay

// Result is what a replay measured. Its JSON form leaves the last two fields
// out.
type Result struct {
	Mode    Mode `json:"mode"`
	Threads int  `json:"threads"` // of the log
	Streams int  `json:"streams"` // of the log
	Events  int  `json:"events"`  // rows of the log

	// ColdNsPerOpMean is the mean time of an operation in the first pass.
	ColdNsPerOpMean float64 `json:"cold_ns_per_op_mean"`
	// NsPerOp… are nanoseconds per operation in all later passes or, if
	// there was one pass only, in that.
	NsPerOpMean   float64 `json:"ns_per_op_mean"`
	NsPerOpMedian int64   `json:"ns_per_op_median"`
	NsPerOpP99    int64   `json:"ns_per_op_p99"`
	NsPerOpMax    int64   `json:"ns_per_op_max"`

	// PeakLiveBytes is the most memory that the log holds at once, each
	// allocation rounded up to 256 bytes. Parallel replays may differ by what
	// runs at the same time.
	PeakLiveBytes int `json:"peak_live_bytes"`
	// PeakReservedBytes is the most memory that the resource has ever taken from
	// the driver or its upstream; 0 if it is no mr.UsageReporter.
	PeakReservedBytes int `json:"peak_reserved_bytes"`

	// Failed counts failed calls, over all passes, other than OutOfMemory.
	Failed int `json:"failed"`
	// OutOfMemory counts allocations that failed with driver.ErrOutOfMemory, over
	// all passes.
	OutOfMemory int `json:"out_of_memory"`
	// UnmatchedFrees are rows of the log that free what is not live.
	UnmatchedFrees int `json:"unmatched_frees"`

	// LiveAtEnd is how many allocations were live at the end of the last pass.
	// They were freed then.
	LiveAtEnd int `json:"live_at_end"`
	// LiveBytesAtEnd is their size, as requested.
	LiveBytesAtEnd int `json:"live_bytes_at_end"`

	// LoggedFailures are the rows "allocate failure" of the log.
	LoggedFailures int `json:"-"`
	// FirstFailure is the first failed call of some thread that Failed or OutOfMemory counts.
	FirstFailure error `json:"-"`
}

func (l *Log) newResult(mode Mode) Result {
	s := l.summary
	return Result{
		Mode: mode, Threads: s.Threads, Streams: s.Streams, Events: s.Rows,
		PeakLiveBytes: s.PeakLiveBytes, UnmatchedFrees: s.UnmatchedFrees, LoggedFailures: s.Failures,
	}
}

// describe enters the times of the warm passes, or of the cold one.
func (r *Result) describe(h *histogram) {
	r.NsPerOpMean, r.NsPerOpMax = h.mean(), h.max
	r.NsPerOpMedian, r.NsPerOpP99 = h.quantile(0.5), h.quantile(0.99)
}
