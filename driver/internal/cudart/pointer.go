package cudart

import (
	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/internal/pointerquery"
)

// PointerInfo says what libcuda knows about an address: the runtime does not
// tell where an allocation begins. An address that is not known is
// MemoryUnregistered, without an error.
func (d *device) PointerInfo(p api.Ptr) (api.PointerInfo, error) {
	q := pointerquery.About(p)
	return q.End(d.driverCall(&d.b.drv.pointerAttributes, q.Args()...))
}
