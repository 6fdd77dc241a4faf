package loader

import (
	"fmt"
	"sync"
	"unsafe"
)

const (
	maxArgs  = 16 // cuLaunchKernel takes 11
	maxWords = 8
)

// Frame holds the arguments of one C call and the words that the call writes
// its results to. It lies on the heap and holds no Go pointers: its addresses
// stay valid while the goroutine's stack moves. Frames are pooled; neither
// Acquire nor a call allocates. A Frame belongs to one goroutine at a time.
type Frame struct {
	args  [maxArgs]uintptr
	n     int
	words [maxWords]uint64
}

var frames = sync.Pool{New: func() any { return new(Frame) }}

// Acquire takes a frame from the pool. Its words hold anything.
func Acquire() *Frame { return frames.Get().(*Frame) }

// Release puts f back. f must not be used afterwards.
func (f *Frame) Release() { frames.Put(f) }

// Set stores the arguments of the next Invoke; at most 16. Signed arguments
// are sign-extended, narrow ones may have any upper bits.
func (f *Frame) Set(args ...uintptr) { f.n = len(args); copy(f.args[:], args) }

// SetOut is Set with the address of word 0 as the first argument, and clears
// that word: most functions return their result through their first parameter.
func (f *Frame) SetOut(args ...uintptr) {
	f.words[0] = 0
	f.args[0] = f.WordAddr(0)
	f.n = 1 + len(args)
	copy(f.args[1:], args)
}

// Invoke calls p with the stored arguments and returns C's int result. The
// error says that p cannot be called at all. Invoke may be repeated.
//
// A CUresult is 32 bits wide: C leaves the upper half of the register undefined.
func (f *Frame) Invoke(p *Proc) (int32, error) {
	word, err := f.InvokeWord(p)
	return int32(word), err
}

// InvokeWord is Invoke for a function whose result is a whole word: a size or an
// address.
func (f *Frame) InvokeWord(p *Proc) (uintptr, error) {
	if p.address == 0 || f.n > maxArgs {
		return 0, f.refuse(p)
	}
	return f.syscall(p), nil
}

// Call is Set and Invoke.
func (f *Frame) Call(p *Proc, args ...uintptr) (int32, error) {
	f.Set(args...)
	return f.Invoke(p)
}

func (f *Frame) refuse(p *Proc) error {
	if err := p.Err(); err != nil {
		return err
	}
	return fmt.Errorf("call %s: %d arguments, at most %d are possible", p.name, f.n, maxArgs)
}

// WordAddr is the address of word i, 0 to 7, to pass as a pointer argument.
func (f *Frame) WordAddr(i int) uintptr { return uintptr(unsafe.Pointer(&f.words[i])) }

// Word is word i as C wrote it.
func (f *Frame) Word(i int) uint64 { return f.words[i] }

// SetWord stores what C reads from word i.
func (f *Frame) SetWord(i int, value uint64) { f.words[i] = value }

// Int32 is the C int at the address of word i. All supported platforms are
// little-endian.
func (f *Frame) Int32(i int) int32 { return int32(uint32(f.words[i])) }
