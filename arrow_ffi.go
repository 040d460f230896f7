// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Records cross as the structs of the Arrow C Data Interface (arrow.apache.org/docs/format/CDataInterface.html), made and read here
// without cgo. This file alone knows how their memory lies; arrow_type_ffi.go knows their types.
//
// Going out, a record is lent: its buffers are pinned until the native side has returned them, which may be after the call. Coming
// in, a batch is native memory that Go's buffers point into; the last of them to be released frees it.

var (
	// void paimon_arrow_batch_free(paimon_arrow_batch batch);
	ffiArrowBatchFree = bind1[void, cArrowBatch]("paimon_arrow_batch_free")
	// void paimon_borrowed_array_release(struct ArrowArray* array);
	ffiBorrowedArrayRelease = bind1[void, *cArrowArray]("paimon_borrowed_array_release")
	// void paimon_borrowed_schema_release(struct ArrowSchema* schema);
	ffiBorrowedSchemaRelease = bind1[void, *cArrowSchema]("paimon_borrowed_schema_release")
)

// maxNesting is how deep types may nest: files of deeper ones cannot be read back.
const maxNesting = 32

// checkRecord refuses a record whose arrays do not hold together: what its lengths and offsets promise, native code believes.
func checkRecord(op, object string, record arrow.RecordBatch) error {
	rows, schema := record.NumRows(), record.Schema()
	if int(record.NumCols()) != schema.NumFields() {
		return invalidInput(op, object, "the record has %d columns but its schema has %d fields", record.NumCols(), schema.NumFields())
	}
	for i, column := range record.Columns() {
		name := schema.Field(i).Name
		if int64(column.Len()) != rows {
			return invalidInput(op, object, "column %q has %d values in a record of %d rows", name, column.Len(), rows)
		}
		if nesting(column.Data()) > maxNesting {
			return invalidInput(op, object, "column %q is nested deeper than %d levels", name, maxNesting)
		}
		if !arrow.TypeEqual(column.DataType(), schema.Field(i).Type) {
			return invalidInput(op, object, "column %q is of type %v but the record's schema says %v", name, column.DataType(), schema.Field(i).Type)
		}
		if err := validate(column); err != nil {
			return invalidInput(op, object, "column %q is not valid Arrow data: %v", name, err)
		}
		if schema.Field(i).Nullable || column.NullN() == 0 || column.DataType().ID() == arrow.NULL {
			continue
		}
		for row := range column.Len() {
			if column.IsNull(row) {
				return invalidInput(op, object, "column %q, row %d: a null, and the record's schema says that there are none", name, row)
			}
		}
	}
	return nil
}

// validate compares lengths, offsets and buffers. arrow-go wants a buffer of run ends that it does not make itself.
func validate(column arrow.Array) error {
	data, changed := withRunBuffers(column.Data())
	if !changed {
		return array.Validate(column)
	}
	defer data.Release()
	column = array.MakeFromData(data)
	defer column.Release()
	return array.Validate(column)
}

// withRunBuffers gives run ends at any depth their missing buffer, in a copy that the caller releases, or says that it is not needed.
func withRunBuffers(data arrow.ArrayData) (with arrow.ArrayData, changed bool) {
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, child := range data.Children() {
		below, other := withRunBuffers(child)
		if other {
			defer below.Release()
			changed = true
		}
		children[i] = below
	}
	buffers := data.Buffers()
	if storage(data.DataType()).ID() == arrow.RUN_END_ENCODED && len(buffers) == 0 {
		buffers, changed = []*memory.Buffer{nil}, true
	}
	if !changed {
		return data, false
	}
	return array.NewData(data.DataType(), data.Len(), buffers, children, data.NullN(), data.Offset()), true
}

func nesting(data arrow.ArrayData) int {
	deepest := 0
	for _, child := range data.Children() {
		deepest = max(deepest, nesting(child))
	}
	if data.DataType().ID() == arrow.DICTIONARY {
		deepest = max(deepest, nesting(data.Dictionary()))
	}
	return deepest + 1
}

// A loan is a record in C structs, until end. Who lends it settles it after the native call.
type loan struct {
	array  *cArrowArray
	schema *cArrowSchema
	terms  *cLoan // where the native side says that it has returned the record

	record       arrow.RecordBatch
	pinner       runtime.Pinner
	arrayRelease uintptr
	typeRelease  uintptr
}

