package driver

import "sync"

var process struct {
	sync.Mutex
	driver *Driver
}

// Default returns the process-wide driver and opens it, as Open(Options{})
// does, at the first call. A failed opening is not remembered: the next call
// tries again.
func Default() (*Driver, error) {
	process.Lock()
	defer process.Unlock()
	if process.driver != nil {
		return process.driver, nil
	}
	d, err := Open(Options{})
	if err != nil {
		return nil, err
	}
	process.driver = d
	return d, nil
}

// SetDefault makes d what Default returns, and returns what it replaced (nil if
// nothing was open). SetDefault(nil) makes the next Default open anew. It
// closes nothing.
func SetDefault(d *Driver) *Driver {
	process.Lock()
	defer process.Unlock()
	previous := process.driver
	process.driver = d
	return previous
}
