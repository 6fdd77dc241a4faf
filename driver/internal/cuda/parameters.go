package cuda

import (
	"errors"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
	"github.com/rmm-go/rmm-go/loader"
)

// kernelParameters remembers the sizes, in bytes, of the parameters of every
// kernel that was looked up and whose module is still loaded.
type kernelParameters struct {
	mu       sync.RWMutex
	sizes    map[api.Function][]int
	byModule map[api.Module][]api.Function
}

func newKernelParameters() kernelParameters {
	return kernelParameters{sizes: map[api.Function][]int{}, byModule: map[api.Module][]api.Function{}}
}

func (k *kernelParameters) remember(m api.Module, f api.Function, sizes []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sizes[f] = sizes
	k.byModule[m] = append(k.byModule[m], f)
}

// forget drops a module's kernels: their handles may come again for others.
func (k *kernelParameters) forget(m api.Module) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, f := range k.byModule[m] {
		delete(k.sizes, f)
	}
	delete(k.byModule, m)
}

// parameters are the sizes for a kernel. They are not known for functions that
// somebody else looked up, and by drivers before CUDA 12.4.
func (k *kernelParameters) parameters(f api.Function) (sizes []int, known bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	sizes, known = k.sizes[f]
	return sizes, known
}

// maxParameters is more than any kernel has: CUDA allows 32 764 bytes of them.
const maxParameters = 32 << 10

// learnParameters asks the driver for a kernel's parameters one by one; it
// refuses the index after the last.
func (d *device) learnParameters(m api.Module, f api.Function) error {
	if d.b.fn.optional.functionParam.Err() != nil {
		return nil
	}
	var sizes []int
	for i := range maxParameters {
		size, err := d.parameterSize(f, i)
		if errors.Is(err, api.ErrInvalidValue) {
			break
		}
		if err != nil {
			return err
		}
		sizes = append(sizes, size)
	}
	d.b.kernels.remember(m, f, sizes)
	return nil
}

func (d *device) parameterSize(f api.Function, index int) (int, error) {
	frame := loader.Acquire()
	defer frame.Release()
	frame.SetWord(1, 0)
	frame.Set(uintptr(f), uintptr(index), frame.WordAddr(0), frame.WordAddr(1))
	if err := d.invokeCurrent(frame, &d.b.fn.optional.functionParam); err != nil {
		return 0, err
	}
	return int(frame.Word(1)), nil
}
