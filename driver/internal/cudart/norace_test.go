//go:build !race && linux && !rmm_nocuda

package cudart

const raceEnabled = false
