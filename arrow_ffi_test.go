// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func field(name string, dt arrow.DataType, nullable bool) arrow.Field {
	return arrow.Field{Name: name, Type: dt, Nullable: nullable}
}

// crossingTypes are types that cross the boundary, nested and not.
var crossingTypes = []arrow.DataType{
	arrow.Null, arrow.FixedWidthTypes.Boolean,
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary,
	&arrow.FixedSizeBinaryType{ByteWidth: 5},
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us,
	&arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"},
	&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Asia/Shanghai"},
	&arrow.Decimal128Type{Precision: 38, Scale: 10}, &arrow.Decimal256Type{Precision: 60, Scale: 2},
	arrow.ListOf(arrow.BinaryTypes.String),
	arrow.ListOfField(field("element", arrow.PrimitiveTypes.Int32, false)),
	arrow.LargeListOf(arrow.PrimitiveTypes.Int64),
	arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32),
	arrow.StructOf(field("x", arrow.PrimitiveTypes.Int32, true), field("y", arrow.BinaryTypes.String, true)),
	arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32),
	arrow.ListOf(arrow.StructOf(
		field("m", arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.ListOf(arrow.BinaryTypes.Binary)), true),
		field("b", arrow.FixedWidthTypes.Boolean, true))),
}

// randomArray builds an array of n values with a seeded generator; a third of them are null where they may be.
func randomArray(allocator memory.Allocator, random *rand.Rand, dt arrow.DataType, n int) arrow.Array {
	b := array.NewBuilder(allocator, dt)
	defer b.Release()
	for range n {
		appendRandom(b, random, true)
	}
	return b.NewArray()
}

func appendRandom(b array.Builder, random *rand.Rand, nullable bool) {
	if nullable && random.IntN(3) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.BooleanBuilder:
		b.Append(random.IntN(2) == 0)
	case *array.StringBuilder:
		b.Append(strings.Repeat("ü", random.IntN(4)))
	case *array.LargeStringBuilder:
		b.Append(strings.Repeat("long", random.IntN(4)))
	case *array.BinaryBuilder:
		b.Append([]byte(strings.Repeat("\xff", random.IntN(4))))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte("12345"))
	case *array.ListBuilder:
		b.Append(true)
		for range random.IntN(4) {
			appendRandom(b.ValueBuilder(), random, b.Type().(*arrow.ListType).ElemField().Nullable)
		}
	case *array.LargeListBuilder:
		b.Append(true)
		for range random.IntN(4) {
			appendRandom(b.ValueBuilder(), random, true)
		}
	case *array.FixedSizeListBuilder:
		b.Append(true)
		for range 3 {
			appendRandom(b.ValueBuilder(), random, true)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendRandom(b.FieldBuilder(i), random, true)
		}
	case *array.MapBuilder:
		b.Append(true)
		for range random.IntN(3) {
			appendRandom(b.KeyBuilder(), random, false)
			appendRandom(b.ItemBuilder(), random, true)
		}
	default:
		// A small number is a value of every other type here.
		if err := b.AppendValueFromString(smallText(b.Type(), random)); err != nil {
			panic(err)
		}
	}
}

func smallText(dt arrow.DataType, random *rand.Rand) string {
	digit := string(rune('0' + random.IntN(10)))
	switch dt := dt.(type) {
	case *arrow.Date32Type:
		return "2024-02-1" + digit
	case *arrow.Time32Type, *arrow.Time64Type:
		return "12:34:5" + digit
	case *arrow.TimestampType:
		if dt.TimeZone != "" {
			return "1969-12-31T23:59:5" + digit + "Z"
		}
		return "1969-12-31T23:59:5" + digit
	default:
		return digit
	}
}

// importBack reads a loan as if the native side had made it.
func importBack(t *testing.T, l *library, x *loan, dt arrow.DataType) (arrow.Array, error) {
	t.Helper()
	l.live.Add(1)
	owner := &batchOwner{lib: l}
	owner.users.Store(1)
	defer owner.Free(nil)
	return owner.importColumn(x.array, dt)
}