// exportRecord lends a record that was checked.
func exportRecord(l *library, op, object string, record arrow.RecordBatch) (*loan, error) {
	arrayRelease, err := l.resolve(ffiBorrowedArrayRelease.symbol)
	if err != nil {
		return nil, withOp(err, op, object)
	}
	typeRelease, err := l.resolve(ffiBorrowedSchemaRelease.symbol)
	if err != nil {
		return nil, withOp(err, op, object)
	}
	x := &loan{record: record, arrayRelease: arrayRelease.addr, typeRelease: typeRelease.addr}
	x.terms = pin(x, new(cLoan))
	record.Retain()
	defer func() {
		if x.array == nil { // it failed, or panicked
			x.end()
		}
	}()
	columns := make([]arrow.ArrayData, record.NumCols())
	for i, column := range record.Columns() {
		columns[i] = column.Data()
	}
	if x.schema, err = x.exportType(arrow.Field{Type: arrow.StructOf(record.Schema().Fields()...)}, ""); err != nil {
		return nil, invalidInput(op, object, "%v", err)
	}
	x.array = x.exportArray(record.NumRows(), 0, 0, []unsafe.Pointer{nil}, columns)
	x.array.privateData = unsafe.Pointer(x.terms)
	return x, nil
}

// settle ends a loan after the call that it was made for, or, if native code still uses the record, once that has returned it.
func (l *library) settle(x *loan) {
	if x.array.release != 0 || x.returned() { // it was never taken over, or given back already
		x.end()
		return
	}
	l.live.Add(1)
	l.loans.Lock()
	l.loans.out = append(l.loans.out, x)
	l.loans.bytes += x.terms.bytes
	due := l.loans.bytes >= l.loans.due
	l.loans.Unlock()
	if due {
		l.reap()
	}
}

// reap ends the loans that were returned.
func (l *library) reap() {
	var returned []*loan
	l.loans.Lock()
	l.loans.out = slices.DeleteFunc(l.loans.out, func(x *loan) bool {
		if !x.returned() {
			return false
		}
		returned = append(returned, x)
		l.loans.bytes -= x.terms.bytes
		return true
	})
	// What is returned in the meantime is held for no longer than it takes to lend a quarter of all that is lent.
	l.loans.due = l.loans.bytes + l.loans.bytes/4
	l.loans.Unlock()
	for _, x := range returned {
		x.end()
		l.live.Add(-1)
	}
}

// reapIfCalledOff reaps every second after a call that was called off, as long as anything is lent. A worker may return a record when
// nobody calls any more.
func (l *library) reapIfCalledOff(err error) {
	if !errors.Is(err, CodeCancelled) {
		return
	}
	l.loans.Lock()
	defer l.loans.Unlock()
	if l.loans.watched || len(l.loans.out) == 0 {
		return
	}
	l.loans.watched = true
	time.AfterFunc(time.Second, func() {
		l.reap()
		l.loans.Lock()
		l.loans.watched = false
		l.loans.Unlock()
		l.reapIfCalledOff(err)
	})
}

func (x *loan) returned() bool { return atomic.LoadInt32(&x.terms.returned) != 0 }

// end takes the record back. Nothing native uses its memory any more.
func (x *loan) end() {
	x.pinner.Unpin()
	x.record.Release()
}

// pin keeps p where it is until the end of the loan; what is not Go memory stays where it is anyway.
func pin[T any](x *loan, p *T) *T {
	x.pinner.Pin(p)
	return p
}

// pinAll pins the array behind a slice and gives its address, or nil for none.
func pinAll[T any](x *loan, s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return pin(x, &s[0])
}

func (x *loan) exportArray(length, nulls, offset int64, buffers []unsafe.Pointer, children []arrow.ArrayData) *cArrowArray {
	list := make([]*cArrowArray, len(children))
	for i, child := range children {
		list[i] = x.exportData(child)
	}
	return pin(x, &cArrowArray{
		length: length, nullCount: nulls, offset: offset,
		nBuffers: int64(len(buffers)), buffers: pinAll(x, buffers),
		nChildren: int64(len(list)), children: pinAll(x, list),
		release: x.arrayRelease,
	})
}

func (x *loan) exportData(data arrow.ArrayData) *cArrowArray {
	kind := storage(data.DataType()).ID()
	switch kind {
	case arrow.NULL:
		return x.exportArray(int64(data.Len()), int64(data.Len()), int64(data.Offset()), nil, nil)
	case arrow.RUN_END_ENCODED: // all of it is in its children
		return x.exportArray(int64(data.Len()), 0, int64(data.Offset()), nil, data.Children())
	}
	buffers := make([]unsafe.Pointer, len(data.Buffers()))
	for i, buffer := range data.Buffers() {
		buffers[i] = x.lend(buffer)
	}
	var nulls int64
	if len(buffers) > 0 && buffers[0] != nil {
		// The other side counts for itself: a count that the bitmap belies would turn nulls into values.
		nulls = array.UnknownNullCount
	}
	if kind == arrow.STRING_VIEW || kind == arrow.BINARY_VIEW {
		// Behind its views come the buffers that they point into, of which C has to be told the sizes.
		var sizes []int64
		for _, buffer := range data.Buffers()[2:] {
			sizes = append(sizes, int64(buffer.Len()))
		}
		buffers = append(buffers, unsafe.Pointer(pinAll(x, sizes)))
	}
	exported := x.exportArray(int64(data.Len()), nulls, int64(data.Offset()), buffers, data.Children())
	if kind == arrow.DICTIONARY {
		exported.dictionary = x.exportData(data.Dictionary())
	}
	return exported
}

