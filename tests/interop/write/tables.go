// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"strings"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// A table is created, changed by its jobs one after the other, and must have these rows then.
type table struct {
	name   string
	schema paimon.Schema
	jobs   []job
	rows   []row
}

// A job makes one commit of what one or more writes have written, each its rows in one batch.
type job struct {
	overwrite bool
	writes    [][]row
}

// insert, overwrite and merge make jobs.
func insert(rows ...row) job    { return job{writes: [][]row{rows}} }
func overwrite(rows ...row) job { return job{overwrite: true, writes: [][]row{rows}} }
func merge(writes ...[]row) job { return job{writes: writes} }
func rowsOf(jobs ...job) (all []row) {
	for _, j := range jobs {
		for _, rows := range j.writes {
			all = append(all, rows...)
		}
	}
	return all
}

// fields names columns or the fields of a ROW; it is given names and types by turns.
func fields(namesAndTypes ...any) []paimon.DataField {
	list := make([]paimon.DataField, len(namesAndTypes)/2)
	for i := range list {
		list[i] = paimon.DataField{Name: namesAndTypes[2*i].(string), Type: namesAndTypes[2*i+1].(paimon.DataType)}
	}
	return list
}

var (
	integer = paimon.IntType()
	str     = paimon.StringType()
	people  = fields("id", integer.NotNull(), "name", str)
)

// The values of _VALUE_KIND.
const (
	kindInsert       = int8(0)
	kindUpdateBefore = int8(1)
	kindUpdateAfter  = int8(2)
	kindDelete       = int8(3)
)

// types has every type that this engine and the other implementations agree on. Timestamps finer than microseconds are left out: in
// Parquet this engine keeps them as 64-bit nanoseconds, which Paimon Java reads as microseconds.
var types = fields(
	"id", integer.NotNull(),
	"f_boolean", paimon.BooleanType(),
	"f_tinyint", paimon.TinyIntType(),
	"f_smallint", paimon.SmallIntType(),
	"f_int", integer,
	"f_bigint", paimon.BigIntType(),
	"f_float", paimon.FloatType(),
	"f_double", paimon.DoubleType(),
	"f_decimal_10_2", paimon.DecimalType(10, 2),
	"f_decimal_38_18", paimon.DecimalType(38, 18),
	"f_char", paimon.CharType(3),
	"f_varchar", paimon.VarCharType(10),
	"f_string", str,
	"f_binary", paimon.BinaryType(2),
	"f_varbinary", paimon.VarBinaryType(4),
	"f_bytes", paimon.BytesType(),
	"f_date", paimon.DateType(),
	"f_time", paimon.TimeType(3),
	"f_timestamp_0", paimon.TimestampType(0),
	"f_timestamp_3", paimon.TimestampType(3),
	"f_timestamp_6", paimon.TimestampType(6),
	"f_timestamp_ltz_3", paimon.LocalZonedTimestampType(3),
	"f_timestamp_ltz_6", paimon.LocalZonedTimestampType(6),
	"f_array", paimon.ArrayType(integer),
	"f_map", paimon.MapType(str, integer),
	"f_row", paimon.RowType(fields("a", integer, "b", str, "c", paimon.ArrayType(str))...),
)

