// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/jupiterrider/ffi"
)

// abiVersion is the PAIMON_ABI_VERSION that this package speaks.
const abiVersion = 2

// A library is the native library, loaded. There is one for the life of the process: it is never unloaded, since threads that
// ran in it may still unwind through it. What goes away with the last handle are its worker threads.
type library struct {
	image uintptr
	slots []slot       // by symbol.id
	live  atomic.Int64 // handles and batches that are not freed, and loans that outlive their call
	loans loans
}

// loans are the records that native code still uses after the call that they were lent to. Here they are reachable whatever becomes of
// the write that has them.
type loans struct {
	sync.Mutex
	out        []*loan
	bytes, due int64 // how much is lent, and at how much it is time to look for what was returned
	watched    bool  // a timer looks
}

type slot = atomic.Pointer[resolved]

// resolved is a symbol in a loaded library, ready to be called.
type resolved struct {
	addr uintptr
	cif  ffi.Cif
}

var loaded struct {
	sync.Mutex
	lib            *library
	file, cacheDir string // what the program chose
}

// openLibrary gives the library, loading it if this is the first time. A failure is not remembered: the next call tries again.
func openLibrary(op string) (*library, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.lib != nil {
		return loaded.lib, nil
	}
	image, origin, err := loadImage(loaded.file, loaded.cacheDir)
	if err != nil {
		return nil, withOp(err, op, "")
	}
	l := &library{image: image, slots: make([]slot, len(symbols))}
	version, err := ffiAbiVersion.call(l)
	if err != nil {
		return nil, &Error{
			op: op, code: CodeUnsupported, kind: ErrABIMismatch, cause: err,
			message: origin + " does not say which version it has; is it libpaimon_c?",
		}
	}
	if version != abiVersion {
		return nil, ofKind(op, "", ErrABIMismatch,
			fmt.Sprintf("%s speaks version %d, this package %d: use the library that was built with this package", origin, version, abiVersion))
	}
	loaded.lib = l
	return l, nil
}

// resolve finds a symbol. Two goroutines that race here store equal values.
func (l *library) resolve(s *symbol) (*resolved, error) {
	if r := l.slots[s.id].Load(); r != nil {
		return r, nil
	}
	addr, err := dlsym(l.image, s.name)
	if err != nil {
		return nil, &Error{code: CodeUnsupported, kind: ErrABIMismatch, cause: err, message: "the native library has no function " + s.name}
	}
	r := &resolved{addr: addr}
	if status := ffi.PrepCif(&r.cif, ffi.DefaultAbi, uint32(len(s.args)), s.ret, s.args...); status != ffi.OK {
		return nil, &Error{code: CodeUnexpected, message: fmt.Sprintf("libffi cannot call %s: %v", s.name, status)}
	}
	l.slots[s.id].Store(r)
	return r, nil
}

// takeError turns a native error into a Go one and frees it.
func (l *library) takeError(op, object string, e *cError) error {
	// SAFETY: a native call returned e and gave it to us; it is valid until it is freed below.
	code, message := e.code, copyText(e.message)
	_, _ = ffiErrorFree.call(l, e)
	return nativeError(op, object, code, message)
}

// takeBytes copies bytes that a native call gave, and frees them.
func (l *library) takeBytes(b cBytes) []byte {
	if b.data == nil {
		return nil
	}
	// SAFETY: b came from a native call and is valid until it is freed below.
	own := append([]byte(nil), unsafe.Slice(b.data, b.len)...)
	_, _ = ffiBytesFree.call(l, b)
	return own
}

// bytesOf finishes a native call that returned bytes.
func (l *library) bytesOf(op, object string, r resultBytes, err error) ([]byte, error) {
	if err != nil {
		return nil, withOp(err, op, object)
	}
	if r.err != nil {
		return nil, l.takeError(op, object, r.err)
	}
	return l.takeBytes(r.value), nil
}

