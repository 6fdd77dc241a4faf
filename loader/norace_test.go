//go:build !race && linux && !rmm_nocuda

package loader

const raceEnabled = false