var tables = []table{
	{name: "append_types", schema: paimon.Schema{Fields: types}, jobs: typesJobs, rows: rowsOf(typesJobs...)},
	{
		name:   "append_types_avro",
		schema: paimon.Schema{Fields: types, Options: map[string]string{"file.format": "avro"}},
		jobs:   typesJobs,
		rows:   rowsOf(typesJobs...),
	},
	{
		name:   "upserts",
		schema: paimon.Schema{Fields: people, PrimaryKeys: []string{"id"}, Options: map[string]string{"bucket": "2"}},
		jobs: []job{
			insert(row{int32(1), "one"}, row{int32(2), "two"}, row{int32(3), "three"}, row{int32(4), "four"}, row{int32(5), "five"}),
			insert(row{int32(5), "FIVE"}, row{int32(2), nil}, row{int32(6), "six"}, row{int32(6), "SIX"}),
			insert(row{int32(1), "first"}, row{int32(2), "second"}, row{int32(-7), "minus"}),
		},
		rows: []row{
			{int32(-7), "minus"},
			{int32(1), "first"},
			{int32(2), "second"},
			{int32(3), "three"},
			{int32(4), "four"},
			{int32(5), "FIVE"},
			{int32(6), "SIX"},
		},
	},
	{
		name: "upserts_by_many_keys",
		schema: paimon.Schema{
			Fields: fields("day", paimon.DateType(), "code", str, "price", paimon.DecimalType(38, 18), "at", paimon.TimestampType(6),
				"raw", paimon.BytesType(), "n", paimon.BigIntType()),
			PartitionKeys: []string{"day"},
			PrimaryKeys:   []string{"day", "code", "price", "at", "raw"},
			Options:       map[string]string{"bucket": "2"},
		},
		jobs: []job{
			insert(
				row{"2024-02-29", "a", "0.500000000000000000", "1969-12-31T23:59:59.999999000", []byte{0}, int64(1)},
				row{"2024-02-29", "日本", "-12345678901234567890.123456789012345678", "2024-01-01T00:00:00.000001000", []byte{}, int64(2)},
				row{"1969-12-31", "a", "0.500000000000000000", "1969-12-31T23:59:59.999999000", []byte{0}, int64(3)},
			),
			insert(
				row{"2024-02-29", "a", "0.500000000000000000", "1969-12-31T23:59:59.999999000", []byte{0}, int64(-1)},
				row{"2024-02-29", "日本", "-12345678901234567890.123456789012345678", "2024-01-01T00:00:00.000001000", []byte{}, nil},
				row{"2024-02-29", "a", "0.500000000000000000", "1969-12-31T23:59:59.999998000", []byte{0}, int64(4)},
			),
		},
		rows: []row{
			{"1969-12-31", "a", "0.500000000000000000", "1969-12-31T23:59:59.999999000", []byte{0}, int64(3)},
			{"2024-02-29", "a", "0.500000000000000000", "1969-12-31T23:59:59.999998000", []byte{0}, int64(4)},
			{"2024-02-29", "a", "0.500000000000000000", "1969-12-31T23:59:59.999999000", []byte{0}, int64(-1)},
			{"2024-02-29", "日本", "-12345678901234567890.123456789012345678", "2024-01-01T00:00:00.000001000", []byte{}, nil},
		},
	},
	{
		name:   "deletes",
		schema: paimon.Schema{Fields: people, PrimaryKeys: []string{"id"}, Options: map[string]string{"bucket": "2"}},
		jobs: []job{
			insert(row{int32(1), "one"}, row{int32(2), "two"}, row{int32(3), "three"}),
			insert(
				row{int32(1), "one", kindDelete},
				row{int32(2), "two", kindUpdateBefore}, row{int32(2), "TWO", kindUpdateAfter},
				row{int32(4), "four", kindInsert}, row{int32(5), "five", kindInsert}, row{int32(5), "five", kindDelete},
			),
			insert(row{int32(3), nil, kindDelete}, row{int32(9), "never there", kindDelete}),
			insert(row{int32(3), "again"}),
		},
		rows: []row{{int32(2), "TWO"}, {int32(3), "again"}, {int32(4), "four"}},
	},
	{
		name:   "partition_overwritten",
		schema: paimon.Schema{Fields: fields("id", integer, "n", integer, "part", str), PartitionKeys: []string{"n", "part"}},
		jobs: []job{
			insert(
				row{int32(1), int32(1), "x"}, row{int32(2), int32(1), "x"}, row{int32(3), int32(1), "y"}, row{int32(4), int32(2), "x"},
				row{int32(5), nil, "x"}, row{int32(6), int32(-1), nil}, row{int32(7), int32(0), "a/b=c d%:?*\\\"#ü日本🙂"},
			),
			overwrite(row{int32(8), int32(1), "x"}),
			overwrite(row{int32(9), nil, "x"}),
		},
		rows: []row{
			{int32(8), int32(1), "x"},
			{int32(3), int32(1), "y"},
			{int32(4), int32(2), "x"},
			{int32(9), nil, "x"},
			{int32(6), int32(-1), nil},
			{int32(7), int32(0), "a/b=c d%:?*\\\"#ü日本🙂"},
		},
	},
	{
		name: "partition_types",
		schema: paimon.Schema{
			Fields: fields("id", integer, "b", paimon.BooleanType(), "t", paimon.TinyIntType(), "s", paimon.SmallIntType(),
				"l", paimon.BigIntType(), "d", paimon.DateType()),
			PartitionKeys: []string{"b", "t", "s", "l", "d"},
		},
		jobs: []job{insert(
			row{int32(1), true, int8(-1), int16(2), int64(math.MinInt64), "2024-02-29"},
			row{int32(2), false, int8(1), int16(-2), int64(math.MaxInt64), "1969-12-31"},
			row{int32(3), nil, nil, nil, nil, nil},
		)},
		rows: []row{
			{int32(1), true, int8(-1), int16(2), int64(math.MinInt64), "2024-02-29"},
			{int32(2), false, int8(1), int16(-2), int64(math.MaxInt64), "1969-12-31"},
			{int32(3), nil, nil, nil, nil, nil},
		},
	},
	{
		name:   "table_overwritten",
		schema: paimon.Schema{Fields: people},
		jobs: []job{
			insert(row{int32(1), "one"}, row{int32(2), "two"}),
			insert(row{int32(3), "three"}),
			overwrite(row{int32(4), "four"}, row{int32(1), "one again"}),
			insert(row{int32(5), "five"}),
		},
		rows: []row{{int32(4), "four"}, {int32(1), "one again"}, {int32(5), "five"}},
	},
	{
		name:   "writes_merged",
		schema: paimon.Schema{Fields: people},
		jobs:   []job{merge([]row{{int32(1), "one"}, {int32(2), "two"}}, []row{{int32(3), "three"}, {int32(1), "one"}})},
		rows:   []row{{int32(1), "one"}, {int32(1), "one"}, {int32(2), "two"}, {int32(3), "three"}},
	},
}

