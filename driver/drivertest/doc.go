// Package drivertest helps to test code that uses package driver: the same
// tests run on the simulator and on a GPU.
//
//	func TestMyKernel(t *testing.T) {
//		dev := drivertest.Device(t)
//		s := drivertest.Stream(t, dev)
//		…
//	}
//
// go test runs on the simulator; RMM_BACKEND=cuda go test runs on the machine's
// GPUs. At the end of a test the driver is closed: a stream, event or pool left
// open fails the test, and on the simulator so does memory that was not freed.
//
// # Skipping
//
// A test that cannot run everywhere says so through a Need function, and a long
// one through Long. The reasons begin with "simulator only: ", "needs a GPU: ",
// "needs N devices: " (N a number) or "long: ", so that a script can tell
// whether a test had a good reason to be skipped on a given machine.
package drivertest
