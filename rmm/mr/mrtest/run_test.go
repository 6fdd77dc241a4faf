package mrtest_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm/mr"
	"github.com/rmm-go/rmm-go/rmm/mr/mrtest"
)

// verbose is somebody's own resource: it adds nothing, so it keeps the contract.
type verbose struct{ mr.Resource }

func (v verbose) Upstream() mr.Resource { return v.Resource }

func TestSomebodysResource(t *testing.T) {
	mrtest.Run(t, func(t *testing.T) mr.Resource {
		r, err := mr.NewCuda(drivertest.Device(t))
		if err != nil {
			t.Fatal(err)
		}
		return verbose{r}
	}, mrtest.Options{MaxSize: 1 << 20})
}

// modest is a resource that cannot do everything, and says so.
type modest struct{ *faulty }

func newModest(t *testing.T) mr.Resource {
	cuda, err := mr.NewCuda(drivertest.Device(t))
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{Cuda: cuda}
	f.allocate = func(size, align int, s *driver.Stream) (driver.Ptr, error) {
		if align > 256 && align&(align-1) == 0 {
			return 0, fmt.Errorf("alignment %d is above 256: %w", align, mr.ErrInvalidAlignment)
		}
		if size == 1<<50 {
			panic("the suite was told not to ask for that much")
		}
		return cuda.Allocate(size, align, s)
	}
	f.deallocate = func(p driver.Ptr, size, align int, s *driver.Stream) error {
		err := cuda.Deallocate(p, size, align, s)
		if errors.Is(err, mr.ErrForeignPointer) || errors.Is(err, mr.ErrSizeMismatch) {
			panic("the suite was told that releases are not checked")
		}
		return err
	}
	return modest{f}
}

func TestOptionsExcuseAResource(t *testing.T) {
	mrtest.Run(t, newModest, mrtest.Options{MaxSize: 1 << 20, MaxAlignment: 256, Trusting: true, Unbounded: true})
}
