// SPDX-License-Identifier: Apache-2.0

package paimon

import "unsafe"

// The Go side of the structs in libpaimon_c/include/paimon.h. The tests compare every size and offset with what libffi computes
// and with what the library says of itself.

// Objects of the native library, known by pointer only.
type (
	cCatalog           struct{ _ [0]byte }
	cIdentifier        struct{ _ [0]byte }
	cTable             struct{ _ [0]byte }
	cReadBuilder       struct{ _ [0]byte }
	cTableScan         struct{ _ [0]byte }
	cPlan              struct{ _ [0]byte }
	cTableRead         struct{ _ [0]byte }
	cRecordBatchReader struct{ _ [0]byte }
	cWriteBuilder      struct{ _ [0]byte }
	cTableWrite        struct{ _ [0]byte }
	cCommitMessages    struct{ _ [0]byte }
	cTableCommit       struct{ _ [0]byte }
	cResourceContext   struct{ _ [0]byte }
	cBlobReader        struct{ _ [0]byte }
	cBlobStream        struct{ _ [0]byte }
	cPredicate         struct{ _ [0]byte }
	cCancelToken       struct{ _ [0]byte }
)

// void is the result of a function that returns nothing.
type void struct{}

type cOption struct {
	key, value *byte
}

type cBytes struct {
	data *byte
	len  uintptr
}

type cError struct {
	code    int32
	message cBytes
}

type cDatum struct {
	tag               int32
	intVal            int64
	doubleVal         float64
	strData           *byte
	strLen            uintptr
	intVal2           int64
	uintVal, uintVal2 uint32
}

type cArrowBatch struct {
	array  *cArrowArray
	schema *cArrowSchema
}

// result is what a function that makes an object returns: one of the two is nil.
type result[T any] struct {
	value *T
	err   *cError
}

type resultBytes struct {
	value cBytes
	err   *cError
}

type resultBatch struct {
	value cArrowBatch
	err   *cError
}

type resultSize struct {
	value uintptr
	err   *cError
}

type cResourceMetrics struct {
	reservedMemoryBytes, peakReservedMemoryBytes uintptr
}

type resultResourceMetrics struct {
	value cResourceMetrics
	err   *cError
}

type cLayout struct {
	name         *byte
	size, offset uintptr
}

// The structs of the Arrow C Data Interface. Callbacks are addresses of C functions.

type cArrowSchema struct {
	format, name, metadata *byte
	flags, nChildren       int64
	children               **cArrowSchema
	dictionary             *cArrowSchema
	release                uintptr
	_                      unsafe.Pointer // private data
}

type cArrowArray struct {
	length, nullCount, offset, nBuffers, nChildren int64
	buffers                                        *unsafe.Pointer
	children                                       **cArrowArray
	dictionary                                     *cArrowArray
	release                                        uintptr
	privateData                                    unsafe.Pointer
}

// cLoan is the private data of an array that is lent.
type cLoan struct {
	bytes    int64
	returned int32
}
