package sim_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// plantedOrder are bugs in the order between streams.
var plantedOrder = map[string]planted{
	"the reader does not wait for the writer": {sim.WriteRead, func(l *lab, bug bool) {
		copies, compute, p := l.stream(), l.stream(), l.buffer()
		l.write(copies, p)
		l.orderUnless(bug, copies, compute)
		l.read(compute, p)
	}},
	"the event is recorded before the write": {sim.WriteRead, func(l *lab, bug bool) {
		a, b, p, e := l.stream(), l.stream(), l.buffer(), l.event()
		if bug {
			l.ok(e.Record(a))
		}
		l.write(a, p)
		if !bug {
			l.ok(e.Record(a))
		}
		l.ok(b.WaitEvent(e))
		l.read(b, p)
	}},
	"the wait comes before the recording": {sim.WriteRead, func(l *lab, bug bool) {
		a, b, p, e := l.stream(), l.stream(), l.buffer(), l.event()
		l.write(a, p)
		if bug {
			l.ok(b.WaitEvent(e))
		}
		l.ok(e.Record(a))
		if !bug {
			l.ok(b.WaitEvent(e))
		}
		l.read(b, p)
	}},
	"the event is recorded on another stream": {sim.WriteRead, func(l *lab, bug bool) {
		a, b, c, p, e := l.stream(), l.stream(), l.stream(), l.buffer(), l.event()
		l.write(a, p)
		l.ok(e.Record(pick(bug, c, a)))
		l.ok(b.WaitEvent(e))
		l.read(b, p)
	}},
	"one event for two producers": {sim.WriteRead, func(l *lab, bug bool) {
		a, b, c, p, q := l.stream(), l.stream(), l.stream(), l.buffer(), l.buffer()
		first, second := l.event(), l.event()
		if bug {
			second = first
		}
		l.write(a, p)
		l.ok(first.Record(a))
		l.write(b, q)
		l.ok(second.Record(b))
		l.ok(c.WaitEvent(first))
		l.ok(c.WaitEvent(second))
		l.read(c, p)
		l.read(c, q)
	}},
	"a link of a chain is missing": {sim.WriteRead, func(l *lab, bug bool) {
		a, b, c, p := l.stream(), l.stream(), l.stream(), l.buffer()
		l.write(a, p)
		l.orderUnless(bug, a, b)
		l.order(b, c)
		l.read(c, p)
	}},
	"the buffer is refilled while it is read": {sim.ReadWrite, func(l *lab, bug bool) {
		producer, consumer, p := l.stream(), l.stream(), l.buffer()
		l.write(producer, p)
		l.order(producer, consumer)
		l.read(consumer, p)
		l.orderUnless(bug, consumer, producer)
		l.write(producer, p)
	}},
	"a lost wait on the third reuse": {sim.ReadWrite, func(l *lab, bug bool) {
		producer, consumer, p := l.stream(), l.stream(), l.buffer()
		for i := range 5 {
			l.orderUnless(bug && i == 3, consumer, producer)
			l.write(producer, p)
			l.order(producer, consumer)
			l.read(consumer, p)
		}
	}},
	"one of three readers is not waited for": {sim.ReadWrite, func(l *lab, bug bool) {
		writer, p := l.stream(), l.buffer()
		for i := range 3 {
			reader := l.stream()
			l.read(reader, p)
			l.orderUnless(bug && i == 1, reader, writer)
		}
		l.write(writer, p)
	}},
	"two streams fill one buffer": {sim.WriteWrite, func(l *lab, bug bool) {
		a, b, p := l.stream(), l.stream(), l.buffer()
		l.write(a, p)
		l.orderUnless(bug, a, b)
		l.write(b, p)
	}},
	"parts overlap by one byte": {sim.WriteWrite, func(l *lab, bug bool) {
		a, b, p := l.stream(), l.stream(), l.buffer()
		l.ok(a.MemsetD8Async(p, 1, pick(bug, 1025, 1024)))
		l.ok(b.MemsetD8Async(p+1024, 2, 1024))
	}},
	"a non-blocking stream relies on the default stream": {sim.WriteRead, func(l *lab, bug bool) {
		s, p := l.streamOf(0, !bug), l.buffer()
		l.write(l.devices[0].DefaultStream(), p)
		l.read(s, p)
	}},
	"the default stream is to wait for a non-blocking stream": {sim.WriteRead, func(l *lab, bug bool) {
		s, p := l.streamOf(0, !bug), l.buffer()
		l.write(s, p)
		l.read(l.devices[0].DefaultStream(), p)
	}},
	"blocking streams are to wait for each other": {sim.WriteWrite, func(l *lab, bug bool) {
		a, b, p := l.streamOf(0, true), l.streamOf(0, true), l.buffer()
		l.write(a, p)
		if !bug {
			l.write(l.devices[0].DefaultStream(), p)
		}
		l.write(b, p)
	}},
	"the default stream of another device": {sim.WriteWrite, func(l *lab, bug bool) {
		s, p := l.streamOf(0, true), l.buffer()
		l.write(s, p)
		l.write(l.devices[pick(bug, 1, 0)].DefaultStream(), p)
	}},
	"a peer copy does not wait": {sim.WriteRead, func(l *lab, bug bool) {
		here, there, p := l.stream(), l.streamOf(1, false), l.buffer()
		q, err := l.devices[1].MemAlloc(bufferSize)
		l.ok(err)
		l.later(func() error { return l.devices[1].MemFree(q) })
		l.write(here, p)
		l.orderUnless(bug, here, there)
		l.ok(there.MemcpyPeerAsync(q, l.devices[1], p, l.devices[0], bufferSize))
	}},
	"a kernel reads too early": {sim.WriteRead, func(l *lab, bug bool) {
		a, b, p := l.stream(), l.stream(), l.buffer()
		k := l.kernel(func(k *sim.Kernel) { sim.Load[byte](k, p, 16) })
		l.write(a, p)
		l.orderUnless(bug, a, b)
		l.ok(b.Launch(k, driver.LaunchConfig{}))
		l.ok(b.Synchronize())
	}},
	"a kernel writes too far": {sim.WriteWrite, func(l *lab, bug bool) {
		a, b, p := l.stream(), l.stream(), l.buffer()
		k := l.kernel(func(k *sim.Kernel) { sim.Store(k, p, make([]byte, pick(bug, 17, 16))...) })
		l.ok(a.MemsetD8Async(p+16, 1, 16))
		l.ok(b.Launch(k, driver.LaunchConfig{}))
		l.ok(b.Synchronize())
	}},
}

// pick is the wrong value in a program with a bug, the right one otherwise.
func pick[T any](bug bool, wrong, right T) T {
	if bug {
		return wrong
	}
	return right
}