// What goes out comes back equal, whole and in slices, for every type.
func TestArrowCrossesEqual(t *testing.T) {
	l := testLibrary(t)
	allocator := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer allocator.AssertSize(t, 0)
	random := rand.New(rand.NewPCG(1, 2))
	for _, dt := range crossingTypes {
		for range 20 {
			n := random.IntN(40)
			whole := randomArray(allocator, random, dt, n)
			from := random.IntN(n + 1)
			to := from + random.IntN(n-from+1)
			part := array.NewSlice(whole, int64(from), int64(to))
			whole.Release()
			schema := arrow.NewSchema([]arrow.Field{field("c", dt, true)}, nil)
			record := array.NewRecordBatch(schema, []arrow.Array{part}, int64(part.Len()))
			part.Release()
			if err := checkRecord("test", "t", record); err != nil {
				t.Fatalf("%v: %v", dt, err)
			}
			x, err := exportRecord(l, "test", "t", record)
			record.Release()
			if err != nil {
				t.Fatalf("%v: %v", dt, err)
			}
			root, err := importType(x.schema)
			if err != nil {
				t.Fatalf("%v: %v", dt, err)
			}
			if got := root.Type.(*arrow.StructType).Field(0); !arrow.TypeEqual(got.Type, dt, arrow.CheckMetadata()) || !got.Nullable {
				t.Errorf("type %v came back as %v", dt, got)
			}
			back, err := importBack(t, l, x, root.Type)
			if err != nil {
				t.Fatalf("%v: %v", dt, err)
			}
			want := x.record.Column(0)
			if got := back.(*array.Struct).Field(0); !array.Equal(got, want) {
				t.Errorf("%v[%d:%d] of %d: got %v, want %v", dt, from, to, n, got, want)
			}
			back.Release()
			x.end()
		}
	}
}

// A loan ends once: at once if nothing native took it over, else when it was returned.
func TestLoansAreSettled(t *testing.T) {
	l := testLibrary(t)
	allocator := memory.NewCheckedAllocator(memory.NewGoAllocator())
	before := l.live.Load()
	lend := func() *loan {
		t.Helper()
		b := array.NewInt64Builder(allocator)
		defer b.Release()
		b.AppendValues(make([]int64, 1000), nil)
		column := b.NewArray()
		defer column.Release()
		record := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("c", column.DataType(), false)}, nil), []arrow.Array{column}, 1000)
		defer record.Release()
		x, err := lendRecord(l, "test", "t", record)
		if err != nil {
			t.Fatal(err)
		}
		if x.terms.bytes < 8000 || x.terms.bytes > 9000 {
			t.Errorf("%d bytes are lent", x.terms.bytes)
		}
		return x
	}
	want := func(loans int64) {
		t.Helper()
		if live := l.live.Load() - before; live != loans {
			t.Errorf("%d loans, want %d", live, loans)
		}
		if (allocator.CurrentAlloc() == 0) != (loans == 0) {
			t.Errorf("%d bytes for %d loans", allocator.CurrentAlloc(), loans)
		}
	}
	l.settle(lend())
	want(0)
	kept := make([]*loan, 10)
	for i := range kept {
		kept[i] = lend()
		kept[i].array.release = 0 // as the native side leaves it
		l.settle(kept[i])
		want(int64(i) + 1)
	}
	for _, x := range kept[:9] {
		x.terms.returned = 1
	}
	l.reap()
	l.reap()
	want(1)
	kept[9].terms.returned = 1
	more := lend() // more than a quarter of what is lent
	more.array.release = 0
	l.settle(more)
	want(1)
	more.terms.returned = 1
	l.reap()
	want(0)
}

