// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

var (
	int32s    = arrow.PrimitiveTypes.Int32
	text      = arrow.BinaryTypes.String
	encoded   = &arrow.DictionaryType{IndexType: int32s, ValueType: text}
	repeated  = arrow.RunEndEncodedOf(int32s, text)
	timestamp = func(unit arrow.TimeUnit, zone string) arrow.DataType {
		return &arrow.TimestampType{Unit: unit, TimeZone: zone}
	}
	nullable = func(name string, dt arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: dt, Nullable: true}
	}
)

// newColumn creates a table with one column c.
func newColumn(t testing.TB, column paimon.DataType, options map[string]string) *paimon.Table {
	t.Helper()
	catalog := openCatalog(t, t.TempDir())
	must(t, catalog.CreateDatabase("db", nil, false))
	id := paimon.NewIdentifier("db", "t")
	must(t, catalog.CreateTable(id, &paimon.Schema{Fields: []paimon.DataField{{Name: "c", Type: column}}, Options: options}, false))
	return openTable(t, catalog, id)
}

// jsonRecord makes a record with one column c of these values in JSON.
func jsonRecord(t testing.TB, allocator memory.Allocator, dt arrow.DataType, values ...string) arrow.RecordBatch {
	t.Helper()
	b := array.NewBuilder(allocator, dt)
	defer b.Release()
	must(t, b.UnmarshalJSON([]byte("["+strings.Join(values, ",")+"]")))
	column := b.NewArray()
	defer column.Release()
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{nullable("c", dt)}, nil), []arrow.Array{column}, int64(len(values)))
}

// The Arrow schema that made a table is one that its writes take, with every layout that Arrow has for a value.
func TestTableTakesRecordsOfItsArrowSchema(t *testing.T) {
	tests := []struct {
		of     arrow.DataType
		values []string
		want   []string
	}{
		{arrow.BinaryTypes.LargeString, []string{`"a"`, "null", `"ä🙂"`}, []string{"(null)", "a", "ä🙂"}},
		{arrow.BinaryTypes.StringView, []string{`"a"`, "null", `"longer than twelve bytes"`}, []string{"(null)", "a", "longer than twelve bytes"}},
		{encoded, []string{`"a"`, "null", `"a"`}, []string{"(null)", "a", "a"}},
		{repeated, []string{`"a"`, "null", `"b"`, `"b"`}, []string{"(null)", "a", "b", "b"}},
		{arrow.BinaryTypes.LargeBinary, []string{`"AA=="`, "null", `""`}, []string{"", "(null)", "AA=="}},
		{arrow.BinaryTypes.BinaryView, []string{`"AA=="`, "null", `"AAECAwQFBgcICQoLDA0ODw=="`}, []string{"(null)", "AA==", "AAECAwQFBgcICQoLDA0ODw=="}},
		{arrow.LargeListOf(int32s), []string{"[1,null]", "null", "[]"}, []string{"(null)", "[1,null]", "[]"}},
		{arrow.ListViewOf(int32s), []string{"[1,null]", "null", "[]"}, []string{"(null)", "[1,null]", "[]"}},
		{arrow.LargeListViewOf(int32s), []string{"[1,null]", "null", "[3,4,5]"}, []string{"(null)", "[1,null]", "[3,4,5]"}},
		{arrow.FixedSizeListOf(2, int32s), []string{"[1,2]", "null", "[3,4]"}, []string{"(null)", "[1,2]", "[3,4]"}},
		{arrow.FixedWidthTypes.Time64us, []string{`"12:34:56.789"`, "null", `"00:00:00"`}, []string{"(null)", "00:00:00.000", "12:34:56.789"}},
		{arrow.FixedWidthTypes.Time64ns, []string{`"23:59:59.999"`}, []string{"23:59:59.999"}},
		{arrow.FixedWidthTypes.Time32s, []string{`"12:34:56"`, "null"}, []string{"(null)", "12:34:56.000"}},
		{arrow.FixedWidthTypes.Date64, []string{`"2024-02-29"`, "null", `"1969-12-31"`}, []string{"(null)", "1969-12-31", "2024-02-29"}},
		{&arrow.Decimal32Type{Precision: 7, Scale: 2}, []string{`"1.25"`, "null", `"-99999.99"`}, []string{"(null)", "-99999.99", "1.25"}},
		{&arrow.Decimal64Type{Precision: 18, Scale: 0}, []string{`"7"`, "null"}, []string{"(null)", "7"}},
		{&arrow.Decimal256Type{Precision: 38, Scale: 3}, []string{`"-1.125"`, "null"}, []string{"(null)", "-1.125"}},
		{newStamp(), []string{`"AAECAw=="`, "null"}, []string{"(null)", "AAECAw=="}},
		{arrow.ListOf(encoded), []string{`["x","x",null]`, "null"}, []string{"(null)", `["x","x",null]`}},
		{
			arrow.StructOf(nullable("d", encoded), nullable("v", arrow.ListOf(arrow.BinaryTypes.StringView))),
			[]string{`{"d":"x","v":["longer than twelve bytes",null]}`, "null"},
			[]string{"(null)", `{"d":"x","v":["longer than twelve bytes",null]}`},
		},
	}
	for _, test := range tests {
		t.Run(test.of.String(), func(t *testing.T) {
			allocator := checkLeaks(t)
			batch := jsonRecord(t, allocator, test.of, test.values...)
			defer batch.Release()
			_, table := newTable(t, batch.Schema(), nil)
			j := newJob(t, table, "", false)
			must(t, j.write.WriteArrowBatch(batch))
			for i := range batch.NumRows() { // the same rows one by one, out of the middle of their buffers
				slice := batch.NewSlice(i, i+1)
				must(t, j.write.WriteArrowBatch(slice))
				slice.Release()
			}
			none := batch.NewSlice(batch.NumRows(), batch.NumRows())
			must(t, j.write.WriteArrowBatch(none))
			none.Release()
			must(t, j.commit.Commit(j.prepare(t, allocator)))
			want := slices.Concat(test.want, test.want)
			slices.Sort(want)
			wantRows(t, table, want...)
		})
	}
}

