package mrtest_test

import (
	"testing"

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
