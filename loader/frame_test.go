//go:build linux && !rmm_nocuda

package loader

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCallPassesArgumentsInOrder(t *testing.T) {
	snprintf := bindC(t, "snprintf")
	format, text := cString("%d %d %d %d %d %d"), make([]byte, 64)
	f := Acquire()
	defer f.Release()
	n, err := f.Call(snprintf, AddressOf(&text[0]), uintptr(len(text)), AddressOf(&format[0]), 1, 2, 3, 4, 5, 6)
	runtime.KeepAlive(format)
	require.NoError(t, err)
	require.Equal(t, "1 2 3 4 5 6", string(text[:n]))
}

func TestResultsAreThirtyTwoBits(t *testing.T) {
	abs := bindC(t, "abs")
	f := Acquire()
	defer f.Release()
	for in, want := range map[int]int32{-7: 7, 5: 5, 1<<40 | 3: 3} {
		got, err := f.Call(abs, uintptr(in))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := f.Call(bindC(t, "close"), ^uintptr(0))
	require.NoError(t, err)
	require.EqualValues(t, -1, got)
}

func TestWordResultsAreWhole(t *testing.T) {
	text := cString("PATH=of a word")
	f := Acquire()
	defer f.Release()
	f.Set(AddressOf(&text[0]), '=')
	found, err := f.InvokeWord(bindC(t, "strchr"))
	require.NoError(t, err)
	require.Equal(t, "=of a word", GoString(found))
	runtime.KeepAlive(text)
	_, err = f.InvokeWord(new(Proc))
	require.ErrorIs(t, err, errUnbound)
}

func TestWordsReceiveResults(t *testing.T) {
	f := Acquire()
	defer f.Release()
	// int pipe(int fds[2]) fills one word with two ints.
	f.SetWord(0, ^uint64(0))
	f.SetOut()
	require.Zero(t, f.Word(0), "SetOut clears the word")
	code, err := f.Invoke(bindC(t, "pipe"))
	require.NoError(t, err)
	require.Zero(t, code)
	read, write := f.Int32(0), int32(f.Word(0)>>32)
	require.Greater(t, read, int32(2))
	require.Greater(t, write, int32(2))
	for _, fd := range []int32{read, write} {
		code, err = f.Call(bindC(t, "close"), uintptr(fd))
		require.NoError(t, err)
		require.Zero(t, code)
	}
}

func TestTooManyArgumentsAreAnError(t *testing.T) {
	f := Acquire()
	defer f.Release()
	_, err := f.Call(bindC(t, "abs"), make([]uintptr, maxArgs+1)...)
	require.ErrorContains(t, err, "17 arguments, at most 16")
	f.SetOut(make([]uintptr, maxArgs)...)
	_, err = f.Invoke(bindC(t, "abs"))
	require.ErrorContains(t, err, "17 arguments, at most 16")
}

// deepen makes the goroutine's stack grow and move.
func deepen(n int) int {
	var pad [256]byte
	if n == 0 {
		return int(pad[0])
	}
	return deepen(n-1) + int(pad[n%256])
}

func TestResultsSurviveStacksThatMove(t *testing.T) {
	pipe, closeFD := bindC(t, "pipe"), bindC(t, "close")
	var wg sync.WaitGroup
	failures := make(chan string, 64)
	for i := range 64 {
		wg.Go(func() {
			f := Acquire()
			defer f.Release()
			f.SetOut()
			deepen(50 + i)
			code, err := f.Invoke(pipe)
			read, write := f.Int32(0), int32(f.Word(0)>>32)
			if err != nil || code != 0 || read == write || read <= 2 {
				failures <- "pipe wrote somewhere else"
				return
			}
			f.Call(closeFD, uintptr(read))
			f.Call(closeFD, uintptr(write))
		})
	}
	wg.Wait()
	require.Empty(t, failures)
}

func TestCallsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	abs, pipe, closeFD := bindC(t, "abs"), bindC(t, "pipe"), bindC(t, "close")
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		f := Acquire()
		f.Call(abs, 3)
		f.SetOut()
		f.Invoke(pipe)
		fds := f.Word(0)
		f.Call(closeFD, uintptr(uint32(fds)))
		f.Call(closeFD, uintptr(fds>>32))
		f.Release()
	}))
}

func TestGoString(t *testing.T) {
	text := cString("héllo")
	require.Equal(t, "héllo", GoString(AddressOf(&text[0])))
	runtime.KeepAlive(text)
	require.Empty(t, GoString(0))
}