// stamp is an extension type of a user's.
type stamp struct{ arrow.ExtensionBase }

func newStamp() *stamp {
	return &stamp{arrow.ExtensionBase{Storage: &arrow.FixedSizeBinaryType{ByteWidth: 4}}}
}

func (*stamp) ArrayType() reflect.Type { return reflect.TypeFor[stampArray]() }
func (*stamp) ExtensionName() string   { return "stamp" }
func (*stamp) Serialize() string       { return "" }
func (s *stamp) ExtensionEquals(o arrow.ExtensionType) bool {
	return o.ExtensionName() == s.ExtensionName()
}

func (*stamp) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return newStamp(), nil
}

type stampArray struct{ array.ExtensionArrayBase }

// Values of other types are written when they keep what they say, and refused by column and row when they would not; the same
// writer then goes on.
func TestRecordsOfOtherTypes(t *testing.T) {
	decimal := func(precision, scale int32) arrow.DataType {
		return &arrow.Decimal128Type{Precision: precision, Scale: scale}
	}
	zoned := timestamp(arrow.Microsecond, "Asia/Shanghai")
	tests := []struct {
		table paimon.DataType
		of    arrow.DataType
		value string
		want  string   // as it is read, or else
		words []string // of the error
	}{
		// Integers as they fit.
		{paimon.BigIntType(), arrow.PrimitiveTypes.Int8, "-128", "-128", nil},
		{paimon.IntType(), arrow.PrimitiveTypes.Uint16, "65535", "65535", nil},
		{paimon.BigIntType(), arrow.PrimitiveTypes.Uint32, "4294967295", "4294967295", nil},
		{paimon.IntType(), arrow.PrimitiveTypes.Int64, "2147483647", "2147483647", nil},
		{paimon.IntType(), arrow.PrimitiveTypes.Int64, "2147483648", "", []string{"'c'", "row 1", "2147483648", "Int64", "Int32"}},
		{paimon.TinyIntType(), arrow.PrimitiveTypes.Uint8, "128", "", []string{"row 1", "128"}},
		{paimon.BigIntType(), arrow.PrimitiveTypes.Uint64, "9223372036854775808", "", []string{"row 1", "9223372036854775808"}},
		{paimon.DoubleType(), arrow.PrimitiveTypes.Float32, "1.5", "1.5", nil},
		{paimon.FloatType(), arrow.FixedWidthTypes.Float16, "1.5", "1.5", nil},
		// What only looks alike.
		{paimon.FloatType(), arrow.PrimitiveTypes.Float64, "1.5", "", []string{"FLOAT", "Float64", "cast it to Float32"}},
		{paimon.DoubleType(), int32s, "1", "", []string{"DOUBLE", "Int32", "cast it to Float64"}},
		{paimon.DecimalType(10, 2), int32s, "1", "", []string{"DECIMAL(10, 2)", "Int32", "cast it to Decimal128(10, 2)"}},
		{paimon.IntType(), text, `"1"`, "", []string{"INT", "Utf8", "cast it to Int32"}},
		{paimon.StringType(), int32s, "1", "", []string{"STRING", "Int32", "cast it to Utf8"}},
		{paimon.BytesType(), text, `"x"`, "", []string{"BYTES", "Utf8", "cast it to Binary"}},
		{paimon.StringType(), arrow.BinaryTypes.Binary, `"AA=="`, "", []string{"STRING", "Binary", "cast it to Utf8"}},
		{paimon.BooleanType(), int32s, "1", "", []string{"BOOLEAN", "cast it to Boolean"}},
		{paimon.DateType(), timestamp(arrow.Second, ""), `"2024-02-29T00:00:00"`, "", []string{"DATE", "cast it to Date32"}},
		// Decimals: digits are kept, all of them.
		{paimon.DecimalType(10, 2), decimal(5, 1), `"12.3"`, "12.3", nil},
		{paimon.DecimalType(10, 2), decimal(38, 10), `"12.34"`, "12.34", nil},
		{paimon.DecimalType(10, 2), decimal(38, 10), `"12.345"`, "", []string{"row 1", "12.345", "Decimal128(10, 2)", "round"}},
		{paimon.DecimalType(5, 2), decimal(10, 2), `"1000.00"`, "", []string{"row 1", "1000.00"}},
		{paimon.DecimalType(38, 0), &arrow.Decimal256Type{Precision: 76, Scale: 0}, `"1` + strings.Repeat("0", 38) + `"`, "", []string{"row 1"}},
		{paimon.DecimalType(10, 2), &arrow.Decimal32Type{Precision: 9, Scale: 4}, `"1.2500"`, "1.25", nil},
		// Times of day are whole milliseconds.
		{paimon.TimeType(6), arrow.FixedWidthTypes.Time64us, `"12:34:56.789012"`, "", []string{"row 1", "12:34:56.789012", "Time32(ms)"}},
		{paimon.TimeType(3), arrow.FixedWidthTypes.Time32ms, "86400000", "", []string{"row 1", "86400000", "time of day"}},
		{paimon.TimeType(3), arrow.FixedWidthTypes.Time32ms, "-1", "", []string{"row 1", "-1"}},
		{paimon.TimeType(0), arrow.FixedWidthTypes.Time32s, "86400", "", []string{"row 1", "86400"}},
		{paimon.DateType(), arrow.FixedWidthTypes.Date64, "1", "", []string{"row 1", "Date32"}},
		// Timestamps: other units as they fit, other zones for the same moment, but a zone where there is none.
		{paimon.TimestampType(6), timestamp(arrow.Second, ""), `"1969-12-31T23:59:59"`, "1969-12-31T23:59:59", nil},
		{paimon.TimestampType(3), timestamp(arrow.Nanosecond, ""), `"1969-12-31T23:59:59.999"`, "1969-12-31T23:59:59.999", nil},
		{paimon.TimestampType(3), timestamp(arrow.Nanosecond, ""), `"1969-12-31T23:59:59.999001"`, "", []string{"row 1", "1969-12-31T23:59:59.999001"}},
		{paimon.TimestampType(6), timestamp(arrow.Second, ""), "9223372036855", "", []string{"row 1"}},
		{paimon.TimestampType(6), zoned, `"2024-02-29T12:00:00Z"`, "", []string{"TIMESTAMP(6)", "Asia/Shanghai", "without zone"}},
		{paimon.LocalZonedTimestampType(6), timestamp(arrow.Microsecond, ""), `"2024-02-29T12:00:00"`, "", []string{"TIME ZONE", "with zone"}},
		// Lengths.
		{paimon.VarCharType(3), text, `"ä本🙂"`, "ä本🙂", nil},
		{paimon.VarCharType(3), text, `"abcd"`, "", []string{"row 1", "4 characters", "VARCHAR(3)"}},
		{paimon.CharType(2), arrow.BinaryTypes.StringView, `"äö"`, "äö", nil},
		{paimon.CharType(2), text, `"äöü"`, "", []string{"row 1", "3 characters", "CHAR(2)"}},
		{paimon.BinaryType(2), &arrow.FixedSizeBinaryType{ByteWidth: 2}, `"AAE="`, "AAE=", nil},
		{paimon.BinaryType(1), &arrow.FixedSizeBinaryType{ByteWidth: 2}, `"AAE="`, "", []string{"row 1", "2 bytes", "BINARY(1)"}},
		{paimon.VarBinaryType(2), arrow.BinaryTypes.Binary, `"AAEC"`, "", []string{"row 1", "3 bytes", "VARBINARY(2)"}},
		{paimon.BytesType(), &arrow.FixedSizeBinaryType{ByteWidth: 2}, `"AAE="`, "AAE=", nil},
		// What holds other values.
		{paimon.ArrayType(paimon.BigIntType()), arrow.FixedSizeListOf(2, int32s), "[1,null]", "[1,null]", nil},
		{paimon.ArrayType(paimon.BigIntType().NotNull()), arrow.ListOf(int32s), "[1,null]", "", []string{"'c.element'", "row 1", "NOT NULL"}},
		{paimon.ArrayType(paimon.VarCharType(2)), arrow.ListOf(encoded), `["ab","abc"]`, "", []string{"'c.element'", "row 1", "3 characters"}},
		{paimon.VectorType(paimon.FloatType(), 2), arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32), "[1,2,3]", "", []string{"VECTOR<FLOAT, 2>", "3"}},
		{paimon.VectorType(paimon.FloatType(), 2), arrow.ListOf(arrow.PrimitiveTypes.Float32), "[1,2]", "", []string{"VECTOR<FLOAT, 2>", "cast it to FixedSizeList"}},
		{paimon.MapType(paimon.StringType(), paimon.BigIntType()), arrow.MapOf(arrow.BinaryTypes.LargeString, int32s), `[{"key":"k","value":1}]`, `[{"key":"k","value":1}]`, nil},
		{
			paimon.RowType(paimon.DataField{Name: "x", Type: paimon.IntType()}, paimon.DataField{Name: "y", Type: paimon.StringType()}),
			arrow.StructOf(nullable("y", encoded), nullable("x", arrow.PrimitiveTypes.Int16)), `{"y":"b","x":1}`, `{"x":1,"y":"b"}`, nil,
		},
		{paimon.RowType(paimon.DataField{Name: "x", Type: paimon.IntType()}), arrow.StructOf(nullable("y", int32s)), `{"y":1}`, "", []string{"'x'"}},
		{paimon.RowType(paimon.DataField{Name: "x", Type: paimon.IntType()}), arrow.StructOf(nullable("x", int32s), nullable("z", int32s)), `{"x":1,"z":1}`, "", []string{"'z'"}},
		{paimon.RowType(paimon.DataField{Name: "x", Type: paimon.IntType().NotNull()}), arrow.StructOf(nullable("x", int32s)), `{"x":null}`, "", []string{"'c.x'", "row 1", "NOT NULL"}},
		{paimon.RowType(paimon.DataField{Name: "x", Type: paimon.IntType().NotNull()}), arrow.StructOf(nullable("x", int32s)), `{"x":1}`, `{"x":1}`, nil},
		{
			paimon.MapType(paimon.StringType(), paimon.ArrayType(paimon.TinyIntType())), arrow.MapOf(text, arrow.LargeListOf(int32s)),
			`[{"key":"k","value":[1]},{"key":"l","value":[1,300]}]`, "",
			[]string{"'c.value.element'", "row 1", "300"},
		},
		{paimon.IntType().NotNull(), int32s, "null", "", []string{"'c'", "row 0", "NOT NULL"}},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s from %s %s", test.table, test.of, test.value), func(t *testing.T) {
			allocator := checkLeaks(t)
			table := newColumn(t, test.table, nil)
			j := newJob(t, table, "", false)
			values := []string{"null", test.value}
			want := []string{"(null)", test.want}
			if !test.table.Nullable() {
				values, want = values[1:], nil
			}
			batch := jsonRecord(t, allocator, test.of, values...)
			err := j.write.WriteArrowBatch(batch)
			batch.Release()
			if test.words == nil {
				must(t, err)
			} else {
				wantError(t, err, paimon.CodeInvalidInput, append(test.words, "'c", "db.t")...)
				t.Log(err)
				if strings.ContainsAny(err.Error(), "{") {
					t.Errorf("%q reads like a program's text", err)
				}
				if files := dataFiles(t, table); len(files) > 0 {
					t.Errorf("files %q of a refused record", files)
				}
				if test.table.Nullable() {
					good := jsonRecord(t, allocator, arrow.Null, "null")
					must(t, j.write.WriteArrowBatch(good))
					good.Release()
				}
				want = want[:len(want)/2]
			}
			must(t, j.commit.Commit(j.prepare(t, allocator)))
			slices.Sort(want)
			wantRows(t, table, want...)
		})
	}
}

