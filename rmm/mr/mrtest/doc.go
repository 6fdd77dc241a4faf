// Package mrtest checks that a memory resource keeps the contract of
// mr.Resource: what RMM's test suites ask of every resource, and what package mr
// promises beyond (mistakes are errors, and nothing is lost by them).
//
//	func TestMyResource(t *testing.T) {
//		mrtest.Run(t, func(t *testing.T) mr.Resource {
//			r, err := mypackage.New(drivertest.Device(t))
//			require.NoError(t, err)
//			return r
//		}, mrtest.Options{})
//	}
//
// It runs on the simulator and, with RMM_BACKEND=cuda, on a GPU.
package mrtest
