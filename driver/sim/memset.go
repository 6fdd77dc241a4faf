package sim

import (
	"encoding/binary"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

// memsetCalls are CUDA's names by the width of an element.
var memsetCalls = map[int]string{1: "cuMemsetD8", 2: "cuMemsetD16", 4: "cuMemsetD32"}

func (d *device) Memset(p api.Ptr, value uint32, width, count int) error {
	o, host, err := d.memset("_v2", p, value, width, count, api.StreamLegacy)
	return d.await(memsetCalls[width]+"_v2", o, err, host)
}

func (d *device) MemsetAsync(p api.Ptr, value uint32, width, count int, s api.Stream) error {
	_, _, err := d.memset("Async", p, value, width, count, s)
	return err
}

// memset enqueues a fill, and says whether it fills host memory.
func (d *device) memset(suffix string, p api.Ptr, value uint32, width, count int, s api.Stream) (o *op, host bool, err error) {
	name, ok := memsetCalls[width]
	if !ok {
		name = "cuMemset"
	}
	call := name + suffix
	if err := d.enter(call); err != nil {
		return nil, false, err
	}
	switch {
	case !ok:
		return nil, false, fail(call, api.CodeInvalidValue, "elements of %d bytes: use 1, 2 or 4", width)
	case int(p)%width != 0:
		return nil, false, fail(call, api.CodeInvalidValue, "%v is not aligned to elements of %d bytes", p, width)
	case count < 0 || count > hugeSize:
		return nil, false, fail(call, api.CodeInvalidValue, "the count is %d", count)
	}
	m := d.machine
	m.host.mu.RLock()
	defer m.host.mu.RUnlock()
	n := width * count
	pattern := binary.LittleEndian.AppendUint32(nil, value)[:width]
	o, err = d.submit(call, s, func() (work, error) {
		to, err := d.place(call, p, n, api.AccessReadWrite)
		host = to.host != nil
		return func(*checker.Act) { fill(to, pattern, n) }, err
	}, writing(p, n))
	return o, host, err
}