// lend gives the address of a buffer. Native code reads it only as far as lengths and offsets say, which checkRecord has compared, and
// copies it if it needs another alignment.
func (x *loan) lend(buffer *memory.Buffer) unsafe.Pointer {
	if buffer == nil {
		return nil
	}
	x.terms.bytes += int64(buffer.Len())
	return unsafe.Pointer(pinAll(x, buffer.Bytes()))
}

func (x *loan) cString(what, s string) (*byte, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return nil, fmt.Errorf("%s %q contains a NUL byte", what, s)
	}
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("%s %q is not valid UTF-8", what, s)
	}
	return pinAll(x, append([]byte(s), 0)), nil
}

// A batchOwner frees a native batch when the last buffer that points into it is released. To arrow-go it is the allocator of
// those buffers.
type batchOwner struct {
	lib   *library
	batch cArrowBatch
	users atomic.Int64
	leak  leakWatch
}

func (*batchOwner) Allocate(int) []byte { panic("paimon: the memory of a batch cannot grow") }

func (*batchOwner) Reallocate(int, []byte) []byte { panic("paimon: the memory of a batch cannot grow") }

// Free is called once for each buffer, when its last reference is released.
func (o *batchOwner) Free([]byte) {
	if o.users.Add(-1) == 0 {
		o.leak.stop()
		_, _ = ffiArrowBatchFree.call(o.lib, o.batch)
		o.lib.live.Add(-1)
	}
}

// importBatch takes over a batch that a native call gave. On failure it is freed. A batch that comes without a schema has the one that
// *schema holds, which it otherwise sets.
func importBatch(l *library, op, object string, batch cArrowBatch, schema **arrow.Schema) (record arrow.RecordBatch, err error) {
	l.live.Add(1)
	owner := &batchOwner{lib: l, batch: batch}
	owner.users.Store(1)
	owner.leak = watchLeak(owner, (*cArrowBatch)(nil), object)
	defer owner.Free(nil)
	// What the native side says of its own types should never surprise arrow-go, but a type it does not know may.
	defer func() {
		if r := recover(); r != nil {
			record, err = nil, &Error{op: op, object: object, code: CodeUnexpected, message: fmt.Sprintf("cannot import a batch: %v", r)}
		}
	}()
	if batch.schema != nil {
		if *schema, err = recordSchema(op, object, batch); err != nil {
			return nil, err
		}
	}
	// SAFETY: the native call gave an initialised struct; it is valid until the owner frees the batch.
	if *schema == nil || batch.array.nChildren != int64((*schema).NumFields()) || batch.array.offset != 0 {
		return nil, &Error{op: op, object: object, code: CodeUnexpected, message: "a batch that is not a struct of its columns"}
	}
	columns := make([]arrow.Array, 0, (*schema).NumFields())
	defer func() {
		for _, column := range columns {
			column.Release()
		}
	}()
	for i, child := range elements(batch.array.children, batch.array.nChildren) {
		field := (*schema).Field(i)
		column, err := owner.importColumn(child, field.Type)
		if err != nil {
			return nil, &Error{op: op, object: object, code: CodeUnexpected, message: fmt.Sprintf("column %q: %v", field.Name, err), cause: err}
		}
		columns = append(columns, column)
	}
	return array.NewRecordBatch(*schema, columns, batch.array.length), nil
}

// importSchema reads the schema of a batch that has nothing else, and frees it.
func importSchema(l *library, op, object string, batch cArrowBatch) (*arrow.Schema, error) {
	defer func() { _, _ = ffiArrowBatchFree.call(l, batch) }()
	return recordSchema(op, object, batch)
}

// recordSchema reads the schema of a batch.
func recordSchema(op, object string, batch cArrowBatch) (*arrow.Schema, error) {
	// SAFETY: a native call gave an initialised struct, which is valid until the batch is freed.
	field, err := importType(batch.schema)
	if err != nil {
		return nil, &Error{op: op, object: object, code: CodeUnsupported, message: err.Error(), cause: err}
	}
	root, ok := field.Type.(*arrow.StructType)
	if !ok {
		return nil, &Error{op: op, object: object, code: CodeUnexpected, message: "a schema that is not a struct of its columns"}
	}
	return arrow.NewSchema(root.Fields(), nil), nil
}

