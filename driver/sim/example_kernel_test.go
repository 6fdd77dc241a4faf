package sim_test

import (
	"fmt"
	"log"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

const incrementPTX = `
.version 7.0
.target sm_70
.address_size 64
.visible .entry example_increment(.param .u64 values, .param .u32 n) { ret; }
`

// A Go function does on the simulator what the PTX does on a GPU.
func ExampleRegisterKernel() {
	sim.RegisterKernel("example_increment", func(k *sim.Kernel) {
		var values sim.Ptr
		var n uint32
		k.Arg(0, &values)
		k.Arg(1, &n)
		numbers := sim.Load[uint8](k, values, int(n))
		for i := range numbers {
			numbers[i]++
		}
		sim.Store(k, values, numbers...)
	})
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	if err != nil {
		log.Fatal(err)
	}
	dev, err := drv.DefaultDevice()
	if err != nil {
		log.Fatal(err)
	}
	result, err := increment(dev, []byte{1, 2, 3})
	fmt.Println(result, err)
	// Output: [2 3 4] <nil>
}

// increment is code under test: it does not know on what it runs.
func increment(dev *driver.Device, values []byte) ([]byte, error) {
	module, err := dev.LoadModule([]byte(incrementPTX))
	if err != nil {
		return nil, err
	}
	defer module.Close()
	f, err := module.Function("example_increment")
	if err != nil {
		return nil, err
	}
	p, err := dev.MemAlloc(len(values))
	if err != nil {
		return nil, err
	}
	defer dev.MemFree(p)
	if err := dev.MemcpyHtoD(p, values); err != nil {
		return nil, err
	}
	s := dev.DefaultStream()
	if err := s.Launch(f, driver.LaunchConfig{Block: driver.Dim{X: 32}}, p, uint32(len(values))); err != nil {
		return nil, err
	}
	result := make([]byte, len(values))
	return result, dev.MemcpyDtoH(result, p)
}
