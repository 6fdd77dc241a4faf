package driver

// Waiting is the number of goroutines that wait for events of a device.
func Waiting(d *Device) (n int) {
	d.poller.mu.Lock()
	defer d.poller.mu.Unlock()
	for _, waiters := range d.poller.waiting {
		n += waiters.Len()
	}
	return n
}
