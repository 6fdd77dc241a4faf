package cuda

import (
	"bytes"
	"errors"
	"strings"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// CUjit_option, those that ModuleLoad sets.
const (
	jitErrorLog     int32 = 5 // the buffer's address
	jitErrorLogSize int32 = 6 // its size in bytes
)

// jitOptions ask the compiler of PTX to write down what it finds wrong.
type jitOptions struct {
	options [2]int32
	values  [2]uintptr
	log     [8 << 10]byte
}

func newJITOptions() *jitOptions {
	j := &jitOptions{options: [...]int32{jitErrorLog, jitErrorLogSize}}
	j.values = [...]uintptr{loader.AddressOf(&j.log), uintptr(len(j.log))}
	return j
}

// explain adds the log to the error of the call.
func (j *jitOptions) explain(err error) error {
	var failure *api.Error
	if errors.As(err, &failure) {
		text, _, _ := bytes.Cut(j.log[:], []byte{0})
		failure.Detail = strings.TrimSpace(string(text))
	}
	return err
}
