package drivertest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/sim"
)

// The kernels of PTX, by entry name.
const (
	// KernelVectorAdd is (float *sum, const float *a, const float *b, unsigned n):
	// sum[i] = a[i] + b[i], a thread for each i.
	KernelVectorAdd = "drivertest_vector_add"
	// KernelFill is (unsigned *words, unsigned long long count, unsigned seed):
	// words[i] = seed + i * FillStep modulo 2^32, a thread for each i.
	KernelFill = "drivertest_fill"
	// KernelSpin is (unsigned long long ticks): every thread runs for so many ticks
	// of its clock; 1 000 000 are about half a millisecond.
	KernelSpin = "drivertest_spin"
)

// FillStep is the difference between neighbours in what KernelFill writes.
const FillStep uint32 = 0x9e3779b1

// PTX is the text of the kernels, for compute capability 7.0 and newer. It is
// the driver's to compile; on the simulator Kernel registers Go functions that
// do the same.
const PTX = `
.version 7.0
.target sm_70
.address_size 64

.visible .entry drivertest_vector_add(
	.param .u64 sum,
	.param .u64 a,
	.param .u64 b,
	.param .u32 n
)
{
	.reg .pred %outside;
	.reg .b32 %i, %n, %block, %threads, %thread;
	.reg .b64 %sum, %a, %b, %offset;
	.reg .f32 %x, %y, %z;

	ld.param.u64 %sum, [sum];
	ld.param.u64 %a, [a];
	ld.param.u64 %b, [b];
	ld.param.u32 %n, [n];
	cvta.to.global.u64 %sum, %sum;
	cvta.to.global.u64 %a, %a;
	cvta.to.global.u64 %b, %b;

	mov.u32 %block, %ctaid.x;
	mov.u32 %threads, %ntid.x;
	mov.u32 %thread, %tid.x;
	mad.lo.u32 %i, %block, %threads, %thread;
	setp.ge.u32 %outside, %i, %n;
	@%outside bra done;

	mul.wide.u32 %offset, %i, 4;
	add.u64 %a, %a, %offset;
	add.u64 %b, %b, %offset;
	add.u64 %sum, %sum, %offset;
	ld.global.f32 %x, [%a];
	ld.global.f32 %y, [%b];
	add.f32 %z, %x, %y;
	st.global.f32 [%sum], %z;
done:
	ret;
}

.visible .entry drivertest_fill(
	.param .u64 words,
	.param .u64 count,
	.param .u32 seed
)
{
	.reg .pred %outside;
	.reg .b32 %block, %threads, %thread, %seed, %low, %value;
	.reg .b64 %at, %count, %i, %offset;

	ld.param.u64 %at, [words];
	ld.param.u64 %count, [count];
	ld.param.u32 %seed, [seed];
	cvta.to.global.u64 %at, %at;

	mov.u32 %block, %ctaid.x;
	mov.u32 %threads, %ntid.x;
	mov.u32 %thread, %tid.x;
	cvt.u64.u32 %i, %thread;
	mad.wide.u32 %i, %block, %threads, %i;
	setp.ge.u64 %outside, %i, %count;
	@%outside bra done;

	cvt.u32.u64 %low, %i;
	mad.lo.u32 %value, %low, 0x9e3779b1, %seed;
	shl.b64 %offset, %i, 2;
	add.u64 %at, %at, %offset;
	st.global.u32 [%at], %value;
done:
	ret;
}

.visible .entry drivertest_spin(
	.param .u64 ticks
)
{
	.reg .pred %again;
	.reg .b64 %start, %now, %passed, %ticks;

	ld.param.u64 %ticks, [ticks];
	mov.u64 %start, %clock64;
again:
	mov.u64 %now, %clock64;
	sub.u64 %passed, %now, %start;
	setp.lt.u64 %again, %passed, %ticks;
	@%again bra again;
	ret;
}
`

var registerKernels = sync.OnceFunc(func() {
	sim.RegisterKernel(KernelVectorAdd, vectorAdd)
	sim.RegisterKernel(KernelFill, fillWords)
	sim.RegisterKernel(KernelSpin, spin)
})

// Kernel loads PTX on the device until the end of the test and returns one of
// its kernels.
func Kernel(t testing.TB, dev *driver.Device, name string) *driver.Function {
	t.Helper()
	registerKernels()
	m, err := dev.LoadModule([]byte(PTX))
	if errors.Is(err, driver.ErrNotSupported) {
		t.Skipf("needs a GPU: %v", err)
	}
	if err != nil {
		t.Fatalf("drivertest: load the test kernels: %v", err)
	}
	t.Cleanup(func() { closeModule(t, m) })
	f, err := m.Function(name)
	if err != nil {
		t.Fatalf("drivertest: %v", err)
	}
	return f
}

func closeModule(t testing.TB, m *driver.Module) {
	t.Helper()
	if err := m.Close(); err != nil {
		t.Errorf("drivertest: unload the test kernels at the end of the test: %v", err)
	}
}

// Threads is the shape of a launch with a thread for each of n elements.
func Threads(n int) driver.LaunchConfig {
	const block = 256
	return driver.LaunchConfig{Grid: driver.Dim{X: (n + block - 1) / block}, Block: driver.Dim{X: block}}
}

// The Go functions do what all threads of a launch do together.

func vectorAdd(k *sim.Kernel) {
	var sum, a, b sim.Ptr
	var n uint32
	arguments(k, &sum, &a, &b, &n)
	count := min(int(n), k.Threads())
	values := sim.Load[float32](k, a, count)
	for i, y := range sim.Load[float32](k, b, count) {
		values[i] += y
	}
	sim.Store(k, sum, values...)
}

func fillWords(k *sim.Kernel) {
	var words sim.Ptr
	var count uint64
	var seed uint32
	arguments(k, &words, &count, &seed)
	values := make([]uint32, min(count, uint64(k.Threads())))
	for i := range values {
		values[i] = seed + uint32(i)*FillStep
	}
	sim.Store(k, words, values...)
}

func spin(k *sim.Kernel) {
	var ticks uint64
	arguments(k, &ticks)
	time.Sleep(time.Duration(ticks / 2)) // a clock of 2 GHz
}

// arguments stores the launch's arguments in order.
func arguments(k *sim.Kernel, into ...any) {
	for i, v := range into {
		k.Arg(i, v)
	}
}