func TestTypesThatDoNotCross(t *testing.T) {
	l := testLibrary(t)
	for _, dt := range []arrow.DataType{
		arrow.SparseUnionOf([]arrow.Field{field("x", arrow.PrimitiveTypes.Int32, true)}, []arrow.UnionTypeCode{0}),
		arrow.FixedWidthTypes.MonthInterval,
		arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval),
	} {
		b := array.NewBuilder(memory.DefaultAllocator, dt)
		values := b.NewArray()
		record := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("odd", dt, true)}, nil), []arrow.Array{values}, 0)
		_, err := exportRecord(l, "write", "db.t", record)
		if !errors.Is(err, CodeInvalidInput) || !strings.Contains(err.Error(), `"odd"`) || !strings.Contains(err.Error(), "cast") {
			t.Errorf("%v: %v", dt, err)
		}
	}
}

func TestTypeOfUnknownFormat(t *testing.T) {
	for _, format := range []string{"", "x", "w:", "w:-1", "w:x", "d:1", "d:1,x", "d:1,2,64", "+w:0", "+m", "+l", "tsx:", "ts", "+ud:0", "vu"} {
		if dt, err := typeOf(format, nil, 0); err == nil {
			t.Errorf("%q is %v", format, dt)
		}
	}
}

// Arrays whose lengths and offsets do not hold together are refused by column before anything native sees them.
func TestMalformedRecords(t *testing.T) {
	good := func(values ...int32) *memory.Buffer {
		return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(values))
	}
	text := memory.NewBufferBytes([]byte("abcdef"))
	ints := array.NewData(arrow.PrimitiveTypes.Int32, 2, []*memory.Buffer{nil, good(1, 2)}, nil, 0, 0)
	list := arrow.ListOf(arrow.PrimitiveTypes.Int32)
	tests := []struct {
		what string
		data func() arrow.ArrayData
	}{
		{"too short", func() arrow.ArrayData {
			return array.NewData(arrow.PrimitiveTypes.Int32, 3, []*memory.Buffer{nil, good(1, 2)}, nil, 0, 0)
		}},
		{"offset past the end", func() arrow.ArrayData {
			return array.NewData(arrow.PrimitiveTypes.Int32, 2, []*memory.Buffer{nil, good(1, 2)}, nil, 0, 1)
		}},
		{"no values", func() arrow.ArrayData {
			return array.NewData(arrow.PrimitiveTypes.Int32, 3, []*memory.Buffer{nil, nil}, nil, 0, 0)
		}},
		{"short validity", func() arrow.ArrayData {
			return array.NewData(arrow.PrimitiveTypes.Int8, 20, []*memory.Buffer{memory.NewBufferBytes([]byte{1}), memory.NewBufferBytes(make([]byte, 20))}, nil, 1, 0)
		}},
		{"text past the end", func() arrow.ArrayData {
			return array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, good(0, 3, 1000), text}, nil, 0, 0)
		}},
		{"text without offsets", func() arrow.ArrayData {
			return array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, nil, text}, nil, 0, 0)
		}},
		{"a list past its values", func() arrow.ArrayData {
			return array.NewData(list, 1, []*memory.Buffer{nil, good(0, 50)}, []arrow.ArrayData{ints}, 0, 0)
		}},
		{"a struct longer than its fields", func() arrow.ArrayData {
			return array.NewData(arrow.StructOf(field("x", arrow.PrimitiveTypes.Int32, true)), 5, []*memory.Buffer{nil}, []arrow.ArrayData{ints}, 0, 0)
		}},
	}
	for _, test := range tests {
		err := func() (err error) {
			// arrow-go itself panics over some of these, which is as good: there is no such array.
			defer func() {
				if r := recover(); r != nil {
					err = invalidInput("write", "", "column \"c\": arrow-go: %v", r)
				}
			}()
			data := test.data()
			column := array.MakeFromData(data)
			schema := arrow.NewSchema([]arrow.Field{field("c", data.DataType(), true)}, nil)
			return checkRecord("write", "db.t", array.NewRecordBatch(schema, []arrow.Array{column}, int64(data.Len())))
		}()
		if !errors.Is(err, CodeInvalidInput) || !strings.Contains(err.Error(), `"c"`) {
			t.Errorf("%s: %v", test.what, err)
		}
		t.Log(err)
	}
}
