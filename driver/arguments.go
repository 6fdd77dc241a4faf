package driver

import (
	"reflect"
	"unsafe"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// encodeArguments lays the arguments of a kernel out one behind the other, each
// as it lies in memory: on the platforms that this module builds for, Go's fixed
// types have C's sizes and fields C's places. CUDA copies each to where the kernel
// wants it, so they need no alignment; without padding a backend can see how large
// each is.
func encodeArguments(call string, args []any) (api.Params, error) {
	p := api.Params{Offsets: make([]int, len(args))}
	for i, arg := range args {
		t := reflect.TypeOf(arg)
		if t == nil || t.Size() == 0 || !passable(t) {
			return api.Params{}, badArgument(call, "argument %d is a %T: a kernel takes driver.Ptr, numbers of fixed size, bool, and arrays and structs of those", i, arg)
		}
		p.Offsets[i] = len(p.Buf)
		p.Buf = append(p.Buf, memoryOf(reflect.ValueOf(arg))...)
	}
	return p, nil
}

// memoryOf is a copy of a value as bytes. It must hold no Go pointers.
func memoryOf(v reflect.Value) []byte {
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	return unsafe.Slice((*byte)(copied.UnsafePointer()), v.Type().Size())
}

// passable reports whether values of a type mean the same to a kernel. int and
// uint do not: they have 64 bits where C's int has 32.
func passable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return passable(t.Elem())
	case reflect.Struct:
		return passableFields(t)
	}
	return false
}

func passableFields(t reflect.Type) bool {
	for i := range t.NumField() {
		if !passable(t.Field(i).Type) {
			return false
		}
	}
	return true
}
