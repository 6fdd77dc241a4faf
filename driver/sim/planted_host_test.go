package sim_test

import "github.com/rmm-go/rmm-go/driver/sim"

// plantedHost are bugs in the order between the host and streams.
var plantedHost = map[string]planted{
	"the host reads without synchronising": {sim.WriteRead, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		host, view := l.pinned()
		l.ok(s.MemcpyDtoHAsync(view, p))
		if !bug {
			l.ok(s.Synchronize())
		}
		l.machine.HostRead(host, bufferSize)
	}},
	"the host synchronises the wrong stream": {sim.WriteRead, func(l *lab, bug bool) {
		a, b, p := l.stream(), l.stream(), l.buffer()
		host, view := l.pinned()
		l.ok(a.MemcpyDtoHAsync(view, p))
		l.ok(pick(bug, b, a).Synchronize())
		l.machine.HostRead(host, bufferSize)
	}},
	"the host synchronises with an event that was recorded too early": {sim.WriteRead, func(l *lab, bug bool) {
		s, p, e := l.stream(), l.buffer(), l.event()
		host, view := l.pinned()
		if bug {
			l.ok(e.Record(s))
		}
		l.ok(s.MemcpyDtoHAsync(view, p))
		if !bug {
			l.ok(e.Record(s))
		}
		l.ok(e.Synchronize())
		l.machine.HostRead(host, bufferSize)
	}},
	"the host does not look at what a query said": {sim.WriteRead, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		host, view := l.pinned()
		release, err := l.machine.Stall(0, s.Handle())
		l.ok(err)
		l.ok(s.MemcpyDtoHAsync(view, p))
		done, err := s.Query()
		l.ok(err)
		if bug {
			l.machine.HostRead(host, bufferSize)
		}
		release()
		for !done {
			done, err = s.Query()
			l.ok(err)
		}
		if !bug {
			l.machine.HostRead(host, bufferSize)
		}
	}},
	"the staging buffer is refilled while the copy reads it": {sim.ReadWrite, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		host, view := l.pinned()
		l.machine.HostWrite(host, bufferSize)
		l.ok(s.MemcpyHtoDAsync(p, view))
		if !bug {
			l.ok(s.Synchronize())
		}
		l.machine.HostWrite(host, bufferSize)
	}},
	"the host reads managed memory under a kernel": {sim.WriteRead, func(l *lab, bug bool) {
		s := l.stream()
		p, err := l.devices[0].MemAllocManaged(bufferSize)
		l.ok(err)
		l.later(func() error { return l.devices[0].MemFree(p) })
		l.write(s, p)
		if !bug {
			l.ok(l.devices[0].Synchronize())
		}
		l.machine.HostRead(p, bufferSize)
	}},
	"the device that is synchronised is another one": {sim.WriteRead, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		host, view := l.pinned()
		l.ok(s.MemcpyDtoHAsync(view, p))
		l.ok(l.devices[pick(bug, 1, 0)].Synchronize())
		l.machine.HostRead(host, bufferSize)
	}},
	"two streams copy into one pinned buffer": {sim.WriteWrite, func(l *lab, bug bool) {
		a, b, p := l.stream(), l.stream(), l.buffer()
		_, view := l.pinned()
		half := bufferSize / 2
		l.ok(a.MemcpyDtoHAsync(view[:half], p))
		l.ok(b.MemcpyDtoHAsync(view[pick(bug, half-1, half):], p))
	}},
}