// A moment is the same whatever zone its column names, one that nobody can parse among them.
func TestTimestampZones(t *testing.T) {
	allocator := checkLeaks(t)
	table := newColumn(t, paimon.LocalZonedTimestampType(6), nil)
	j := newJob(t, table, "", false)
	zones := []string{"UTC", "+00:00", "Etc/UTC", "Z", "Asia/Shanghai", "GMT+5", "no such zone"}
	var want []string
	for i, zone := range zones {
		b := array.NewTimestampBuilder(allocator, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: zone})
		b.Append(arrow.Timestamp(i))
		b.Append(arrow.Timestamp(-1_000_000 - i))
		column := b.NewArray()
		b.Release()
		batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{nullable("c", column.DataType())}, nil), []arrow.Array{column}, 2)
		column.Release()
		must(t, j.write.WriteArrowBatch(batch))
		batch.Release()
		want = append(want, fmt.Sprintf("1970-01-01T00:00:00.%06dZ", i), fmt.Sprintf("1969-12-31T23:59:58.%06dZ", 1_000_000-i))
	}
	want[0], want[1] = "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z"
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	slices.Sort(want)
	wantRows(t, table, want...)
}

// Columns are matched by name, in any order; the rest is refused by name.
func TestColumnsByName(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, primaryKey)
	j := newJob(t, table, "", false)
	write := func(rows string, fields ...arrow.Field) error {
		batch, _, err := array.RecordFromJSON(allocator, arrow.NewSchema(fields, nil), strings.NewReader(rows))
		must(t, err)
		defer batch.Release()
		return j.write.WriteArrowBatch(batch)
	}
	id, name := arrow.Field{Name: "id", Type: int32s}, nullable("name", text)
	kind := arrow.Field{Name: "_VALUE_KIND", Type: arrow.PrimitiveTypes.Int8}
	must(t, write(`[{"name":"a","id":1},{"name":"b","id":2}]`, name, nullable("id", int32s)))
	wantError(t, write(`[{"id":1}]`, id), paimon.CodeInvalidInput, "no column 'name'", "STRING", "all columns")
	wantError(t, write(`[{"id":1,"name":"x","Name":"x"}]`, id, name, nullable("Name", text)), paimon.CodeInvalidInput, "'Name'", "'id', 'name'")
	one := record(allocator, person{1, "x"})
	twice := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{id, id, name}, nil), []arrow.Array{one.Column(0), one.Column(0), one.Column(1)}, 1)
	one.Release()
	wantError(t, j.write.WriteArrowBatch(twice), paimon.CodeInvalidInput, "two columns 'id'")
	twice.Release()
	wantError(t, write(`[{"name":"x","id":1},{"name":"y"}]`, name, nullable("id", int32s)), paimon.CodeInvalidInput, "'id'", "row 1", "null")
	metadata := arrow.NewMetadata([]string{"PARQUET:field_id", "PARQUET:field_id", ""}, []string{"77", strings.Repeat("x", 100_000), "y"})
	before := metadata.String()
	must(t, write(`[{"id":3,"name":"c"}]`, arrow.Field{Name: "id", Type: int32s, Metadata: metadata}, name))
	if metadata.String() != before {
		t.Error("the record's metadata was changed")
	}
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	wantRows(t, table, "1 a", "2 b", "3 c")

	// The row kinds stand where they like, and are any integers.
	must(t, write(`[{"_VALUE_KIND":3,"id":1},{"_VALUE_KIND":2,"id":2,"name":"B"}]`, kind, id, name))
	must(t, write(`[{"name":"d","_VALUE_KIND":0,"id":4}]`, name, arrow.Field{Name: "_VALUE_KIND", Type: int32s}, id))
	wantError(t, write(`[{"name":"d","_VALUE_KIND":9,"id":4}]`, name, kind, id), paimon.CodeInvalidInput, "_VALUE_KIND", "9", "row 0")
	wantError(t, write(`[{"name":"d","_VALUE_KIND":"+I","id":4}]`, name, nullable("_VALUE_KIND", text), id), paimon.CodeInvalidInput, "_VALUE_KIND", "Int8")
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	wantRows(t, table, "2 B", "3 c", "4 d")

	_, log := newTable(t, people, nil)
	j = newJob(t, log, "", false)
	wantError(t, write(`[{"id":1,"name":"x","_VALUE_KIND":0}]`, id, name, kind), paimon.CodeInvalidInput, "_VALUE_KIND", "no primary key")

	// Tables that find the kinds out by themselves.
	_, told := newTable(t, people, func(schema *paimon.Schema) {
		primaryKey(schema)
		schema.Options["rowkind.field"] = "name"
	})
	j = newJob(t, told, "", false)
	wantError(t, write(`[{"id":1,"name":"+I","_VALUE_KIND":0}]`, id, name, kind), paimon.CodeInvalidInput, "_VALUE_KIND", "rowkind.field")
	must(t, write(`[{"id":1,"name":"+I"},{"id":2,"name":"+I"},{"id":1,"name":"-D"}]`, id, name))
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	wantRows(t, told, "2 +I")
	_, moving := newTable(t, people, func(schema *paimon.Schema) {
		schema.PrimaryKeys, schema.PartitionKeys = []string{"id"}, []string{"name"}
	})
	j = newJob(t, moving, "", false)
	wantError(t, write(`[{"id":1,"name":"x","_VALUE_KIND":0}]`, id, name, kind), paimon.CodeInvalidInput, "_VALUE_KIND", "partition")
}

