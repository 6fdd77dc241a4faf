package mrtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
	"github.com/rmm-go/rmm-go/rmm/mr/mrtest"
)

// plant names the fault that TestPlanted runs the suite on. The suite must fail
// there, so it runs in a process of its own.
const plant = "MRTEST_PLANTED_FAULT"

// faulty is a Cuda whose calls go through functions that a fault replaces.
type faulty struct {
	*mr.Cuda
	allocate   func(size, align int, s *driver.Stream) (driver.Ptr, error)
	deallocate func(p driver.Ptr, size, align int, s *driver.Stream) error
}

func (f *faulty) Allocate(size, align int, s *driver.Stream) (driver.Ptr, error) {
	return f.allocate(size, align, s)
}

func (f *faulty) Deallocate(p driver.Ptr, size, align int, s *driver.Stream) error {
	return f.deallocate(p, size, align, s)
}

// faults are resources that each break the contract in one way, the check that
// notices, and what it says.
var faults = map[string]struct {
	noticed string
	as      string
	plant   func(*faulty)
}{
	"alignment is ignored": {"Alignments", "is not aligned to 2048", func(f *faulty) {
		f.allocate = func(size, align int, s *driver.Stream) (driver.Ptr, error) {
			if align > 256 {
				align = 256
			}
			return f.Cuda.Allocate(size, align, s)
		}
	}},
	"size 0 takes memory": {"SizeZeroIsNil", "Should be zero", func(f *faulty) {
		f.allocate = func(size, align int, s *driver.Stream) (driver.Ptr, error) {
			return f.Cuda.Allocate(max(size, 1), align, s)
		}
	}},
	"blocks overlap": {"LiveBlocksAreApart", "overlap", func(f *faulty) {
		var first driver.Ptr
		f.allocate = func(size, align int, s *driver.Stream) (p driver.Ptr, err error) {
			if first != 0 && size == 9 {
				return first, nil
			}
			p, err = f.Cuda.Allocate(max(size, 9), align, s)
			if size == 8 {
				first = p
			}
			return p, err
		}
	}},
	"out of memory is any error": {"MoreThanThereIs", "no luck", func(f *faulty) {
		f.allocate = func(size, align int, s *driver.Stream) (driver.Ptr, error) {
			p, err := f.Cuda.Allocate(size, align, s)
			if err != nil && size == 1<<50 {
				err = fmt.Errorf("no luck: %v", err)
			}
			return p, err
		}
	}},
	"a nil stream is the default one": {"NilStream", "Expected error with \"nil stream\"", func(f *faulty) {
		f.allocate = func(size, align int, s *driver.Stream) (driver.Ptr, error) {
			if s == nil {
				s = f.Device().DefaultStream()
			}
			return f.Cuda.Allocate(size, align, s)
		}
	}},
	"any device's stream will do": {"StreamOfAnotherDevice", "Expected error with \"wrong device\"", func(f *faulty) {
		f.allocate = func(size, align int, s *driver.Stream) (driver.Ptr, error) {
			if s != nil && s.Device() != f.Device() {
				s = f.Device().DefaultStream()
			}
			return f.Cuda.Allocate(size, align, s)
		}
	}},
	"a closed stream allocates": {"ClosedStream", "Expected error with \"stream is closed\"", func(f *faulty) {
		f.allocate = func(size, align int, s *driver.Stream) (driver.Ptr, error) {
			if s != nil && s.Closed() {
				s = f.Device().DefaultStream()
			}
			return f.Cuda.Allocate(size, align, s)
		}
	}},
	"a closed stream cannot free": {"ClosedStream", "stream is closed", func(f *faulty) {
		f.deallocate = func(p driver.Ptr, size, align int, s *driver.Stream) error {
			if s != nil && s.Closed() {
				return driver.ErrStreamClosed
			}
			return f.Cuda.Deallocate(p, size, align, s)
		}
	}},
	"freeing believes everything": {"WrongDeallocate", "Expected error with \"size mismatch\"", func(f *faulty) {
		f.deallocate = func(p driver.Ptr, size, align int, s *driver.Stream) error {
			_ = f.Cuda.Deallocate(p, size, align, s)
			return nil
		}
	}},
	"memory is lost": {"Sizes", "allocations are left", func(f *faulty) {
		f.deallocate = func(p driver.Ptr, size, align int, s *driver.Stream) error {
			if size == 257 {
				return nil
			}
			return f.Cuda.Deallocate(p, size, align, s)
		}
	}},
	"reuse ignores the stream": {"ReuseOnAnotherStreamIsOrdered", "has changed", func(f *faulty) {
		// A free list of blocks of 1 MiB that knows no streams; it keeps the last one.
		var mu sync.Mutex
		var free driver.Ptr
		f.allocate = func(size, align int, s *driver.Stream) (driver.Ptr, error) {
			mu.Lock()
			defer mu.Unlock()
			if p := free; p != 0 && size == 1<<20 && s != nil {
				free = 0
				return p, nil
			}
			return f.Cuda.Allocate(size, align, s)
		}
		f.deallocate = func(p driver.Ptr, size, align int, s *driver.Stream) error {
			mu.Lock()
			defer mu.Unlock()
			if size == 1<<20 && free == 0 {
				free = p
				return nil
			}
			return f.Cuda.Deallocate(p, size, align, s)
		}
	}},
}

func TestPlanted(t *testing.T) {
	fault, ok := faults[os.Getenv(plant)]
	if !ok {
		return // the parent test starts it with a fault
	}
	mrtest.Patient()
	mrtest.Run(t, func(t *testing.T) mr.Resource {
		cuda, err := mr.NewCuda(drivertest.Device(t))
		require.NoError(t, err)
		f := &faulty{Cuda: cuda, allocate: cuda.Allocate, deallocate: cuda.Deallocate}
		fault.plant(f)
		return f
	}, mrtest.Options{})
}

func TestPlantedFaultsAreNoticed(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(self, "-test.run=^TestPlanted$/^"+fault.noticed+"$", "-test.v")
			cmd.Env = append(os.Environ(), plant+"="+name)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "the suite passes a resource whose fault is: %s\n%s", name, out)
			require.Contains(t, string(out), "--- FAIL: TestPlanted/"+fault.noticed)
			require.Contains(t, string(out), fault.as)
		})
	}
}