func (o *batchOwner) importColumn(a *cArrowArray, dt arrow.DataType) (arrow.Array, error) {
	data, err := o.importData(a, dt)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

// importData makes array data over native memory.
func (o *batchOwner) importData(a *cArrowArray, dt arrow.DataType) (arrow.ArrayData, error) {
	if a.length < 0 || a.offset < 0 {
		return nil, fmt.Errorf("an array of length %d at offset %d", a.length, a.offset)
	}
	raw := elements(a.buffers, a.nBuffers)
	if a.length == 0 { // the buffers of an empty array may be anything
		raw = make([]unsafe.Pointer, len(raw))
	}
	sizes, err := bufferSizes(dt, a, raw)
	if err != nil {
		return nil, err
	}
	buffers := make([]*memory.Buffer, len(sizes))
	defer func() {
		for _, buffer := range buffers {
			if buffer != nil {
				buffer.Release()
			}
		}
	}()
	for i, size := range sizes {
		buffers[i] = o.buffer(raw[i], size, i == 0)
	}
	var children []arrow.ArrayData
	defer func() {
		for _, child := range children {
			child.Release()
		}
	}()
	if nested, ok := dt.(arrow.NestedType); ok {
		fields := nested.Fields()
		if a.nChildren != int64(len(fields)) {
			return nil, fmt.Errorf("a %v with %d children, want %d", dt.ID(), a.nChildren, len(fields))
		}
		for i, child := range elements(a.children, a.nChildren) {
			data, err := o.importData(child, fields[i].Type)
			if err != nil {
				return nil, err
			}
			children = append(children, data)
		}
	}
	nulls := int(a.nullCount)
	if nulls < 0 { // the producer did not count
		nulls = 0
		if len(buffers) > 0 && buffers[0] != nil {
			nulls = int(a.length) - bitutil.CountSetBits(buffers[0].Bytes(), int(a.offset), int(a.length))
		}
	}
	return array.NewData(dt, int(a.length), buffers, children, nulls, int(a.offset)), nil
}

// buffer wraps native memory. Without memory, the validity buffer is nil and any other is empty or, as offsets that stand for no
// values, zero.
func (o *batchOwner) buffer(p unsafe.Pointer, size int64, validity bool) *memory.Buffer {
	if p == nil || size == 0 {
		if validity {
			return nil
		}
		return memory.NewBufferBytes(make([]byte, size))
	}
	o.users.Add(1)
	// SAFETY: the producer's buffer has the size that its type and length ask for, and lives until the owner frees the batch.
	return memory.NewBufferWithAllocator(unsafe.Slice((*byte)(p), size), o)
}

// bufferSizes says how many bytes each buffer of an array has.
func bufferSizes(dt arrow.DataType, a *cArrowArray, raw []unsafe.Pointer) ([]int64, error) {
	n := a.offset + a.length
	bits := func(n int64) int64 { return (n + 7) / 8 }
	var sizes []int64
	switch dt := dt.(type) {
	case *arrow.NullType:
	case *arrow.StructType, *arrow.FixedSizeListType:
		sizes = []int64{bits(n)}
	case *arrow.BooleanType:
		sizes = []int64{bits(n), bits(n)}
	case *arrow.ListType, *arrow.MapType:
		sizes = []int64{bits(n), 4 * (n + 1)}
	case *arrow.LargeListType:
		sizes = []int64{bits(n), 8 * (n + 1)}
	case *arrow.StringType, *arrow.BinaryType:
		sizes = []int64{bits(n), 4 * (n + 1), 0}
		if len(raw) == 3 && raw[1] != nil {
			// SAFETY: an offsets buffer has one entry more than the array has values.
			sizes[2] = int64(*(*int32)(unsafe.Add(raw[1], 4*n)))
		}
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		sizes = []int64{bits(n), 8 * (n + 1), 0}
		if len(raw) == 3 && raw[1] != nil {
			// SAFETY: as above.
			sizes[2] = *(*int64)(unsafe.Add(raw[1], 8*n))
		}
	case arrow.FixedWidthDataType:
		sizes = []int64{bits(n), int64(dt.Bytes()) * n}
	default:
		return nil, fmt.Errorf("no layout known for %v", dt)
	}
	if len(raw) != len(sizes) {
		return nil, fmt.Errorf("an array of type %v with %d buffers, want %d", dt, len(raw), len(sizes))
	}
	return sizes, nil
}

// elements views a C array.
func elements[T any](p *T, n int64) []T {
	if p == nil || n <= 0 {
		return nil
	}
	// SAFETY: the producer of a C Data Interface struct keeps n elements at p for as long as the struct lives.
	return unsafe.Slice(p, n)
}