// Packed arrays of random values, cut anywhere and within others, arrive as they were.
func TestPackedArraysAtRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	var value func(dt arrow.DataType) any
	value = func(dt arrow.DataType) any {
		if random.IntN(4) == 0 {
			return nil
		}
		switch dt := dt.(type) {
		case *arrow.DictionaryType:
			return value(dt.ValueType)
		case *arrow.RunEndEncodedType:
			return value(dt.Encoded())
		case arrow.ListLikeType:
			n := random.IntN(4)
			if fixed, ok := dt.(*arrow.FixedSizeListType); ok {
				n = int(fixed.Len())
			}
			list := make([]any, n)
			for i := range list {
				list[i] = value(dt.Elem())
			}
			return list
		case *arrow.StructType:
			row := make(map[string]any)
			for _, field := range dt.Fields() {
				row[field.Name] = value(field.Type)
			}
			return row
		case *arrow.Int32Type:
			return random.IntN(100)
		default:
			return strings.Repeat(string(rune('a'+random.IntN(3))), random.IntN(20))
		}
	}
	viewed := arrow.BinaryTypes.StringView
	for _, dt := range []arrow.DataType{
		encoded, repeated, viewed, arrow.BinaryTypes.LargeString, arrow.ListViewOf(int32s), arrow.LargeListViewOf(viewed),
		arrow.ListOf(encoded), arrow.LargeListOf(viewed), arrow.ListOf(arrow.ListViewOf(encoded)), arrow.FixedSizeListOf(2, int32s),
		arrow.StructOf(nullable("d", encoded), nullable("v", viewed), nullable("l", arrow.ListViewOf(arrow.ListOf(viewed)))),
		arrow.ListViewOf(arrow.StructOf(nullable("d", encoded), nullable("r", arrow.LargeListOf(int32s)))),
		arrow.RunEndEncodedOf(int32s, arrow.ListOf(viewed)), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, viewed),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: int32s},
	} {
		allocator := checkLeaks(t)
		_, table := newTable(t, arrow.NewSchema([]arrow.Field{nullable("c", dt)}, nil), nil)
		j := newJob(t, table, "", false)
		var want []json.RawMessage
		for range 12 {
			n := random.IntN(30)
			values := make([]string, n)
			for i := range values {
				values[i] = string(must1(json.Marshal(value(dt))))
			}
			batch := jsonRecord(t, allocator, dt, values...)
			from := random.IntN(n + 1)
			to := from + random.IntN(n-from+1)
			slice := batch.NewSlice(int64(from), int64(to))
			batch.Release()
			must(t, j.write.WriteArrowBatch(slice))
			slice.Release()
			for _, value := range values[from:to] {
				want = append(want, json.RawMessage(value))
			}
		}
		must(t, j.commit.Commit(j.prepare(t, allocator)))
		var got []json.RawMessage
		reader := newReader(t, table)
		for {
			batch, err := reader.NextRecord()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			var values []json.RawMessage
			must(t, json.Unmarshal(must1(json.Marshal(batch.Column(0))), &values))
			got = append(got, values...)
			batch.Release()
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d values, want %d", dt, len(got), len(want))
		}
		for i := range want {
			if string(got[i]) != string(want[i]) {
				t.Fatalf("%s: value %d is %s, want %s", dt, i, got[i], want[i])
			}
		}
	}
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Packed arrays whose parts contradict each other are refused, and nothing is read outside them.
func TestBrokenPackedArrays(t *testing.T) {
	allocator := checkLeaks(t)
	table := newColumn(t, paimon.StringType(), nil)
	j := newJob(t, table, "", false)
	words := array.NewStringBuilder(allocator)
	words.AppendStringValues([]string{"a", "b"}, nil)
	values := words.NewArray()
	words.Release()
	defer values.Release()
	ints := func(numbers ...int32) arrow.ArrayData {
		return array.NewData(int32s, len(numbers), bufferOf(numbers), nil, 0, 0)
	}
	view := func(length, buffer, offset int32) []byte {
		return arrow.Int32Traits.CastToBytes([]int32{length, 0, buffer, offset})
	}
	views := func(raw []byte, pointed ...string) arrow.ArrayData {
		buffers := []*memory.Buffer{nil, memory.NewBufferBytes(raw)}
		for _, bytes := range pointed {
			buffers = append(buffers, memory.NewBufferBytes([]byte(bytes)))
		}
		return array.NewData(arrow.BinaryTypes.StringView, len(raw)/16, buffers, nil, 0, 0)
	}
	tests := map[string]func() arrow.ArrayData{
		"an index past the dictionary": func() arrow.ArrayData {
			return array.NewDataWithDictionary(encoded, 1, bufferOf([]int32{2}), 0, 0, values.Data().(*array.Data))
		},
		"an index below zero": func() arrow.ArrayData {
			return array.NewDataWithDictionary(encoded, 1, bufferOf([]int32{-1}), 0, 0, values.Data().(*array.Data))
		},
		"runs that go back": func() arrow.ArrayData {
			return array.NewData(repeated, 2, []*memory.Buffer{nil}, []arrow.ArrayData{ints(2, 1), values.Data()}, 0, 0)
		},
		"runs that end early": func() arrow.ArrayData {
			return array.NewData(repeated, 5, []*memory.Buffer{nil}, []arrow.ArrayData{ints(1, 2), values.Data()}, 0, 0)
		},
		"runs without values": func() arrow.ArrayData {
			return array.NewData(repeated, 3, []*memory.Buffer{nil}, []arrow.ArrayData{ints(1, 2, 3), values.Data()}, 0, 0)
		},
		"a view into no buffer":        func() arrow.ArrayData { return views(view(20, 0, 0)) },
		"a view into another buffer":   func() arrow.ArrayData { return views(view(20, 1, 0), strings.Repeat("x", 40)) },
		"a view past its buffer":       func() arrow.ArrayData { return views(view(20, 0, 30), strings.Repeat("x", 40)) },
		"a view with a length below 0": func() arrow.ArrayData { return views(view(-1, 0, 0), strings.Repeat("x", 40)) },
		"a view of another prefix":     func() arrow.ArrayData { return views(view(20, 0, 0), strings.Repeat("x", 40)) },
		"text that is none":            func() arrow.ArrayData { return views([]byte{1, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) },
	}
	for what, make := range tests {
		err := func() (err error) {
			defer func() {
				if r := recover(); r != nil { // arrow-go refuses to make it: as good
					err = fmt.Errorf("%w: %v", paimon.CodeInvalidInput, r)
				}
			}()
			data := make()
			defer data.Release()
			column := array.MakeFromData(data)
			defer column.Release()
			batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{nullable("c", data.DataType())}, nil), []arrow.Array{column}, int64(data.Len()))
			defer batch.Release()
			return j.write.WriteArrowBatch(batch)
		}()
		t.Log(what)
		wantError(t, err, paimon.CodeInvalidInput)
		t.Log(err)
	}
	lists := newColumn(t, paimon.ArrayType(paimon.IntType()), nil)
	j = newJob(t, lists, "", false)
	for _, span := range [][2]int32{{1, 2}, {-1, 1}, {0, -1}, {3, 0}} {
		data := array.NewData(arrow.ListViewOf(int32s), 1, append(bufferOf(span[:1]), bufferOf(span[1:])[1]), []arrow.ArrayData{ints(1, 2)}, 0, 0)
		err := func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("%w: %v", paimon.CodeInvalidInput, r)
				}
			}()
			column := array.MakeFromData(data)
			return j.write.WriteArrowBatch(array.NewRecordBatch(arrow.NewSchema([]arrow.Field{nullable("c", data.DataType())}, nil), []arrow.Array{column}, 1))
		}()
		if span == [2]int32{3, 0} && err == nil {
			continue // no values, wherever they are
		}
		wantError(t, err, paimon.CodeInvalidInput)
	}
	// Rows that take no memory until they are spelled out.
	const many = 1 << 40
	ends := array.NewData(arrow.PrimitiveTypes.Int64, 1, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes([]int64{many}))}, nil, 0, 0)
	for _, data := range []arrow.ArrayData{
		array.NewData(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, int32s), many, []*memory.Buffer{nil}, []arrow.ArrayData{ends, ints(1)}, 0, 0),
		array.NewData(arrow.Null, many, []*memory.Buffer{nil}, nil, many, 0),
	} {
		column := array.MakeFromData(data)
		batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{nullable("c", data.DataType())}, nil), []arrow.Array{column}, many)
		wantError(t, j.write.WriteArrowBatch(batch), paimon.CodeInvalidInput, "smaller records")
	}
	good := jsonRecord(t, allocator, arrow.ListViewOf(int32s), "[1,2]")
	must(t, j.write.WriteArrowBatch(good))
	good.Release()
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	rows := readRows(t, lists)
	if !slices.Contains(rows, "[1,2]") {
		t.Errorf("got %q", rows)
	}
}

