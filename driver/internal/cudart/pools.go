package cudart

import (
	"runtime"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// allocationPinned is cudaMemAllocationTypePinned.
const allocationPinned int32 = 1

// poolProps is cudaMemPoolProps. Headers before CUDA 12.2 have no maxSize and
// those before 12.6 no usage: they are part of the reserved bytes there, so the
// size is the same and zero means what it did.
type poolProps struct {
	allocationType int32
	handleTypes    int32
	location       location
	_              uintptr // win32SecurityAttributes
	maxSize        uint64
	_              uint16 // usage
	_              [54]byte
}

// DefaultPool is the device's default memory pool.
func (d *device) DefaultPool() (api.Pool, error) {
	pool, err := d.callOut(&d.b.rt.deviceDefaultPool, d.ordinal())
	return api.Pool(pool), err
}

// PoolCreate makes a pool of this device's memory.
func (d *device) PoolCreate(props api.PoolProps) (api.Pool, error) {
	c := &poolProps{
		allocationType: allocationPinned,
		handleTypes:    props.HandleTypes,
		location:       locationOf(d.info.Ordinal),
		maxSize:        uint64(props.MaxSize),
	}
	pool, err := d.callOut(&d.b.rt.poolCreate, loader.AddressOf(c))
	runtime.KeepAlive(c)
	return api.Pool(pool), err
}

// PoolDestroy gives a pool up. Allocations that are still live keep its memory.
func (d *device) PoolDestroy(pool api.Pool) error {
	return d.call(&d.b.rt.poolDestroy, uintptr(pool))
}

// PoolAttribute reads a switch (0 or 1) or a number of bytes. CUDA writes 4
// bytes for a switch and 8 for a number; the cleared word fits both.
func (d *device) PoolAttribute(pool api.Pool, a api.PoolAttribute) (uint64, error) {
	f := loader.Acquire()
	defer f.Release()
	f.SetWord(0, 0)
	f.Set(uintptr(pool), uintptr(a), f.WordAddr(0))
	if err := d.invoke(f, &d.b.rt.poolGetAttribute); err != nil {
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
	return d.invoke(f, &d.b.rt.poolSetAttribute)
}

// PoolTrim releases free memory but lets at least keep bytes stay reserved.
func (d *device) PoolTrim(pool api.Pool, keep int) error {
	return d.call(&d.b.rt.poolTrim, uintptr(pool), uintptr(keep))
}