var typesJobs = []job{
	insert(
		row{
			int32(1), true, int8(1), int16(2), int32(3), int64(4), float32(1.5), 2.25, "12345678.90", "1.000000000000000001",
			"abc", "0123456789", "plain",
			[]byte{0, 1},
			[]byte{1, 2, 3},
			[]byte("bytes"),
			"2024-02-29", "12:34:56.789",
			"2024-02-29T12:34:56.000000000", "2024-02-29T12:34:56.789000000", "2024-02-29T12:34:56.789012000",
			"2024-02-29T12:34:56.789000000", "2024-02-29T12:34:56.789012000",
			[]any{int32(1), nil, int32(3)},
			[]pair{{"a", int32(1)}, {"b", nil}},
			row{int32(1), "x", []any{"y", nil}},
		},
		append(row{int32(2)}, make(row, 25)...),
	),
	insert(
		row{
			int32(3), false, int8(math.MinInt8), int16(math.MinInt16), int32(math.MinInt32), int64(math.MinInt64),
			float32(-math.MaxFloat32), -math.MaxFloat64, "-99999999.99", "-" + strings.Repeat("9", 20) + "." + strings.Repeat("9", 18),
			"", "", "",
			[]byte{0, 0},
			[]byte{},
			[]byte{},
			"0001-01-01", "00:00:00.000",
			"0001-01-01T00:00:00.000000000", "0001-01-01T00:00:00.000000000", "0001-01-01T00:00:00.000001000",
			"0001-01-01T00:00:00.000000000", "0001-01-01T00:00:00.000001000",
			[]any{},
			[]pair{},
			row{nil, nil, nil},
		},
		row{
			int32(4), true, int8(math.MaxInt8), int16(math.MaxInt16), int32(math.MaxInt32), int64(math.MaxInt64),
			float32(math.MaxFloat32), math.MaxFloat64, "99999999.99", strings.Repeat("9", 20) + "." + strings.Repeat("9", 18),
			"äöü", "日本語🙂", "quote \" slash \\ tab \t \u0001 \u2028 🙂",
			[]byte{0xff, 0xfe},
			[]byte{0, 0xff, 0, 0xff},
			[]byte{0, 0xff},
			"9999-12-31", "23:59:59.999",
			"9999-12-31T23:59:59.000000000", "9999-12-31T23:59:59.999000000", "9999-12-31T23:59:59.999999000",
			"9999-12-31T23:59:59.999000000", "9999-12-31T23:59:59.999999000",
			[]any{int32(math.MinInt32), int32(math.MaxInt32)},
			[]pair{{"", int32(0)}, {"日本", int32(math.MinInt32)}, {"a\"", nil}},
			row{int32(math.MaxInt32), "", []any{}},
		},
		row{
			int32(5), false, int8(0), int16(0), int32(0), int64(0),
			float32(math.Copysign(0, -1)), math.Inf(1), "0.00", "-0.000000000000000001",
			"a", "b", "c",
			[]byte{1, 2},
			[]byte{3},
			[]byte{4},
			"1969-12-31", "00:00:00.001",
			"1969-12-31T23:59:59.000000000", "1969-12-31T23:59:59.999000000", "1969-12-31T23:59:59.999999000",
			"1969-12-31T23:59:59.999000000", "1969-12-31T23:59:59.999999000",
			[]any{nil},
			[]pair{{"k", int32(1)}},
			nil,
		},
		row{
			int32(6), nil, nil, nil, nil, nil, float32(math.NaN()), math.NaN(), nil, nil, nil, nil, nil, nil, nil, nil, nil, nil,
			nil, nil, nil, nil, nil, nil, nil,
			row{int32(6), nil, []any{nil, "z"}},
		},
		row{
			int32(7), nil, nil, nil, nil, nil, float32(math.SmallestNonzeroFloat32), math.SmallestNonzeroFloat64, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil,
			nil, nil, nil, nil, nil, nil, nil, nil,
		},
	),
}