// What lies under a null counts for nothing: neither nulls nor values that would not fit.
func TestHiddenValues(t *testing.T) {
	allocator := checkLeaks(t)
	row := paimon.RowType(paimon.DataField{Name: "x", Type: paimon.TinyIntType().NotNull()})
	for _, test := range []struct {
		table paimon.DataType
		of    arrow.DataType
		child arrow.ArrayData
		extra *memory.Buffer
		want  []string
	}{
		{
			row, arrow.StructOf(nullable("x", int32s)), array.NewData(int32s, 2, []*memory.Buffer{memory.NewBufferBytes([]byte{0b01}), bufferOf([]int32{1, 999})[1]}, nil, 1, 0), nil,
			[]string{"(null)", `{"x":1}`},
		},
		{row, arrow.StructOf(nullable("x", int32s)), array.NewData(int32s, 2, bufferOf([]int32{1, 999}), nil, 0, 0), nil, []string{"(null)", `{"x":1}`}},
		{
			paimon.ArrayType(paimon.TinyIntType().NotNull()), arrow.ListOf(int32s), array.NewData(int32s, 4, bufferOf([]int32{1, 2, 999, 999}), nil, 0, 0),
			bufferOf([]int32{0, 2, 4})[1],
			[]string{"(null)", "[1,2]"},
		},
		{
			paimon.VectorType(paimon.TinyIntType().NotNull(), 2), arrow.FixedSizeListOf(2, int32s), array.NewData(int32s, 4, bufferOf([]int32{1, 2, 999, 999}), nil, 0, 0),
			nil,
			[]string{"(null)", "[1,2]"},
		},
		{
			paimon.ArrayType(paimon.TinyIntType().NotNull()), arrow.FixedSizeListOf(2, int32s), array.NewData(int32s, 4, bufferOf([]int32{1, 2, 999, 999}), nil, 0, 0),
			nil,
			[]string{"(null)", "[1,2]"},
		},
	} {
		table := newColumn(t, test.table, nil)
		j := newJob(t, table, "", false)
		buffers := []*memory.Buffer{memory.NewBufferBytes([]byte{0b01})}
		if test.extra != nil {
			buffers = append(buffers, test.extra)
		}
		column := array.MakeFromData(array.NewData(test.of, 2, buffers, []arrow.ArrayData{test.child}, 1, 0))
		must(t, j.write.WriteArrowBatch(array.NewRecordBatch(arrow.NewSchema([]arrow.Field{nullable("c", test.of)}, nil), []arrow.Array{column}, 2)))
		must(t, j.commit.Commit(j.prepare(t, allocator)))
		wantRows(t, table, test.want...)
	}
}

