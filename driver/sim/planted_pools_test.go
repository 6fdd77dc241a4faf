package sim_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// plantedPools are bugs in resources that carve memory up.
var plantedPools = map[string]planted{
	"a pool skips the event wait": {sim.UnorderedReuse, func(l *lab, bug bool) {
		a, b := l.stream(), l.stream()
		pool := l.pool(1)
		pool.skipWait = bug
		p := pool.allocate(a)
		l.writeBlock(a, p)
		pool.free(p, a)
		q := pool.allocate(b)
		l.writeBlock(b, q)
		pool.free(q, b)
		pool.close()
	}},
	"a pool skips the event wait on the third reuse": {sim.UnorderedReuse, func(l *lab, bug bool) {
		a, b := l.stream(), l.stream()
		pool := l.pool(1)
		for i := range 6 {
			s := []*driver.Stream{a, b}[i%2]
			pool.skipWait = bug && i == 3
			p := pool.allocate(s)
			l.writeBlock(s, p)
			pool.free(p, s)
		}
		pool.close()
	}},
	"a pool records its event before the free": {sim.UnorderedReuse, func(l *lab, bug bool) {
		a, b := l.stream(), l.stream()
		pool := l.pool(1)
		pool.recordEarly = bug
		p := pool.allocate(a)
		l.writeBlock(a, p)
		pool.free(p, a)
		q := pool.allocate(b)
		pool.free(q, b)
		pool.close()
	}},
	"a pool merges blocks and waits for one stream of two": {sim.UnorderedReuse, func(l *lab, bug bool) {
		a, b, c, p := l.stream(), l.stream(), l.stream(), l.buffer()
		l.handOut(a, p, blockSize, 1)
		l.handOut(b, p+blockSize, blockSize, 1)
		l.takeBack(a, p, blockSize, 1)
		l.takeBack(b, p+blockSize, blockSize, 1)
		l.order(a, c)
		l.orderUnless(bug, b, c)
		l.handOut(c, p, 2*blockSize, 1)
		l.takeBack(c, p, 2*blockSize, 1)
		l.ok(l.devices[0].Synchronize())
	}},
	"a pool hands a block out twice": {sim.HandedOutTwice, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		l.handOut(s, p, blockSize, 1)
		l.handOut(s, p+driver.Ptr(pick(bug, blockSize-256, blockSize)), blockSize, 1)
		l.takeBack(s, p, 2*blockSize, 1)
	}},
	"a pool takes a block back twice": {sim.DoubleFree, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		l.handOut(s, p, blockSize, 1)
		l.takeBack(s, p, blockSize, 1)
		if bug {
			l.takeBack(s, p, blockSize, 1)
		}
	}},
	"a block is used after its pool took it back": {sim.UseAfterFree, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		l.handOut(s, p, blockSize, 1)
		if !bug {
			l.writeBlock(s, p)
		}
		l.takeBack(s, p, blockSize, 1)
		if bug {
			l.writeBlock(s, p)
		}
	}},
	"memory is used that the pool has not handed out": {sim.UseAfterFree, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		l.takeBack(s, p, bufferSize, 1)
		l.handOut(s, p, blockSize, 1)
		l.writeBlock(s, p+driver.Ptr(pick(bug, blockSize, 0)))
		l.takeBack(s, p, blockSize, 1)
	}},
	"a kernel runs over the end of its block": {sim.OutOfBounds, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		k := l.kernel(func(k *sim.Kernel) { sim.Store(k, p, make([]byte, blockSize+pick(bug, 1, 0))...) })
		l.handOut(s, p, blockSize, 1)
		l.handOut(s, p+blockSize, blockSize, 1)
		l.ok(s.Launch(k, driver.LaunchConfig{}))
		l.ok(s.Synchronize())
		l.takeBack(s, p, blockSize, 1)
		l.takeBack(s, p+blockSize, blockSize, 1)
	}},
	"a block is taken back while another stream reads it": {sim.UnorderedFree, func(l *lab, bug bool) {
		a, b, p := l.stream(), l.stream(), l.buffer()
		l.handOut(a, p, blockSize, 1)
		l.writeBlock(a, p)
		l.order(a, b)
		l.ok(b.MemcpyDtoDAsync(l.fresh(), p, blockSize))
		l.orderUnless(bug, b, a)
		l.takeBack(a, p, blockSize, 1)
	}},
	"a fresh chunk goes to a stream that does not wait for it": {sim.UnorderedAllocation, func(l *lab, bug bool) {
		a, b := l.stream(), l.stream()
		chunk := l.allocOn(a)
		l.orderUnless(bug, a, b)
		l.handOut(b, chunk, blockSize, 1)
		l.takeBack(b, chunk, blockSize, 1)
		l.order(b, a)
		l.ok(a.MemFreeAsync(chunk))
	}},
	"a chunk goes back with a block in use": {sim.FreedInUse, func(l *lab, bug bool) {
		s := l.stream()
		chunk := l.allocOn(s)
		l.handOut(s, chunk, blockSize, 1)
		if !bug {
			l.takeBack(s, chunk, blockSize, 1)
		}
		l.ok(s.MemFreeAsync(chunk))
	}},
	"a chunk goes back without a wait for a stream that used it": {sim.UnorderedFree, func(l *lab, bug bool) {
		a, b := l.stream(), l.stream()
		chunk := l.allocOn(a)
		l.order(a, b)
		l.handOut(b, chunk, blockSize, 1)
		l.takeBack(b, chunk, blockSize, 1)
		l.orderUnless(bug, b, a)
		l.ok(a.MemFreeAsync(chunk))
	}},
	"a pool over a pool gives a chunk back too early": {sim.UnorderedFree, func(l *lab, bug bool) {
		a, b, p := l.stream(), l.stream(), l.buffer()
		l.handOut(a, p, 4*blockSize, 1)
		l.order(a, b)
		l.handOut(b, p, blockSize, 2)
		l.writeBlock(b, p)
		l.takeBack(b, p, blockSize, 2)
		l.orderUnless(bug, b, a)
		l.takeBack(a, p, 4*blockSize, 1)
	}},
	"a pool over a pool carves a chunk that it gave back": {sim.UseAfterFree, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		l.handOut(s, p, 4*blockSize, 1)
		l.takeBack(s, p, 4*blockSize, 1)
		if !bug {
			l.handOut(s, p, 4*blockSize, 1)
		}
		l.handOut(s, p, blockSize, 2)
		l.takeBack(s, p, blockSize, 2)
	}},
	"a stream was closed without a wait": {sim.UnorderedReuse, func(l *lab, bug bool) {
		a, b, p := l.stream(), l.stream(), l.buffer()
		s, err := l.devices[0].NewStream(driver.StreamOptions{})
		l.ok(err)
		release, err := l.machine.Stall(0, s.Handle()) // or Close could see that the work is complete
		l.ok(err)
		defer release()
		l.handOut(s, p, blockSize, 1)
		l.writeBlock(s, p)
		l.takeBack(s, p, blockSize, 1)
		l.order(s, a)
		l.ok(s.Close())
		l.orderUnless(bug, a, b)
		l.handOut(b, p, blockSize, 1)
		l.takeBack(b, p, blockSize, 1)
	}},
}

