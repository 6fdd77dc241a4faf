package driver_test

import (
	"sync/atomic"

	"github.com/rmm-go/rmm-go/driver"
)

var graphCases = []conformanceCase{
	one("graphs/are-launched-many-times", graphsAreLaunchedManyTimes),
	one("graphs/launch-in-stream-order", graphsLaunchInStreamOrder),
	one("graphs/run-host-functions-each-time", graphsRunHostFunctionsEachTime),
	one("graphs/keep-the-order-of-joined-streams", graphsKeepTheOrderOfJoinedStreams),
	one("graphs/allocate-and-free", graphsAllocateAndFree),
	one("graphs/outlive-their-template", graphsOutliveTheirTemplate),
}

// Documented.
func graphsAreLaunchedManyTimes(b *bench) {
	s, p, q := b.stream(), b.memory(kib, 1), b.memory(kib, 0)
	b.begin(s, driver.CaptureRelaxed)
	b.ok(s.MemcpyDtoDAsync(q, p, kib))
	b.ok(s.MemsetD8Async(p, 9, kib))
	exec := b.end(s)
	for i := range 5 {
		b.ok(s.MemsetD8Async(p, byte(10+i), kib))
		b.ok(exec.Launch(s))
		b.done(s)
		b.requireAll(q, kib, byte(10+i))
		b.requireAll(p, kib, 9)
	}
}

// Documented.
func graphsLaunchInStreamOrder(b *bench) {
	s, p, q := b.stream(), b.memory(kib, 0), b.memory(kib, 0)
	b.begin(s, driver.CaptureRelaxed)
	b.ok(s.MemcpyDtoDAsync(q, p, kib))
	exec := b.end(s)
	release := b.hold(s)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.promptly(func() error { return exec.Launch(s) })
	b.ok(s.MemsetD8Async(p, 2, kib))
	b.busy(s)
	release()
	b.done(s)
	b.requireAll(q, kib, 1)
}

// Documented.
func graphsRunHostFunctionsEachTime(b *bench) {
	s := b.stream()
	var ran atomic.Int64
	b.begin(s, driver.CaptureRelaxed)
	b.ok(s.LaunchHostFunc(func() { ran.Add(1) }))
	exec := b.end(s)
	for range 10 {
		b.ok(exec.Launch(s))
	}
	b.done(s)
	if ran.Load() != 10 {
		b.Fatalf("the host function ran %d times in 10 launches", ran.Load())
	}
}

// Documented: events become dependencies.
func graphsKeepTheOrderOfJoinedStreams(b *bench) {
	s, other, fork, join := b.stream(), b.stream(), b.event(), b.event()
	p, q := b.memory(kib, 0), b.memory(kib, 0)
	b.begin(s, driver.CaptureRelaxed)
	b.ok(s.MemsetD8Async(p, 1, kib))
	b.ok(fork.Record(s))
	b.ok(other.WaitEvent(fork))
	b.ok(other.MemcpyDtoDAsync(q, p, kib))
	b.ok(join.Record(other))
	b.ok(s.WaitEvent(join))
	b.ok(s.MemsetD8Async(p, 2, kib))
	exec := b.end(s)
	for range 3 {
		b.set(q, kib, 0)
		b.ok(exec.Launch(s))
		b.done(s)
		b.requireAll(q, kib, 1)
		b.requireAll(p, kib, 2)
	}
}

// Measured: allocations and frees are nodes of the graph.
func graphsAllocateAndFree(b *bench) {
	s, q := b.stream(), b.memory(kib, 0)
	b.begin(s, driver.CaptureRelaxed)
	p, err := s.MemAllocAsync(kib)
	b.ok(err)
	b.ok(s.MemsetD8Async(p, 7, kib))
	b.ok(s.MemcpyDtoDAsync(q, p, kib))
	b.ok(s.MemFreeAsync(p))
	exec := b.end(s)
	for range 3 {
		b.set(q, kib, 0)
		b.ok(exec.Launch(s))
		b.done(s)
		b.requireAll(q, kib, 7)
	}
}

// Documented: end closes the graph before it is launched.
func graphsOutliveTheirTemplate(b *bench) {
	s, p := b.stream(), b.memory(kib, 0)
	b.begin(s, driver.CaptureRelaxed)
	b.ok(s.MemsetD8Async(p, 1, kib))
	g, err := s.EndCapture()
	b.ok(err)
	first, err := g.Instantiate()
	b.ok(err)
	second, err := g.Instantiate()
	b.ok(err)
	b.ok(g.Close())
	b.ok(first.Launch(s))
	b.ok(first.Close())
	b.done(s)
	b.requireAll(p, kib, 1)
	b.set(p, kib, 0)
	b.ok(second.Launch(s))
	b.done(s)
	b.requireAll(p, kib, 1)
	b.ok(second.Close())
}
