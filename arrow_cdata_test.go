// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package paimon

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrow-go has an implementation of the C Data Interface that needs cgo. It is not used in the package, and judges it here.

// randomType makes a type that crosses, nested or not. Large lists are among crossingTypes only: arrow-go takes two of the same type for
// different where it is deeper.
func randomType(random *rand.Rand, depth int) arrow.DataType {
	if depth == 0 || random.IntN(3) == 0 {
		return crossingTypes[random.IntN(len(crossingTypes))]
	}
	below := func(nullable bool) arrow.Field { return field("below", randomType(random, depth-1), nullable) }
	switch random.IntN(4) {
	case 0:
		return arrow.ListOfField(below(random.IntN(2) == 0))
	case 1:
		return arrow.FixedSizeListOf(3, below(true).Type)
	case 2:
		return arrow.StructOf(field("x", below(true).Type, true), field("y", below(true).Type, true))
	default:
		return arrow.MapOf(arrow.BinaryTypes.String, below(true).Type)
	}
}

// randomPart makes a part of a random array.
func randomPart(allocator memory.Allocator, random *rand.Rand, dt arrow.DataType) arrow.Array {
	whole := randomArray(allocator, random, dt, random.IntN(40))
	defer whole.Release()
	from := random.IntN(whole.Len() + 1)
	return array.NewSlice(whole, int64(from), int64(from+random.IntN(whole.Len()-from+1)))
}

// outward compares a column that this package lends with what arrow-go makes of it.
func outward(t *testing.T, l *library, want arrow.Array) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{field("c", want.DataType(), true)}, nil)
	record := array.NewRecordBatch(schema, []arrow.Array{want}, int64(want.Len()))
	defer record.Release()
	x, err := exportRecord(l, "test", "t", record)
	if err != nil {
		t.Fatalf("%v: %v", want.DataType(), err)
	}
	count(*x.array.children, want.Data())
	// SAFETY: both structs are laid out as C wants them, and what they point to is pinned until the end of the loan.
	got, err := cdata.ImportCRecordBatch((*cdata.CArrowArray)(unsafe.Pointer(x.array)), (*cdata.CArrowSchema)(unsafe.Pointer(x.schema)))
	if err != nil {
		t.Fatalf("%v: %v", want.DataType(), err)
	}
	if !arrow.TypeEqual(got.Column(0).DataType(), want.DataType(), arrow.CheckMetadata()) || !array.Equal(got.Column(0), want) {
		t.Errorf("%v: arrow-go imports %v, want %v", want.DataType(), got.Column(0), want)
	}
	got.Release()
	x.end()
}

// count says how many nulls there are: arrow-go takes a count that is left open for nulls where a map has none.
func count(a *cArrowArray, data arrow.ArrayData) {
	a.nullCount = int64(data.NullN())
	for i, child := range elements(a.children, a.nChildren) {
		count(child, data.Children()[i])
	}
}

// inward compares a column that arrow-go exports with what this package makes of it. Parts of structs are left out: arrow-go exports
// their columns as parts already, and says again where the part begins.
func inward(t *testing.T, l *library, want arrow.Array) {
	t.Helper()
	if want.DataType().ID() == arrow.STRUCT && want.Data().Offset() > 0 {
		return
	}
	var a cArrowArray
	var s cArrowSchema
	// SAFETY: both structs are laid out as C wants them.
	ca, cs := (*cdata.CArrowArray)(unsafe.Pointer(&a)), (*cdata.CArrowSchema)(unsafe.Pointer(&s))
	cdata.ExportArrowArray(want, ca, cs)
	defer cdata.ReleaseCArrowArray(ca)
	defer cdata.ReleaseCArrowSchema(cs)
	dt, err := importType(&s)
	if err != nil {
		t.Fatalf("%v: %v", want.DataType(), err)
	}
	l.live.Add(1)
	owner := &batchOwner{lib: l}
	owner.users.Store(1)
	defer owner.Free(nil)
	got, err := owner.importColumn(&a, dt.Type)
	if err != nil {
		t.Fatalf("%v: %v", want.DataType(), err)
	}
	defer got.Release()
	if !arrow.TypeEqual(got.DataType(), want.DataType(), arrow.CheckMetadata()) || !array.Equal(got, want) {
		t.Errorf("%v: got %v, want %v", want.DataType(), got, want)
	}
}

func TestArrowAgreesWithCData(t *testing.T) {
	l := testLibrary(t)
	allocator := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer allocator.AssertSize(t, 0)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 2000 {
		dt := randomType(random, 3)
		if i < len(crossingTypes) {
			dt = crossingTypes[i]
		}
		part := randomPart(allocator, random, dt)
		outward(t, l, part)
		inward(t, l, part)
		part.Release()
	}
}

// Types that only go out: what native code gives is plain.
func TestArrowGoesOutAsCData(t *testing.T) {
	l := testLibrary(t)
	allocator := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer allocator.AssertSize(t, 0)

	words := array.NewDictionaryBuilder(allocator, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String})
	defer words.Release()
	runs := array.NewRunEndEncodedBuilder(allocator, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64)
	defer runs.Release()
	views := array.NewStringViewBuilder(allocator)
	defer views.Release()
	for i := range 100 {
		word := []string{"a", "short", "a text that is longer than a view can hold in itself"}[i%3]
		if err := words.(*array.BinaryDictionaryBuilder).AppendString(word); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			words.AppendNull()
			views.AppendNull()
			runs.Append(3)
			runs.ValueBuilder().(*array.Int64Builder).Append(int64(i))
		}
		views.Append(word)
	}
	for _, b := range []array.Builder{words, runs, views} {
		whole := b.NewArray()
		part := array.NewSlice(whole, 3, 25)
		outward(t, l, whole)
		outward(t, l, part)
		part.Release()
		whole.Release()
	}
}

func FuzzArrowAgreesWithCData(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		random := rand.New(rand.NewPCG(a, b))
		part := randomPart(memory.DefaultAllocator, random, randomType(random, 5))
		defer part.Release()
		outward(t, testLibrary(t), part)
		inward(t, testLibrary(t), part)
	})
}

// One batch of 1,024 rows in 4 columns, as this package imports it and as arrow-go does.
func BenchmarkImportBatch(b *testing.B) {
	l, err := openLibrary("test")
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	var fields []arrow.Field
	var columns []arrow.Array
	for _, dt := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Timestamp_us,
	} {
		fields = append(fields, field("c", dt, true))
		columns = append(columns, randomArray(memory.DefaultAllocator, random, dt, 1024))
	}
	schema := arrow.NewSchema(fields, nil)
	record := array.NewRecordBatch(schema, columns, 1024)
	defer record.Release()
	var a cArrowArray
	// SAFETY: the struct is laid out as C wants it.
	ca := (*cdata.CArrowArray)(unsafe.Pointer(&a))

	b.Run("paimon", func(b *testing.B) {
		cdata.ExportArrowRecordBatch(record, ca, nil)
		defer cdata.ReleaseCArrowArray(ca)
		b.ReportAllocs()
		for b.Loop() {
			known := schema
			batch, err := importBatch(l, "test", "t", cArrowBatch{array: &a}, &known)
			if err != nil {
				b.Fatal(err)
			}
			_ = batch // to release it would free what the next round imports
			l.live.Add(-1)
		}
	})
	b.Run("cdata", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			cdata.ExportArrowRecordBatch(record, ca, nil)
			b.StartTimer()
			batch, err := cdata.ImportCRecordBatchWithSchema(ca, schema)
			if err != nil {
				b.Fatal(err)
			}
			batch.Release()
		}
	})
}
