package sim

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/driver/sim/internal/checker"
)

var kernels struct {
	mu     sync.RWMutex
	byName map[string]func(*Kernel)
}

// RegisterKernel makes f stand for the kernel with this entry name in PTX that
// any simulated device of the process loads, in place of what stood for it
// before; a nil f takes that away. Modules keep the functions they have found.
//
// f runs once for a whole launch, on a goroutine of its own, when it is the
// stream's turn, and must not call the machine. It does what all the threads of
// the grid would do (see Kernel.Threads).
func RegisterKernel(name string, f func(*Kernel)) {
	kernels.mu.Lock()
	defer kernels.mu.Unlock()
	if kernels.byName == nil {
		kernels.byName = map[string]func(*Kernel){}
	}
	kernels.byName[name] = f
}

// registered is the function that stands for a kernel, nil if none does.
func registered(name string) func(*Kernel) {
	kernels.mu.RLock()
	defer kernels.mu.RUnlock()
	return kernels.byName[name]
}

// Kernel is one launch, as the Go function that stands for the kernel sees it.
// It is valid until the function returns.
//
// Memory is reached through Load and Store only. What a GPU would not allow (an
// address outside of every allocation, memory of a device to which there is no
// access, a misaligned address, an argument that is not there) ends the function
// at once, and every later call on the device fails until its primary context is
// reset.
type Kernel struct {
	// Grid is the number of blocks, Block the number of threads in each.
	Grid, Block [3]uint32
	// SharedMemory is the dynamic shared memory of a block in bytes.
	SharedMemory int

	name   string
	device *device
	params api.Params
	act    *checker.Act // the launch, for the checker
}

// Threads is the number of threads in the grid.
func (k *Kernel) Threads() int {
	n := 1
	for i := range 3 {
		n *= int(k.Grid[i]) * int(k.Block[i])
	}
	return n
}

// Device is the ordinal of the device on which the kernel runs.
func (k *Kernel) Device() int { return k.device.info.Ordinal }

// Arg stores argument i in what v points to: a Ptr, a number of fixed size, a
// bool, or an array or struct of those, of the type that was launched.
func (k *Kernel) Arg(i int, v any) {
	if i < 0 || i >= len(k.params.Offsets) {
		k.fail(api.CodeLaunchFailed, "it asks for argument %d of %d", i, len(k.params.Offsets))
	}
	b, _ := argument(k.params, i) // the launch has checked that it is there
	if p, ok := v.(*Ptr); ok {
		var address uint64
		k.decode(i, b, &address)
		*p = Ptr(address)
		return
	}
	k.decode(i, b, v)
}

func (k *Kernel) decode(i int, b []byte, v any) {
	if _, err := binary.Decode(b, binary.LittleEndian, v); err != nil {
		k.fail(api.CodeLaunchFailed, "it reads argument %d, of %d bytes, as a %T: %v", i, len(b), v, err)
	}
}

// fail ends the kernel with a fault.
func (k *Kernel) fail(code int, detail string, args ...any) {
	fault("kernel "+k.name, code, detail, args...)
}

// Number is what Load and Store move.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

// Load reads n numbers from p on.
func Load[T Number](k *Kernel, p Ptr, n int) []T {
	values := make([]T, max(n, 0))
	from := k.place(p, n, sizeOf[T](), api.AccessRead)
	b := bytesOf(values)
	move(place{host: b}, from, len(b))
	return values
}

// Store writes numbers from p on.
func Store[T Number](k *Kernel, p Ptr, values ...T) {
	to := k.place(p, len(values), sizeOf[T](), api.AccessReadWrite)
	b := bytesOf(values)
	move(to, place{host: b}, len(b))
}

func sizeOf[T Number]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// bytesOf is the memory of numbers; every platform of this package has the byte
// order of a GPU.
func bytesOf[T Number](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*sizeOf[T]())
}
