package driver_test

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var kernelCases = []conformanceCase{
	one("kernels/add-vectors", kernelsAddVectors),
	one("kernels/see-earlier-work", kernelsSeeEarlierWork),
	one("kernels/launching-does-not-wait", launchingDoesNotWait),
	one("kernels/on-the-default-stream", kernelsOnTheDefaultStream),
	one("kernels/write-pinned-memory", kernelsWritePinnedMemory),
	one("kernels/write-managed-memory", kernelsWriteManagedMemory),
	one("kernels/write-virtual-memory", kernelsWriteVirtualMemory),
	one("kernels/take-time", kernelsTakeTime),
	one("kernels/in-a-graph", kernelsInAGraph),
	one("kernels/an-image-that-is-none", anImageThatIsNone),
	one("kernels/a-missing-entry", aMissingEntry),
	one("kernels/too-many-threads", tooManyThreads),
	one("kernels/too-many-blocks", tooManyBlocks),
	one("kernels/no-threads", noThreads),
	one("kernels/too-much-shared-memory", tooMuchSharedMemory),
	one("kernels/a-missing-argument", aMissingArgument),
	two("kernels/read-plain-memory-of-a-peer", kernelsReadPlainMemoryOfAPeer),
	two("kernels/read-pool-memory-of-a-peer", kernelsReadPoolMemoryOfAPeer),
}

func (b *bench) kernel(name string) *driver.Function {
	offers[api.Kernels](b, "kernels")
	return drivertest.Kernel(b, b.dev, name)
}

// fillWords launches a kernel that writes n words at p.
func (b *bench) fillWords(s *driver.Stream, fill *driver.Function, p driver.Ptr, n int, seed uint32) {
	b.ok(s.Launch(fill, drivertest.Threads(n), p, uint64(n), seed))
}

// filled is what fillWords writes.
func filled(n int, seed uint32) []byte {
	var want []byte
	for i := range n {
		want = binary.LittleEndian.AppendUint32(want, seed+uint32(i)*drivertest.FillStep)
	}
	return want
}

