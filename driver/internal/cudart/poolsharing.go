package cudart

import (
	"encoding/binary"
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// PoolExport makes a handle of a pool that was created exportable as t.
func (d *device) PoolExport(pool api.Pool, t api.HandleType) (api.Shareable, error) {
	if err := d.checkShareable(&d.b.rt.poolExport, t); err != nil {
		return api.Shareable{}, err
	}
	out := new([64]byte) // CUDA writes an int or 64 bytes
	if err := d.call(&d.b.rt.poolExport, loader.AddressOf(out), uintptr(pool), uintptr(t), 0); err != nil {
		return api.Shareable{}, err
	}
	if t == api.HandleFabric {
		return api.Shareable{Type: t, Fabric: *out}, nil
	}
	return api.Shareable{Type: t, FD: int(int32(binary.LittleEndian.Uint32(out[:])))}, nil
}

// PoolImport opens a pool that another process exported. Allocating from it is
// an error of CUDA's: it only imports pointers.
func (d *device) PoolImport(s api.Shareable) (api.Pool, error) {
	if err := d.checkShareable(&d.b.rt.poolImport, s.Type); err != nil {
		return 0, err
	}
	fabric := &s.Fabric
	from := uintptr(s.FD) // a file descriptor stands in the pointer itself
	if s.Type == api.HandleFabric {
		from = loader.AddressOf(fabric)
	}
	pool, err := d.callOut(&d.b.rt.poolImport, from, uintptr(s.Type), 0)
	runtime.KeepAlive(fabric)
	return api.Pool(pool), err
}

func (d *device) checkShareable(p *loader.Proc, t api.HandleType) error {
	if t == api.HandlePosixFD || t == api.HandleFabric {
		return nil
	}
	return d.b.invalid(p, "pools are not shared by handles of type %d: use %d (POSIX file descriptor) or %d (fabric)",
		t, api.HandlePosixFD, api.HandleFabric)
}

// PoolExportPointer describes an allocation of an exported pool to the process
// that imported it.
func (d *device) PoolExportPointer(p api.Ptr) (api.PoolPointer, error) {
	data := new(api.PoolPointer)
	err := d.call(&d.b.rt.poolExportPointer, loader.AddressOf(data), uintptr(p))
	return *data, err
}

// PoolImportPointer opens an allocation of an imported pool.
func (d *device) PoolImportPointer(pool api.Pool, data api.PoolPointer) (api.Ptr, error) {
	p, err := d.callOut(&d.b.rt.poolImportPointer, uintptr(pool), loader.AddressOf(&data))
	runtime.KeepAlive(&data)
	return api.Ptr(p), err
}
