package driver

import "fmt"

// Version is a CUDA version as CUDA counts: 13000 is 13.0.
type Version int

// String prints major and minor: "13.0".
func (v Version) String() string { return fmt.Sprintf("%d.%d", int(v)/1000, int(v)%1000/10) }
