// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// threeDeep is ARRAY<ROW<MAP<..., ARRAY<...>>>>, with NOT NULL at some levels and not at others.
func threeDeep() DataType {
	return ArrayType(RowType(
		DataField{ID: 1, Name: "sku", Type: StringType().NotNull(), Description: "it's a key"},
		DataField{ID: 2, Name: "odd`name", Type: MapType(StringType().NotNull(), ArrayType(DecimalType(12, 3).NotNull()))},
	).NotNull())
}

// typeCases has every kind of type with its SQL, its JSON where that is not the SQL, and its Arrow type.
var typeCases = []struct {
	typ   DataType
	sql   string
	json  string
	arrow arrow.DataType
}{
	{BooleanType(), "BOOLEAN", "", arrow.FixedWidthTypes.Boolean},
	{TinyIntType(), "TINYINT", "", arrow.PrimitiveTypes.Int8},
	{SmallIntType(), "SMALLINT", "", arrow.PrimitiveTypes.Int16},
	{IntType(), "INT", "", arrow.PrimitiveTypes.Int32},
	{BigIntType(), "BIGINT", "", arrow.PrimitiveTypes.Int64},
	{FloatType(), "FLOAT", "", arrow.PrimitiveTypes.Float32},
	{DoubleType(), "DOUBLE", "", arrow.PrimitiveTypes.Float64},
	{DecimalType(10, 2), "DECIMAL(10, 2)", "", &arrow.Decimal128Type{Precision: 10, Scale: 2}},
	{DecimalType(38, 38), "DECIMAL(38, 38)", "", &arrow.Decimal128Type{Precision: 38, Scale: 38}},
	{CharType(5), "CHAR(5)", "", arrow.BinaryTypes.String},
	{VarCharType(20), "VARCHAR(20)", "", arrow.BinaryTypes.String},
	{StringType(), "STRING", "", arrow.BinaryTypes.String},
	{BinaryType(16), "BINARY(16)", "", arrow.BinaryTypes.Binary},
	{VarBinaryType(20), "VARBINARY(20)", "", arrow.BinaryTypes.Binary},
	{BytesType(), "BYTES", "", arrow.BinaryTypes.Binary},
	{DateType(), "DATE", "", arrow.FixedWidthTypes.Date32},
	{TimeType(0), "TIME(0)", "", arrow.FixedWidthTypes.Time32ms},
	{TimeType(9), "TIME(9)", "", arrow.FixedWidthTypes.Time32ms},
	{TimestampType(0), "TIMESTAMP(0)", "", &arrow.TimestampType{Unit: arrow.Second}},
	{TimestampType(1), "TIMESTAMP(1)", "", &arrow.TimestampType{Unit: arrow.Millisecond}},
	{TimestampType(3), "TIMESTAMP(3)", "", &arrow.TimestampType{Unit: arrow.Millisecond}},
	{TimestampType(4), "TIMESTAMP(4)", "", &arrow.TimestampType{Unit: arrow.Microsecond}},
	{TimestampType(6), "TIMESTAMP(6)", "", &arrow.TimestampType{Unit: arrow.Microsecond}},
	{TimestampType(7), "TIMESTAMP(7)", "", &arrow.TimestampType{Unit: arrow.Nanosecond}},
	{TimestampType(9), "TIMESTAMP(9)", "", &arrow.TimestampType{Unit: arrow.Nanosecond}},
	{LocalZonedTimestampType(3), "TIMESTAMP(3) WITH LOCAL TIME ZONE", "", &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}},
	{VariantType(), "VARIANT", "", variantArrowType},
	{BlobType(), "BLOB", "", arrow.BinaryTypes.LargeBinary},
	{
		ArrayType(IntType()), "ARRAY<INT>", `{"type":"ARRAY","element":"INT"}`,
		arrow.ListOfField(arrow.Field{Name: "element", Type: arrow.PrimitiveTypes.Int32, Nullable: true}),
	},
	{
		VectorType(FloatType().NotNull(), 4), "VECTOR<FLOAT NOT NULL, 4>", `{"type":"VECTOR","element":"FLOAT NOT NULL","length":4}`,
		arrow.FixedSizeListOfField(4, arrow.Field{Name: "element", Type: arrow.PrimitiveTypes.Float32}),
	},
	{
		MapType(StringType(), IntType().NotNull()), "MAP<STRING, INT NOT NULL>", `{"type":"MAP","key":"STRING","value":"INT NOT NULL"}`,
		arrow.MapOfFields(arrow.Field{Type: arrow.BinaryTypes.String}, arrow.Field{Type: arrow.PrimitiveTypes.Int32}),
	},
	{
		MultisetType(StringType()), "MULTISET<STRING>", `{"type":"MULTISET","element":"STRING"}`,
		arrow.MapOfFields(arrow.Field{Type: arrow.BinaryTypes.String}, arrow.Field{Type: arrow.PrimitiveTypes.Int32}),
	},
	{
		RowType(DataField{ID: 7, Name: "a", Type: IntType(), DefaultValue: "3"}), "ROW<`a` INT>",
		`{"type":"ROW","fields":[{"id":7,"name":"a","type":"INT","defaultValue":"3"}]}`,
		arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}),
	},
	{
		threeDeep(),
		"ARRAY<ROW<`sku` STRING NOT NULL COMMENT 'it''s a key', `odd``name` MAP<STRING NOT NULL, ARRAY<DECIMAL(12, 3) NOT NULL>>> NOT NULL>",
		`{"type":"ARRAY","element":{"type":"ROW NOT NULL","fields":[` +
			`{"id":1,"name":"sku","type":"STRING NOT NULL","description":"it's a key"},` +
			`{"id":2,"name":"odd` + "`" + `name","type":{"type":"MAP","key":"STRING NOT NULL","value":` +
			`{"type":"ARRAY","element":"DECIMAL(12, 3) NOT NULL"}}}]}}`,
		arrow.ListOfField(arrow.Field{Name: "element", Type: arrow.StructOf(
			arrow.Field{Name: "sku", Type: arrow.BinaryTypes.String},
			arrow.Field{Name: "odd`name", Nullable: true, Type: arrow.MapOfFields(
				arrow.Field{Type: arrow.BinaryTypes.String},
				arrow.Field{Nullable: true, Type: arrow.ListOfField(arrow.Field{Name: "element", Type: &arrow.Decimal128Type{Precision: 12, Scale: 3}})},
			)},
		)}),
	},
}

