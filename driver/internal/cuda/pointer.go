package cuda

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/internal/pointerquery"
)

// PointerInfo says what the driver knows about an address. One that it does not
// know is MemoryUnregistered, without an error.
func (d *device) PointerInfo(p api.Ptr) (api.PointerInfo, error) {
	q := pointerquery.About(p)
	return q.End(d.direct(&d.b.fn.pointerAttributes, q.Args()...))
}
