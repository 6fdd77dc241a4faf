package mr

import (
	"go.uber.org/zap"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/internal/debuglog"
)

// Package driver knows no log. Whoever links a resource gets its decisions and
// failures in the debug log.
func init() {
	driver.ObserveSearch(logSearch)
	driver.ObserveOpen(logOpen)
}

func logSearch(d driver.SearchDecision) {
	if !debuglog.Enabled(debuglog.Debug) {
		return
	}
	fields := []zap.Field{zap.String("library", d.Library), zap.String("path", d.Path), zap.String("source", d.Source)}
	if d.Err != nil {
		debuglog.Logger().Debug("library refused", append(fields, zap.NamedError("reason", d.Err))...)
		return
	}
	debuglog.Logger().Debug("library loaded", fields...)
}

func logOpen(drv *driver.Driver, err error) {
	if err != nil {
		debuglog.Logger().Debug("driver not opened", zap.Error(err)) // the caller has the error and decides what it means
		return
	}
	debuglog.Logger().Debug("driver opened", zap.Stringer("backend", drv.Backend()), zap.Stringer("cuda", drv.Version()), zap.Int("devices", drv.DeviceCount()))
}
