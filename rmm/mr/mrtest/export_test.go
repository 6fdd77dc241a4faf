package mrtest

import "time"

// Patient makes the suite wait until a planted fault has surely had its effect.
func Patient() { patience = time.Minute }