// One large value that stands in many rows is refused, not spelled out until memory ends.
func TestLargeValueInManyRows(t *testing.T) {
	allocator := checkLeaks(t)
	const rows = 2000
	values := array.NewBinaryBuilder(allocator, arrow.BinaryTypes.LargeBinary)
	defer values.Release()
	values.Append(make([]byte, 16<<20))
	large := values.NewArray()
	defer large.Release()
	zeros := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(make([]int32, rows)))
	ones := make([]int32, rows)
	for i := range ones {
		ones[i] = 1
	}
	dictionary := func(of arrow.ArrayData) *array.Data {
		return array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: of.DataType()},
			rows, []*memory.Buffer{nil, zeros}, 0, 0, of.(*array.Data))
	}
	list := array.NewData(arrow.ListOf(arrow.BinaryTypes.LargeBinary), 1,
		[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1}))}, []arrow.ArrayData{large.Data()}, 0, 0)
	defer list.Release()
	views := array.NewData(arrow.ListViewOf(arrow.BinaryTypes.LargeBinary), rows,
		[]*memory.Buffer{nil, zeros, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(ones))}, []arrow.ArrayData{large.Data()}, 0, 0)
	bytes, lists := arrow.Field{Name: "x", Type: arrow.BinaryTypes.Binary, Nullable: true}, arrow.Field{Name: "x", Type: arrow.ListOf(arrow.BinaryTypes.Binary), Nullable: true}
	for name, c := range map[string]struct {
		column arrow.Field
		data   *array.Data
	}{
		"dictionary":          {bytes, dictionary(large.Data())},
		"dictionary of lists": {lists, dictionary(list)},
		"list views":          {lists, views},
	} {
		t.Run(name, func(t *testing.T) {
			_, table := newTable(t, arrow.NewSchema([]arrow.Field{c.column}, nil), nil)
			column := array.MakeFromData(c.data)
			c.data.Release()
			defer column.Release()
			schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: column.DataType(), Nullable: true}}, nil)
			batch := array.NewRecordBatch(schema, []arrow.Array{column}, rows)
			defer batch.Release()
			j := newJob(t, table, "", false)
			wantError(t, j.write.WriteArrowBatch(batch), paimon.CodeInvalidInput, "2 GiB", "smaller records")
			slice := batch.NewSlice(0, 2)
			defer slice.Release()
			must(t, j.write.WriteArrowBatch(slice))
		})
	}
}

