package mrtest

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

var threads = []check{
	{"GoroutinesOnOwnStreams", goroutinesOnOwnStreams},
	{"GoroutinesOnOneStream", goroutinesOnOneStream},
	{"GoroutinesOnDefaultStream", goroutinesOnDefaultStream},
	{"GoroutinesOnPerDeviceResource", goroutinesOnPerDeviceResource},
	{"ProducerAndConsumerOnOneStream", producerAndConsumerOnOneStream},
	{"ProducerAndConsumerOnTwoStreams", producerAndConsumerOnTwoStreams},
}

const goroutines = 4

// churnEach runs churn on a goroutine for each stream.
func churnEach(t *testing.T, r mr.Resource, streams []*driver.Stream) {
	t.Helper()
	var all sync.WaitGroup
	for i, s := range streams {
		all.Go(func() {
			if err := churn(r, s, rand.New(rand.NewPCG(5, uint64(i))), 100, 1<<20); err != nil {
				t.Errorf("goroutine %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

func repeat(s *driver.Stream) []*driver.Stream {
	streams := make([]*driver.Stream, goroutines)
	for i := range streams {
		streams[i] = s
	}
	return streams
}

func goroutinesOnOwnStreams(t *testing.T, r subject) {
	var streams []*driver.Stream
	for range goroutines {
		streams = append(streams, r.stream(t))
	}
	churnEach(t, r, streams)
}

func goroutinesOnOneStream(t *testing.T, r subject) { churnEach(t, r, repeat(r.stream(t))) }

func goroutinesOnDefaultStream(t *testing.T, r subject) {
	churnEach(t, r, repeat(r.Device().DefaultStream()))
}

func goroutinesOnPerDeviceResource(t *testing.T, r subject) {
	_, err := mr.SetPerDevice(r.Device(), r.Resource)
	require.NoError(t, err)
	churnEach(t, mr.PerDevice(r.Device()), repeat(r.stream(t)))
	_, err = mr.ResetPerDevice(r.Device())
	require.NoError(t, err)
}

func producerAndConsumerOnOneStream(t *testing.T, r subject) {
	s := r.stream(t)
	handOver(t, r, s, s)
}

func producerAndConsumerOnTwoStreams(t *testing.T, r subject) {
	handOver(t, r, r.stream(t), r.stream(t))
}

// handOver allocates and writes on one goroutine and stream, reads and frees on
// another. An event orders the two.
func handOver(t *testing.T, r subject, from, to *driver.Stream) {
	type parcel struct {
		held
		written *driver.Event
	}
	parcels := make(chan parcel, 8)
	var consumer sync.WaitGroup
	consumer.Go(func() {
		for p := range parcels {
			err := to.WaitEvent(p.written)
			if err == nil {
				err = release(r, to, p.held)
			}
			if err != nil {
				t.Errorf("consume: %v", err)
			}
		}
	})
	random := rand.New(rand.NewPCG(6, 7))
	for range 100 {
		written := drivertest.Event(t, r.Device())
		b, err := take(r, from, random, 1<<20)
		if err == nil {
			err = written.Record(from)
		}
		if err != nil {
			t.Errorf("produce: %v", err)
			break
		}
		parcels <- parcel{b, written}
	}
	close(parcels)
	consumer.Wait()
}
