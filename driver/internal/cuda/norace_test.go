//go:build !race && linux && !rmm_nocuda

package cuda

const raceEnabled = false