func TestDataTypeSQLAndJSON(t *testing.T) {
	for _, c := range typeCases {
		if c.json == "" {
			c.json = `"` + c.sql + `"`
		}
		check := func(typ DataType, sql, text string) {
			t.Helper()
			if typ.String() != sql {
				t.Errorf("String() = %s, want %s", typ, sql)
			}
			encoded, err := json.Marshal(typ)
			if err != nil || string(encoded) != text {
				t.Errorf("%s encodes as %s (%v), want %s", sql, encoded, err, text)
			}
			var decoded DataType
			if err := json.Unmarshal([]byte(text), &decoded); err != nil || !reflect.DeepEqual(decoded, typ) || !decoded.Equal(typ) {
				t.Errorf("%s decodes as %s (%v)", text, decoded, err)
			}
		}
		check(c.typ, c.sql, c.json)
		required := strings.Replace(c.json, `{"type":"`+string(c.typ.Kind()), `{"type":"`+string(c.typ.Kind())+" NOT NULL", 1)
		if required == c.json {
			required = strings.TrimSuffix(c.json, `"`) + ` NOT NULL"`
		}
		check(c.typ.NotNull(), c.sql+" NOT NULL", required)
		if !c.typ.Nullable() || c.typ.NotNull().Nullable() || c.typ.Equal(c.typ.NotNull()) {
			t.Errorf("%s: NotNull changed its receiver or nothing", c.sql)
		}
	}
}

