package sim

import "time"

// clock tells when operations complete. Without a seed that is real time. With
// one it is virtual: an operation begins when the last of what it waits for is
// complete, but not before the host has enqueued it, and takes as long as
// Config.Latency says, however and whenever it really runs. The graph's lock
// guards it.
type clock struct {
	start   time.Time
	virtual bool
	host    time.Duration // virtual time of the host
	latency func(call string, bytes int) time.Duration
}

func newClock(c Config) clock {
	k := clock{start: time.Now(), virtual: c.Seed != 0, latency: c.Latency}
	if k.virtual && k.latency == nil {
		k.latency = func(_ string, bytes int) time.Duration {
			return time.Microsecond + time.Duration(bytes)/terabytePerSecond
		}
	}
	return k
}

const terabytePerSecond = 1000 // bytes per nanosecond

// now is the time on the host.
func (k *clock) now() time.Duration {
	if k.virtual {
		return k.host
	}
	return time.Since(k.start)
}

// reach says that the host has seen what happened at a time.
func (k *clock) reach(at time.Duration) { k.host = max(k.host, at) }

// took is how long the operation of a task lasts on the device.
func (k *clock) took(t task) time.Duration {
	if k.latency == nil {
		return 0
	}
	bytes := 0
	for _, r := range t.ranges {
		bytes = max(bytes, r.Size)
	}
	return max(0, k.latency(t.call, bytes))
}

// end is the time at which an operation that finishes now completes.
func (k *clock) end(o *op) time.Duration {
	if k.virtual {
		return o.begin + o.took
	}
	return time.Since(k.start)
}

// idleAt is when the work that the stream has been given, and that its next
// operation waits for, is complete as far as is known.
func (s *stream) idleAt() time.Duration {
	at := s.at
	legacy := s.device.legacy
	switch {
	case s == legacy:
		for _, other := range s.device.streams {
			if other.blocking {
				at = max(at, other.at)
			}
		}
	case s.blocking:
		at = max(at, legacy.at)
	}
	return at
}
