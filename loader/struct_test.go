//go:build linux && !rmm_nocuda

package loader

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestWhereStructsGo(t *testing.T) {
	for platform, want := range map[[2]string]bool{
		{"linux", "amd64"}: true, {"darwin", "amd64"}: true, {"windows", "amd64"}: false,
		{"linux", "arm64"}: false, {"darwin", "arm64"}: false, {"windows", "arm64"}: false,
	} {
		require.Equal(t, want, structsOnStack(platform[0], platform[1]), platform)
	}
}

// The judge is the C compiler that made libc: strfroml(char *text, size_t n,
// const char *format, long double value) finds value where every argument of
// memory class is, on the stack behind the registers.
func TestStructByValueAsACompiledFunctionReadsIt(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("this machine has another calling convention, where a long double is no argument of memory class")
	}
	format := cString("%.2f")
	value := [structSize]byte{7: 0xc0, 8: 0xff, 9: 0x3f} // 1.5 in the x87's format
	f := Acquire()
	defer f.Release()
	f.SetOutStruct(&value, 8, AddressOf(&format[0]))
	n, err := f.Invoke(bindC(t, "strfroml"))
	runtime.KeepAlive(format)
	require.NoError(t, err)
	require.EqualValues(t, 4, n)
	require.Equal(t, "1.50", GoString(f.WordAddr(0)))
}

// numbered is a struct whose byte i is i.
func numbered() *[structSize]byte {
	value := new([structSize]byte)
	for i := range value {
		value[i] = byte(i)
	}
	return value
}

func TestStructOnTheStack(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("this machine has another calling convention than the one tested")
	}
	var seen [14]uintptr
	entry := NewProc("entry", NewCallback(func(a, b, c, d, e, f, g, h, i, j, k, l, m, n uintptr) uintptr {
		seen = [...]uintptr{a, b, c, d, e, f, g, h, i, j, k, l, m, n}
		return 0
	}))
	f := Acquire()
	defer f.Release()
	f.Set(9, 9, 9, 9, 9, 9)
	f.setOutStructOnStack(numbered(), []uintptr{41, 42})
	_, err := f.Invoke(&entry)
	require.NoError(t, err)
	require.Equal(t, [6]uintptr{f.WordAddr(0), 41, 42}, [6]uintptr(seen[:6]))
	require.Equal(t, *numbered(), *(*[structSize]byte)(unsafe.Pointer(&seen[6])))
}

func TestStructByReference(t *testing.T) {
	value := numbered()
	f := Acquire()
	defer f.Release()
	f.setOutStructByReference(value, []uintptr{41})
	require.Equal(t, []uintptr{f.WordAddr(0), AddressOf(value), 41}, f.args[:f.n])
	require.Zero(t, f.Word(0), "the result is cleared")
}