func TestDataTypeReadsOtherSpellings(t *testing.T) {
	for spelling, want := range map[string]DataType{
		"TIMESTAMP_LTZ(3) NOT NULL":      LocalZonedTimestampType(3).NotNull(),
		"VARCHAR(2147483647)":            StringType(),
		"VARCHAR(4294967295)":            StringType(),
		"VARBINARY(2147483647)":          BytesType(),
		"DECIMAL(10,2)":                  DecimalType(10, 2),
		"DECIMAL(10)":                    DecimalType(10, 0),
		"DECIMAL":                        DecimalType(10, 0),
		"CHAR NOT NULL":                  CharType(1).NotNull(),
		"VARCHAR":                        VarCharType(1),
		"BINARY":                         BinaryType(1),
		"VARBINARY NOT NULL":             VarBinaryType(1).NotNull(),
		"TIME":                           TimeType(0),
		"TIMESTAMP":                      TimestampType(6),
		"TIMESTAMP (3)  NOT  NULL":       TimestampType(3).NotNull(),
		"TIMESTAMP WITH LOCAL TIME ZONE": LocalZonedTimestampType(6),
	} {
		var got DataType
		if err := json.Unmarshal([]byte(`"`+spelling+`"`), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s decodes as %s (%v), want %s", spelling, got, err, want)
		}
	}
}

func TestDataTypeRefusesOtherJSON(t *testing.T) {
	for _, text := range []string{
		`""`, `"TUPLE"`, `"int"`, `"INT NULLABLE"`, `"INT(3)"`, `"VARCHAR("`, `"CHAR(1, 2)"`, `"CHAR(99999999999999999999)"`,
		`"STRING(3)"`, `"DATE WITH LOCAL TIME ZONE"`, `"ROW"`, `"VECTOR(3)"`, `"ARRAY<INT>"`, `7`, `null`, `[]`, `{}`,
		`{"type":"ARRAY"}`, `{"type":"MAP","key":"INT"}`, `{"type":"ROW"}`, `{"type":"INT"}`, `{"type":"ARRAY","element":"TUPLE"}`,
	} {
		var got DataType
		if err := json.Unmarshal([]byte(text), &got); !errors.Is(err, CodeInvalidInput) {
			t.Errorf("%s decodes as %s (%v), want CodeInvalidInput", text, got, err)
		}
	}
	if _, err := json.Marshal(ArrayType(DataType{})); !errors.Is(err, CodeInvalidInput) {
		t.Errorf("an array of no type encodes: %v", err)
	}
}

func TestDataTypeParts(t *testing.T) {
	for _, c := range []struct {
		typ                      DataType
		kind                     TypeKind
		length, precision, scale int
		fields                   string
	}{
		{DataType{}, "", 0, 0, 0, ""},
		{IntType(), KindInt, 0, 0, 0, ""},
		{DecimalType(10, 2), KindDecimal, 0, 10, 2, ""},
		{TimeType(3), KindTime, 0, 3, 0, ""},
		{TimestampType(6), KindTimestamp, 0, 6, 0, ""},
		{LocalZonedTimestampType(6), KindLocalZonedTimestamp, 0, 6, 0, ""},
		{CharType(5), KindChar, 5, 0, 0, ""},
		{StringType(), KindVarChar, maxLength, 0, 0, ""},
		{VectorType(IntType(), 4), KindVector, 4, 0, 0, "element"},
		{ArrayType(IntType()), KindArray, 0, 0, 0, "element"},
		{MultisetType(IntType()), KindMultiset, 0, 0, 0, "element"},
		{MapType(IntType(), DateType()), KindMap, 0, 0, 0, "key value"},
		{RowType(DataField{Name: "a"}, DataField{Name: "b"}), KindRow, 0, 0, 0, "a b"},
	} {
		var names []string
		for _, f := range c.typ.Fields() {
			names = append(names, f.Name)
		}
		if c.typ.Kind() != c.kind || c.typ.Length() != c.length || c.typ.Precision() != c.precision ||
			c.typ.Scale() != c.scale || strings.Join(names, " ") != c.fields {
			t.Errorf("%s: kind %s, length %d, precision %d, scale %d, fields %s",
				c.typ, c.typ.Kind(), c.typ.Length(), c.typ.Precision(), c.typ.Scale(), names)
		}
	}
	row := RowType(DataField{Name: "a", Type: IntType()})
	row.Fields()[0].Name = "changed"
	if row.String() != "ROW<`a` INT>" {
		t.Errorf("changing what Fields returns changed the type: %s", row)
	}
	numbered := RowType(DataField{ID: 3, Name: "a", Type: IntType(), DefaultValue: "1"})
	if !row.Equal(numbered) || row.Equal(RowType(DataField{Name: "b", Type: IntType()})) {
		t.Error("Equal looks at IDs and default values, or not at names")
	}
}
