//go:build race && linux && !rmm_nocuda

package cudart

// raceEnabled: the race detector allocates where the program does not.
const raceEnabled = true