// done finishes a native call that returned nothing but an error.
func (l *library) done(op, object string, e *cError, err error) error {
	if err != nil {
		return withOp(err, op, object)
	}
	if e != nil {
		return l.takeError(op, object, e)
	}
	return nil
}

// withOp says in an error of the machinery what was attempted.
func withOp(err error, op, object string) error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{op: op, object: object, code: CodeUnexpected, message: err.Error(), cause: err}
	}
	named := *e
	named.op = op
	if named.object == "" {
		named.object = object
	}
	return &named
}

// cString gives a NUL-terminated copy of a string for the length of a call. A string with a NUL inside cannot cross; the error
// does not repeat it, since it may be a secret.
func cString(op, object, what, s string) (*byte, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return nil, invalidInput(op, object, "%s contains a NUL byte", what)
	}
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0], nil
}

// cStrings gives NUL-terminated copies of strings. The array and the copies are reachable through the pointer it returns.
func cStrings(op, object, what string, list []string) (**byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	array := make([]*byte, len(list))
	for i, s := range list {
		p, err := cString(op, object, what, s)
		if err != nil {
			return nil, err
		}
		array[i] = p
	}
	return &array[0], nil
}

// cOptions gives a map as an array of C options.
func cOptions(op, object string, options map[string]string) (*cOption, uintptr, error) {
	if len(options) == 0 {
		return nil, 0, nil
	}
	array := make([]cOption, 0, len(options))
	for key, value := range options {
		k, err := cString(op, object, "the name of an option", key)
		if err != nil {
			return nil, 0, err
		}
		v, err := cString(op, object, "the value of option "+key, value)
		if err != nil {
			return nil, 0, err
		}
		array = append(array, cOption{k, v})
	}
	return &array[0], uintptr(len(array)), nil
}

// copyText copies native text without freeing it.
func copyText(b cBytes) string {
	if b.data == nil {
		return ""
	}
	// SAFETY: the caller holds the native object that owns the bytes.
	return string(unsafe.Slice(b.data, b.len))
}

// NativeStats counts what the native library holds for this process.
type NativeStats struct {
	// Handles is how many native objects are alive: handles that were not closed, record batches that were not released, and records that a
	// write has not let go of.
	Handles int64
	// Bytes is how much memory the native library has allocated, record batches that were not released among it, and caches.
	Bytes int64
}

// ReadNativeStats counts what is alive in the native library, for leak checks in tests. Where the library was never loaded
// all is zero. It is safe for concurrent use.
func ReadNativeStats() NativeStats {
	loaded.Lock()
	l := loaded.lib
	loaded.Unlock()
	if l == nil {
		return NativeStats{}
	}
	l.reap()
	bytes, err := ffiLiveBytes.call(l)
	if err != nil {
		return NativeStats{Handles: l.live.Load()}
	}
	return NativeStats{Handles: l.live.Load(), Bytes: bytes}
}

var (
	// uint32_t paimon_abi_version(void);
	ffiAbiVersion = bind0[uint32]("paimon_abi_version")
	// size_t paimon_abi_layout_len(void);
	ffiAbiLayoutLen = bind0[uintptr]("paimon_abi_layout_len")
	// const paimon_layout* paimon_abi_layout(void);
	ffiAbiLayout = bind0[*cLayout]("paimon_abi_layout")
	// int64_t paimon_live_handles(void);
	ffiLiveHandles = bind0[int64]("paimon_live_handles")
	// int64_t paimon_live_bytes(void);
	ffiLiveBytes = bind0[int64]("paimon_live_bytes")
	// paimon_error* paimon_selftest_panic(const char* message);
	ffiSelftestPanic = bind1[*cError, *byte]("paimon_selftest_panic")
	// void paimon_error_free(paimon_error* error);
	ffiErrorFree = bind1[void, *cError]("paimon_error_free")
	// void paimon_bytes_free(paimon_bytes bytes);
	ffiBytesFree = bind1[void, cBytes]("paimon_bytes_free")
)
