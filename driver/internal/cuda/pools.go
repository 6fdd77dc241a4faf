package cuda

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// poolProps is CUmemPoolProps. Headers before CUDA 12.2 have no maxSize and
// those before 12.6 no usage: they are part of the reserved bytes there, so the
// size is the same and zero means what it did.
type poolProps struct {
	allocationType int32
	handleTypes    int32
	location       memLocation
	_              uintptr // win32SecurityAttributes
	maxSize        uint64
	_              uint16 // usage
	_              [54]byte
}

// DefaultPool is the device's default memory pool.
func (d *device) DefaultPool() (api.Pool, error) {
	pool, err := d.b.callOut(&d.b.fn.deviceDefaultPool, d.id)
	return api.Pool(pool), err
}

// PoolCreate makes a pool of this device's memory.
func (d *device) PoolCreate(props api.PoolProps) (api.Pool, error) {
	c := &poolProps{
		allocationType: allocationPinned,
		handleTypes:    props.HandleTypes,
		location:       d.location(),
		maxSize:        uint64(props.MaxSize),
	}
	pool, err := d.currentOut(&d.b.fn.poolCreate, loader.AddressOf(c))
	runtime.KeepAlive(c)
	return api.Pool(pool), err
}

// PoolDestroy gives a pool up. Allocations that are still live keep its memory.
func (d *device) PoolDestroy(pool api.Pool) error {
	return d.direct(&d.b.fn.poolDestroy, uintptr(pool))
}

// PoolAttribute reads a switch (0 or 1) or a number of bytes. The driver writes
// 4 bytes for a switch and 8 for a number; the cleared word fits both.
func (d *device) PoolAttribute(pool api.Pool, a api.PoolAttribute) (uint64, error) {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	f.Set(uintptr(pool), uintptr(a), f.WordAddr(0))
	if err := d.invokeDirect(f, &d.b.fn.poolGetAttribute); err != nil {
		return 0, err
	}
	return f.Word(0), nil
}

// PoolSetAttribute writes a switch, the release threshold, or resets a
// high-water mark with 0.
func (d *device) PoolSetAttribute(pool api.Pool, a api.PoolAttribute, value uint64) error {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, value)
	f.Set(uintptr(pool), uintptr(a), f.WordAddr(0))
	return d.invokeDirect(f, &d.b.fn.poolSetAttribute)
}

// PoolTrim releases free memory but lets at least keep bytes stay reserved.
func (d *device) PoolTrim(pool api.Pool, keep int) error {
	return d.direct(&d.b.fn.poolTrim, uintptr(pool), uintptr(keep))
}