const blockSize = 4096

func (l *lab) writeBlock(s *driver.Stream, p driver.Ptr) { l.ok(s.MemsetD8Async(p, 1, blockSize)) }

func (l *lab) handOut(s *driver.Stream, p driver.Ptr, n, depth int) {
	l.devices[0].Annotate(driver.Allocated, p, n, s, depth)
}

func (l *lab) takeBack(s *driver.Stream, p driver.Ptr, n, depth int) {
	l.devices[0].Annotate(driver.Freed, p, n, s, depth)
}

// blockPool is a small pool of equal blocks, last freed first, which reuses them
// across streams.
type blockPool struct {
	lab                   *lab
	chunk                 driver.Ptr
	idle                  []freeBlock
	skipWait, recordEarly bool
}

type freeBlock struct {
	p      driver.Ptr
	stream *driver.Stream // nil: of nobody yet
	event  *driver.Event
}

func (l *lab) pool(blocks int) *blockPool {
	p := &blockPool{lab: l}
	var err error
	p.chunk, err = l.devices[0].MemAlloc(blocks * blockSize)
	l.ok(err)
	l.takeBack(nil, p.chunk, blocks*blockSize, 1)
	for i := range blocks {
		p.idle = append(p.idle, freeBlock{p: p.chunk + driver.Ptr(i*blockSize)})
	}
	return p
}

func (p *blockPool) allocate(s *driver.Stream) driver.Ptr {
	last := len(p.idle) - 1
	b := p.idle[last]
	p.idle = p.idle[:last]
	if b.stream != nil && b.stream != s && !p.skipWait {
		p.lab.ok(s.WaitEvent(b.event))
	}
	p.lab.handOut(s, b.p, blockSize, 1)
	return b.p
}

func (p *blockPool) free(block driver.Ptr, s *driver.Stream) {
	b := freeBlock{p: block, stream: s, event: p.lab.event()}
	if p.recordEarly {
		p.lab.ok(b.event.Record(s))
	}
	p.lab.takeBack(s, block, blockSize, 1)
	if !p.recordEarly {
		p.lab.ok(b.event.Record(s))
	}
	p.idle = append(p.idle, b)
}

// close gives the chunk back; MemFree waits for the device.
func (p *blockPool) close() { p.lab.ok(p.lab.devices[0].MemFree(p.chunk)) }