func floatBytes(values ...float32) []byte {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// Documented.
func kernelsAddVectors(b *bench) {
	const n = 1000 // not a multiple of the block
	add, s := b.kernel(drivertest.KernelVectorAdd), b.stream()
	x, y, sum := b.memory(4*n, 0), b.memory(4*n, 0), b.memory(4*n+4, 9)
	var xs, ys, sums []float32
	for i := range n {
		xs, ys = append(xs, float32(i)), append(ys, float32(2*i)+0.5)
		sums = append(sums, xs[i]+ys[i])
	}
	b.ok(s.MemcpyHtoDAsync(x, floatBytes(xs...)))
	b.ok(s.MemcpyHtoDAsync(y, floatBytes(ys...)))
	b.ok(s.Launch(add, drivertest.Threads(n), sum, x, y, uint32(n)))
	b.done(s)
	b.requireBytes(sum, append(floatBytes(sums...), 9, 9, 9, 9))
}

// Documented.
func kernelsSeeEarlierWork(b *bench) {
	add, s, p := b.kernel(drivertest.KernelVectorAdd), b.stream(), b.memory(8, 0)
	release := b.hold(s)
	b.ok(s.MemcpyHtoDAsync(p, floatBytes(0, 1)))
	for range 10 { // p[0] += p[1]
		b.ok(s.Launch(add, drivertest.Threads(1), p, p, p+4, uint32(1)))
	}
	release()
	b.done(s)
	b.requireBytes(p, floatBytes(10, 1))
}

// Documented: launches are asynchronous.
func launchingDoesNotWait(b *bench) {
	fill, s, p := b.kernel(drivertest.KernelFill), b.stream(), b.memory(4*kib, 0)
	b.fillWords(s, fill, p, kib, 1) // the first launch may load the code
	b.done(s)
	release := b.hold(s)
	b.promptly(func() error { return s.Launch(fill, drivertest.Threads(kib), p, uint64(kib), uint32(2)) })
	b.busy(s)
	release()
	b.done(s)
	b.requireBytes(p, filled(kib, 2))
}

// Documented.
func kernelsOnTheDefaultStream(b *bench) {
	fill, s, p := b.kernel(drivertest.KernelFill), b.dev.DefaultStream(), b.memory(4*kib, 0)
	b.fillWords(s, fill, p, kib, 3)
	b.done(s)
	b.requireBytes(p, filled(kib, 3))
}

// Documented: pinned memory is mapped for the device.
func kernelsWritePinnedMemory(b *bench) {
	fill, s := b.kernel(drivertest.KernelFill), b.stream()
	p, view := b.pinned(4 * kib)
	b.fillWords(s, fill, p, kib, 3)
	b.done(s)
	if string(view) != string(filled(kib, 3)) {
		b.Fatalf("the host sees something else than the kernel wrote")
	}
}

// Documented.
func kernelsWriteManagedMemory(b *bench) {
	fill, s, p := b.kernel(drivertest.KernelFill), b.stream(), b.managed()
	b.fillWords(s, fill, p, managedSize/4, 3)
	b.done(s)
	b.requireBytes(p, filled(managedSize/4, 3))
}

// Documented: a kernel sees two mappings side by side as one range.
func kernelsWriteVirtualMemory(b *bench) {
	fill, n := b.kernel(drivertest.KernelFill), b.piece()
	s, p := b.stream(), b.reserve(2*n)
	b.mapped(p, b.physical(n))
	b.mapped(p+driver.Ptr(n), b.physical(n))
	b.fillWords(s, fill, p, 2*n/4, 3)
	b.done(s)
	b.requireBytes(p, filled(2*n/4, 3))
}

// Measured: 20 000 000 ticks are about 10 ms.
func kernelsTakeTime(b *bench) {
	spin, s, start, end := b.kernel(drivertest.KernelSpin), b.stream(), b.timed(), b.timed()
	b.ok(start.Record(s))
	b.ok(s.Launch(spin, drivertest.Threads(1), uint64(20_000_000)))
	b.ok(end.Record(s))
	b.ok(end.Synchronize())
	took, err := end.Elapsed(start)
	b.ok(err)
	if took < 5*time.Millisecond {
		b.Fatalf("20 000 000 ticks took %v", took)
	}
}

// Documented: the arguments are those of the capture.
func kernelsInAGraph(b *bench) {
	add, s, p := b.kernel(drivertest.KernelVectorAdd), b.stream(), b.memory(8, 0)
	b.ok(b.dev.MemcpyHtoD(p, floatBytes(0, 1)))
	b.begin(s, driver.CaptureRelaxed)
	b.ok(s.Launch(add, drivertest.Threads(1), p, p, p+4, uint32(1)))
	exec := b.end(s)
	b.requireBytes(p, floatBytes(0, 1))
	for range 10 {
		b.ok(exec.Launch(s))
	}
	b.done(s)
	b.requireBytes(p, floatBytes(10, 1))
}

// codeInvalidImage and codeInvalidPTX are what CUDA answers to bad images.
const (
	codeInvalidImage = 200
	codeInvalidPTX   = 218
)

// Measured for text that does not compile.
func anImageThatIsNone(b *bench) {
	offers[api.Kernels](b, "kernels")
	_, err := b.dev.LoadModule([]byte("this is neither PTX nor a cubin\x00"))
	b.fails(err, codeInvalidPTX, codeInvalidImage)
}

// Measured: CUDA_ERROR_NOT_FOUND.
func aMissingEntry(b *bench) {
	offers[api.Kernels](b, "kernels")
	m, err := b.dev.LoadModule([]byte(drivertest.PTX))
	b.ok(err)
	b.Cleanup(func() { b.ok(m.Close()) })
	_, err = m.Function("no_such_kernel")
	b.fails(err, api.CodeNotFound)
}

// Documented: CUDA_ERROR_INVALID_VALUE.
func tooManyThreads(b *bench) {
	spin, s := b.kernel(drivertest.KernelSpin), b.stream()
	b.fails(s.Launch(spin, driver.LaunchConfig{Block: driver.Dim{X: 1025}}, uint64(1)), api.CodeInvalidValue)
	b.fails(s.Launch(spin, driver.LaunchConfig{Block: driver.Dim{X: 64, Y: 32}}, uint64(1)), api.CodeInvalidValue)
	b.fails(s.Launch(spin, driver.LaunchConfig{Block: driver.Dim{Z: 65}}, uint64(1)), api.CodeInvalidValue)
	b.done(s)
}

// Documented.
func tooManyBlocks(b *bench) {
	spin, s := b.kernel(drivertest.KernelSpin), b.stream()
	b.fails(s.Launch(spin, driver.LaunchConfig{Grid: driver.Dim{Y: 1 << 16}}, uint64(1)), api.CodeInvalidValue)
	b.done(s)
}

// Documented.
func noThreads(b *bench) {
	kernels, s := offers[api.Kernels](b, "kernels"), b.stream()
	m, err := kernels.ModuleLoad([]byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry drivertest_spin(.param .u64 ticks) { ret; }\n"))
	b.ok(err)
	b.Cleanup(func() { b.ok(kernels.ModuleUnload(m)) })
	b.kernel(drivertest.KernelSpin) // the simulator needs to know the name
	f, err := kernels.ModuleFunction(m, drivertest.KernelSpin)
	b.ok(err)
	none := api.LaunchConfig{Grid: [3]uint32{0, 1, 1}, Block: [3]uint32{1, 1, 1}}
	b.fails(kernels.Launch(f, none, handleOf(s), api.Params{Buf: make([]byte, 8), Offsets: []int{0}}), api.CodeInvalidValue)
	b.done(s)
}

// Documented: more than a device has.
func tooMuchSharedMemory(b *bench) {
	spin, s := b.kernel(drivertest.KernelSpin), b.stream()
	b.fails(s.Launch(spin, driver.LaunchConfig{SharedMemory: mib}, uint64(1)), api.CodeInvalidValue)
	b.done(s)
}

// The backends' own rule: CUDA would read beyond the list of arguments.
func aMissingArgument(b *bench) {
	add, s := b.kernel(drivertest.KernelVectorAdd), b.stream()
	if backendUnderTest() != "sim" && b.dev.Driver().Version() < 12040 {
		b.Skipf("this machine has a driver that does not tell a kernel's parameters")
	}
	b.fails(s.Launch(add, drivertest.Threads(1), uint64(0)), api.CodeInvalidValue)
	b.done(s)
}

// Documented: cuCtxEnablePeerAccess.
func kernelsReadPlainMemoryOfAPeer(b *bench) {
	b.peers()
	b.ok(b.dev.EnablePeerAccess(b.peer))
	b.Cleanup(func() { b.ok(b.dev.DisablePeerAccess(b.peer)) })
	b.readsPeer(deviceMemory(b, b.peer, 12))
}

// Documented: cuMemPoolSetAccess.
func kernelsReadPoolMemoryOfAPeer(b *bench) {
	b.peers()
	pool, s := b.peerPool(), b.peer.DefaultStream()
	b.ok(pool.SetAccess(b.dev, driver.AccessReadWrite))
	b.readsPeer(b.allocate(pool, 12, s))
}

// readsPeer has a kernel of the first device read three numbers of the second.
func (b *bench) readsPeer(p driver.Ptr) {
	add, s, zero, sum := b.kernel(drivertest.KernelVectorAdd), b.stream(), b.memory(12, 0), b.memory(12, 0)
	b.ok(b.peer.MemcpyHtoD(p, floatBytes(1, 2, 3)))
	b.ok(b.peer.Synchronize())
	b.ok(s.Launch(add, drivertest.Threads(3), sum, p, zero, uint32(3)))
	b.done(s)
	b.requireBytes(sum, floatBytes(1, 2, 3))
}