// A decimal with more digits than its own type is none of the numbers that it may look like.
func TestDecimalBeyondItsType(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, arrow.NewSchema([]arrow.Field{{Name: "x", Type: &arrow.Decimal128Type{Precision: 10, Scale: 5}, Nullable: true}}, nil), nil)
	of := &arrow.Decimal128Type{Precision: 5}
	b := array.NewRecordBuilder(allocator, arrow.NewSchema([]arrow.Field{{Name: "x", Type: of, Nullable: true}}, nil))
	defer b.Release()
	b.Field(0).(*array.Decimal128Builder).Append(decimal128.New(1<<59, 7))
	batch := b.NewRecordBatch()
	defer batch.Release()
	wantError(t, newJob(t, table, "", false).write.WriteArrowBatch(batch), paimon.CodeInvalidInput, "'x'", "row 0")
}

// Times in nanoseconds, as Go has them, go into the table that their schema makes, as long as they are whole microseconds.
func TestNanoseconds(t *testing.T) {
	allocator := checkLeaks(t)
	of := arrow.FixedWidthTypes.Timestamp_ns
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: of, Nullable: true}}, nil)
	_, table := newTable(t, schema, nil)
	write := func(values ...arrow.Timestamp) error {
		b := array.NewRecordBuilder(allocator, schema)
		defer b.Release()
		b.Field(0).(*array.TimestampBuilder).AppendValues(values, nil)
		batch := b.NewRecordBatch()
		defer batch.Release()
		j := newJob(t, table, "", false)
		if err := j.write.WriteArrowBatch(batch); err != nil {
			return err
		}
		return j.commit.Commit(j.prepare(t, allocator))
	}
	must(t, write(1_700_000_000_123_456_000, -1_000))
	wantError(t, write(0, 1), paimon.CodeInvalidInput, "'x'", "row 1")
	wantRows(t, table, "1969-12-31T23:59:59.999999Z", "2023-11-14T22:13:20.123456Z")
}
