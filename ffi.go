// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/jupiterrider/ffi"

	_ "github.com/apache/paimon-rust/bindings/go/internal/libffi" // before the dependency above looks for it
)

// A symbol is a function of the native library, declared once by one of the bind functions below. Where it lies is the
// library's to know: see library.resolve.
type symbol struct {
	id   int
	name string
	ret  *ffi.Type
	args []*ffi.Type
}

// symbols lists every declared symbol in the order of declaration.
var symbols []*symbol

// fnN is a function of N parameters. Its type parameters are the C prototype: pointers, integers, bool and C structs.
type (
	fn0[R any]                struct{ *symbol }
	fn1[R, A any]             struct{ *symbol }
	fn2[R, A, B any]          struct{ *symbol }
	fn3[R, A, B, C any]       struct{ *symbol }
	fn4[R, A, B, C, D any]    struct{ *symbol }
	fn5[R, A, B, C, D, E any] struct{ *symbol }

	fn6[R, A, B, C, D, E, F any] struct{ *symbol }
)

func bind0[R any](name string) fn0[R]       { return fn0[R]{declare[R](name)} }
func bind1[R, A any](name string) fn1[R, A] { return fn1[R, A]{declare[R](name, of[A]())} }
func bind2[R, A, B any](name string) fn2[R, A, B] {
	return fn2[R, A, B]{declare[R](name, of[A](), of[B]())}
}

func bind3[R, A, B, C any](name string) fn3[R, A, B, C] {
	return fn3[R, A, B, C]{declare[R](name, of[A](), of[B](), of[C]())}
}

func bind4[R, A, B, C, D any](name string) fn4[R, A, B, C, D] {
	return fn4[R, A, B, C, D]{declare[R](name, of[A](), of[B](), of[C](), of[D]())}
}

func bind5[R, A, B, C, D, E any](name string) fn5[R, A, B, C, D, E] {
	return fn5[R, A, B, C, D, E]{declare[R](name, of[A](), of[B](), of[C](), of[D](), of[E]())}
}

func bind6[R, A, B, C, D, E, F any](name string) fn6[R, A, B, C, D, E, F] {
	return fn6[R, A, B, C, D, E, F]{declare[R](name, of[A](), of[B](), of[C](), of[D](), of[E](), of[F]())}
}

func (f fn0[R]) call(l *library) (R, error) { return invoke[R](l, f.symbol) }

func (f fn1[R, A]) call(l *library, a A) (R, error) {
	return invoke[R](l, f.symbol, unsafe.Pointer(&a))
}

func (f fn2[R, A, B]) call(l *library, a A, b B) (R, error) {
	return invoke[R](l, f.symbol, unsafe.Pointer(&a), unsafe.Pointer(&b))
}

func (f fn3[R, A, B, C]) call(l *library, a A, b B, c C) (R, error) {
	return invoke[R](l, f.symbol, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c))
}

func (f fn4[R, A, B, C, D]) call(l *library, a A, b B, c C, d D) (R, error) {
	return invoke[R](l, f.symbol, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c), unsafe.Pointer(&d))
}

func (f fn5[R, A, B, C, D, E]) call(l *library, a A, b B, c C, d D, e E) (R, error) {
	return invoke[R](l, f.symbol, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c), unsafe.Pointer(&d), unsafe.Pointer(&e))
}

func (f fn6[R, A, B, C, D, E, F]) call(l *library, a A, b B, c C, d D, e E, g F) (R, error) {
	return invoke[R](l, f.symbol, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c), unsafe.Pointer(&d), unsafe.Pointer(&e), unsafe.Pointer(&g))
}

// invoke is the only caller of ffi.Call.
func invoke[R any](l *library, s *symbol, args ...unsafe.Pointer) (R, error) {
	// libffi writes a whole register for a result that is narrower than one.
	var ret struct {
		val R
		_   ffi.Arg
	}
	r, err := l.resolve(s)
	if err != nil {
		return ret.val, err
	}
	// SAFETY: r was prepared from the same type parameters that typed args and ret; args point to parameters of our caller,
	// which live until it returns.
	ffi.Call(&r.cif, r.addr, unsafe.Pointer(&ret), args...)
	return ret.val, nil
}

func declare[R any](name string, args ...*ffi.Type) *symbol {
	s := &symbol{id: len(symbols), name: name, ret: of[R](), args: args}
	symbols = append(symbols, s)
	return s
}

func of[T any]() *ffi.Type { return abiType(reflect.TypeFor[T]()) }

// abiType derives how C passes a Go type. A type it does not know is a mistake in a declaration, found by any test run.
func abiType(t reflect.Type) *ffi.Type {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer:
		return &ffi.TypePointer
	case reflect.Bool, reflect.Uint8:
		return &ffi.TypeUint8
	case reflect.Int32:
		return &ffi.TypeSint32
	case reflect.Uint32:
		return &ffi.TypeUint32
	case reflect.Int64:
		return &ffi.TypeSint64
	case reflect.Uint64, reflect.Uintptr:
		return &ffi.TypeUint64
	case reflect.Float64:
		return &ffi.TypeDouble
	case reflect.Struct:
		if t.NumField() == 0 {
			return &ffi.TypeVoid
		}
		fields := make([]*ffi.Type, t.NumField())
		for i := range fields {
			fields[i] = abiType(t.Field(i).Type)
		}
		s := ffi.NewType(fields...)
		return &s
	default:
		panic(fmt.Sprintf("paimon: no C type for %v", t))
	}
}
