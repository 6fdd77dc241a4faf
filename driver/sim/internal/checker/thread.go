package checker

// Thread is something that acts in an order of its own: a stream, or the host.
// Its fields belong to the Checker's lock.
type Thread struct {
	id       uint64
	name     string
	domain   *domain
	blocking bool
	time     uint64 // acts so far
	learned  vector // from other threads, beyond what the host knows
	closed   bool
	joined   bool // closed, and all of it is before whatever comes now
}

// domain is the streams of one device: its legacy default stream and those that
// synchronise with it.
type domain struct {
	legacy  *Thread
	threads []*Thread // all that are not joined
}

// NewDevice makes a device and returns its legacy default stream, which stands
// for it.
func (c *Checker) NewDevice(name string) (legacy *Thread) {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := &domain{}
	d.legacy = c.newThread(d, name, true)
	return d.legacy
}

// NewStream makes another stream of the device with this default stream; a
// blocking one synchronises with that.
func (c *Checker) NewStream(legacy *Thread, name string, blocking bool) *Thread {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newThread(legacy.domain, name, blocking)
}

func (c *Checker) newThread(d *domain, name string, blocking bool) *Thread {
	c.threads++
	t := &Thread{id: c.threads, name: name, domain: d, blocking: blocking}
	d.threads = append(d.threads, t)
	return t
}

// CloseStream says that nothing more is enqueued on a stream. Once the host has
// synchronised with its last act it is forgotten.
func (c *Checker) CloseStream(t *Thread) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t.closed = true
	c.closing = append(c.closing, t)
	c.prune()
}

// prune forgets closed threads that the host has joined.
func (c *Checker) prune() {
	rest := c.closing[:0]
	for _, t := range c.closing {
		if c.known.at(t) < t.time {
			rest = append(rest, t)
			continue
		}
		t.joined, t.learned = true, nil
		t.domain.forget(t)
	}
	if len(rest) < len(c.closing) {
		clear(c.closing[len(rest):])
		c.closing = rest
		c.known = c.known.pruned()
	}
}

func (d *domain) forget(t *Thread) {
	for i, other := range d.threads {
		if other == t {
			d.threads = append(d.threads[:i], d.threads[i+1:]...)
			return
		}
	}
}

func (v vector) pruned() vector {
	out := make(vector, 0, len(v))
	for _, k := range v {
		if !k.thread.joined {
			out = append(out, k)
		}
	}
	return out
}
