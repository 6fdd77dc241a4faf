//go:build race

package loader

// raceEnabled: the race detector allocates where the program does not.
const raceEnabled = true
