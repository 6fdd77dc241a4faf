package checker

// Act is something that a thread does at a point of its order. It is never
// changed once made.
type Act struct {
	thread  *Thread
	time    uint64
	host    uint64 // how far the host was when it enqueued the act
	known   vector // what the host knew then
	learned vector // what the stream knew beyond that
	call    string
	site    *site
}

// before reports whether the program orders a before b.
func (a *Act) before(b *Act) bool {
	switch {
	case a.thread == b.thread:
		return a.time <= b.time
	case a.thread.joined:
		return true
	case a.thread.domain == nil:
		return b.host >= a.time
	}
	return b.known.at(a.thread) >= a.time || b.learned.at(a.thread) >= a.time
}

// act is the next thing that the thread does, which a report may show. The
// caller holds the lock.
func (c *Checker) act(t *Thread, call string) *Act {
	a := c.step(t)
	a.call, a.site = call, c.sites.here()
	return a
}

// step is the next point of the thread.
func (c *Checker) step(t *Thread) *Act {
	if t.domain != nil {
		c.meetDefault(t)
	}
	t.time++
	return &Act{thread: t, time: t.time, host: c.host.time, known: c.known, learned: t.learned}
}

// meetDefault orders a blocking stream after the legacy default stream, and
// that one after all blocking streams.
func (c *Checker) meetDefault(t *Thread) {
	legacy := t.domain.legacy
	switch {
	case t == legacy:
		for _, other := range t.domain.threads {
			if other.blocking && other != t {
				c.learn(t, other)
			}
		}
	case t.blocking:
		c.learn(t, legacy)
	}
}

// learn orders what t does from now on after what other has done so far.
func (c *Checker) learn(t, other *Thread) {
	if c.known.at(other) < other.time && t.learned.at(other) < other.time {
		t.learned = t.learned.join(other.learned, tick{other, other.time}, c.known)
	}
}

// all is what is known to somebody who waits for the thread.
func (t *Thread) all() vector { return t.learned.join(nil, tick{t, t.time}, nil) }

// all is what is known to somebody who waits for the act.
func (a *Act) all() vector { return a.learned.join(nil, tick{a.thread, a.time}, nil) }

// Record is the point that an event marks when it is recorded on a stream.
func (c *Checker) Record(t *Thread) *Act {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.step(t)
}

// Wait orders later acts of t after a, which may be nil.
func (c *Checker) Wait(t *Thread, a *Act) {
	if c == nil || a == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t.learned = t.learned.join(a.learned, tick{a.thread, a.time}, c.known)
	c.step(t)
}

// Mark is a point that the host may wait for.
type Mark struct{ known vector }

// MarkStream is all that was enqueued on a stream so far; on the legacy default
// stream, on all streams that synchronise with it.
func (c *Checker) MarkStream(t *Thread) Mark {
	if c == nil {
		return Mark{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t != t.domain.legacy {
		return Mark{t.all()}
	}
	return c.markAll(t.domain, func(other *Thread) bool { return other.blocking })
}

// MarkDevice is all that was enqueued so far on the device with this default
// stream.
func (c *Checker) MarkDevice(legacy *Thread) Mark {
	if c == nil {
		return Mark{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.markAll(legacy.domain, func(*Thread) bool { return true })
}

func (c *Checker) markAll(d *domain, want func(*Thread) bool) Mark {
	var v vector
	for _, t := range d.threads {
		if want(t) && c.known.at(t) < t.time {
			v = v.join(t.learned, tick{t, t.time}, c.known)
		}
	}
	return Mark{v}
}

// MarkAct is the point of an act, which may be nil.
func (c *Checker) MarkAct(a *Act) Mark {
	if c == nil || a == nil {
		return Mark{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return Mark{a.all()}
}

// Synchronized says that the host has waited for a point, or has seen that it
// was reached.
func (c *Checker) Synchronized(m Mark) {
	if c == nil || len(m.known) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = c.known.join(m.known[1:], m.known[0], nil)
	c.prune()
}
