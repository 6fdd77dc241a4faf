// Package driver is CUDA for Go programs without cgo: devices, streams, events,
// memory and copies over libcuda, loaded at run time, or over a simulator in
// pure Go (package driver/sim) that behaves the same.
//
//	drv, err := driver.Open(driver.Options{}) // or driver.Default()
//	dev := drv.DefaultDevice()
//	s, err := dev.NewStream(driver.StreamOptions{})
//	p, err := s.MemAllocAsync(1 << 20)
//	err = s.MemcpyHtoDAsync(p, data)
//	err = s.MemFreeAsync(p)
//	err = s.Synchronize()
//
// Names are CUDA's without the prefix: Device.MemAlloc is cuMemAlloc.
//
// # No current device
//
// Nothing depends on the CUDA context that is current on the calling thread,
// so goroutines may move between threads. A Stream, Event or Pool belongs to a
// Device for life; handing one to another device is ErrWrongDevice.
//
// # Streams are identities
//
// A Stream has an ID that is never reused, unlike the CUDA handle behind it.
// Stream.Close leaves an event behind, so that memory freed on a closed stream
// is still ordered after its work.
//
// # Waiting
//
// Synchronize blocks, and holds an OS thread meanwhile. Wait takes a context and
// holds none: thousands of goroutines may wait. No question that this package
// asks of its own accord harms anybody's capture of a graph.
//
// # Errors
//
// A failed CUDA call is an *Error; compare with errors.Is against
// ErrOutOfMemory and the other classes. Bad arguments, closed objects and
// mixed-up devices are found before CUDA is called and never panic.
//
// All types are safe for concurrent use. Closing an object while another
// goroutine uses it is safe too: Close waits for calls in flight, later ones
// fail.
package driver
