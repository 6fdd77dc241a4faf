package sim_test

import (
	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// plantedMemory are bugs in the life of allocations of the driver's.
var plantedMemory = map[string]planted{
	"freed on the wrong stream": {sim.UnorderedFree, func(l *lab, bug bool) {
		a, b := l.stream(), l.stream()
		p := l.allocOn(a)
		l.write(a, p)
		l.ok(pick(bug, b, a).MemFreeAsync(p))
	}},
	"freed before the reading kernel ends": {sim.UnorderedFree, func(l *lab, bug bool) {
		a, b := l.stream(), l.stream()
		p := l.allocOn(a)
		l.write(a, p)
		l.order(a, b)
		l.read(b, p)
		l.orderUnless(bug, b, a)
		l.ok(a.MemFreeAsync(p))
	}},
	"used on a stream that does not wait for the allocation": {sim.UnorderedAllocation, func(l *lab, bug bool) {
		a, b := l.stream(), l.stream()
		p := l.allocOn(a)
		l.orderUnless(bug, a, b)
		l.write(b, p)
		l.order(b, a)
		l.ok(a.MemFreeAsync(p))
	}},
	"used after the free": {sim.UseAfterFree, func(l *lab, bug bool) {
		s := l.stream()
		p := l.allocOn(s)
		if bug {
			l.ok(s.MemFreeAsync(p))
			require.ErrorIs(l.t, s.MemsetD8Async(p, 1, 16), driver.ErrInvalidValue)
			return
		}
		l.write(s, p)
		l.ok(s.MemFreeAsync(p))
	}},
	"freed twice": {sim.DoubleFree, func(l *lab, bug bool) {
		s := l.stream()
		p := l.allocOn(s)
		l.ok(s.MemFreeAsync(p))
		if bug {
			require.ErrorIs(l.t, s.MemFreeAsync(p), driver.ErrInvalidValue)
		}
	}},
	"freed with an offset": {sim.ForeignFree, func(l *lab, bug bool) {
		p, err := l.devices[0].MemAlloc(bufferSize)
		l.ok(err)
		if bug {
			require.ErrorIs(l.t, l.devices[0].MemFree(p+256), driver.ErrInvalidValue)
		}
		l.ok(l.devices[0].MemFree(p))
	}},
	"one byte too many": {sim.OutOfBounds, func(l *lab, bug bool) {
		s, p := l.stream(), l.buffer()
		err := s.MemsetD8Async(p+8, 1, bufferSize-pick(bug, 7, 8))
		if bug {
			require.ErrorIs(l.t, err, driver.ErrInvalidValue)
		} else {
			l.ok(err)
		}
	}},
	"read before anybody wrote": {sim.NeverWritten, func(l *lab, bug bool) {
		s, p := l.stream(), l.fresh()
		if !bug {
			l.write(s, p)
		}
		l.read(s, p)
	}},
	"unmapped under pending work": {sim.UnorderedFree, func(l *lab, bug bool) {
		dev, s := l.devices[0], l.stream()
		size, err := dev.MemGranularity(driver.HandleNone)
		l.ok(err)
		p, err := dev.MemAddressReserve(size, 0)
		l.ok(err)
		memory, err := dev.MemCreate(size, driver.HandleNone)
		l.ok(err)
		l.ok(memory.Map(p))
		l.ok(dev.MemSetAccess(p, size, dev, driver.AccessReadWrite))
		l.write(s, p)
		if !bug {
			l.ok(s.Synchronize())
		}
		for l.machine.Outstanding()[0].Operations > 0 { // with the bug the work is over by luck
			_, _, err := dev.MemInfo()
			l.ok(err)
		}
		l.ok(dev.MemUnmap(p, size))
		l.ok(memory.Release())
		l.ok(dev.MemAddressFree(p, size))
	}},
}

// allocOn is memory of the default pool, which the program frees.
func (l *lab) allocOn(s *driver.Stream) driver.Ptr {
	p, err := s.MemAllocAsync(bufferSize)
	l.ok(err)
	return p
}
