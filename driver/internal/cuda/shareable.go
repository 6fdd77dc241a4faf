package cuda

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// export calls a function of the form (void *shareable, object, type, flags).
// It writes an int for a file descriptor and 64 bytes for a fabric handle.
func (d *device) export(p *loader.Proc, object uintptr, t api.HandleType) (api.Shareable, error) {
	s := &api.Shareable{Type: t}
	var err error
	switch t {
	case api.HandlePosixFD:
		var fd uint64
		fd, err = d.directOut(p, object, uintptr(t), 0)
		s.FD = int(int32(fd))
	case api.HandleFabric:
		err = d.direct(p, loader.AddressOf(&s.Fabric), object, uintptr(t), 0)
	default:
		err = d.unshareable(p, t)
	}
	if err != nil {
		return api.Shareable{}, err
	}
	return *s, nil
}

// importHandle calls a function of the form (object *, void *shareable, type,
// flags); one without flags ignores the last. A file descriptor is passed as
// the pointer's value, a fabric handle by its address.
func (d *device) importHandle(p *loader.Proc, s api.Shareable) (uint64, error) {
	switch s.Type {
	case api.HandlePosixFD:
		return d.directOut(p, uintptr(s.FD), uintptr(s.Type), 0)
	case api.HandleFabric:
		fabric := &s.Fabric
		object, err := d.directOut(p, loader.AddressOf(fabric), uintptr(s.Type), 0)
		runtime.KeepAlive(fabric)
		return object, err
	}
	return 0, d.unshareable(p, s.Type)
}

func (d *device) unshareable(p *loader.Proc, t api.HandleType) error {
	return d.b.fn.invalid(p, "memory cannot be shared by handle type %d: use a POSIX file descriptor (%d) or a fabric handle (%d)",
		t, api.HandlePosixFD, api.HandleFabric)
}
