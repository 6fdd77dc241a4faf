package driver

import "github.com/rmm-go/rmm-go/driver/internal/api"

// Raw is the backend's device, for tests of misuse that this package does not
// let through.
func Raw(d *Device) api.Device { return d.raw }
