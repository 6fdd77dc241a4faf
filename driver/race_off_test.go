//go:build !race

package driver

// RaceDetector tells the tests whether the race detector is watching.
const RaceDetector = false
