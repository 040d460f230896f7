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

func TestSchemaJSON(t *testing.T) {
	for _, c := range []struct {
		schema Schema
		text   string
	}{
		{Schema{}, `{"fields":[],"partitionKeys":[],"primaryKeys":[],"options":{}}`},
		{
			Schema{
				Fields: []DataField{
					{ID: 0, Name: "id", Type: BigIntType().NotNull(), Description: "the key"},
					{ID: 1, Name: "dt", Type: DateType(), DefaultValue: "2024-01-01"},
				},
				PartitionKeys: []string{"dt"},
				PrimaryKeys:   []string{"id", "dt"},
				Options:       map[string]string{"bucket": "4"},
				Comment:       "orders",
			},
			`{"fields":[{"id":0,"name":"id","type":"BIGINT NOT NULL","description":"the key"},` +
				`{"id":1,"name":"dt","type":"DATE","defaultValue":"2024-01-01"}],` +
				`"partitionKeys":["dt"],"primaryKeys":["id","dt"],"options":{"bucket":"4"},"comment":"orders"}`,
		},
	} {
		encoded, err := json.Marshal(&c.schema)
		if err != nil || string(encoded) != c.text {
			t.Errorf("encodes as %s (%v), want %s", encoded, err, c.text)
		}
		var decoded Schema
		if err := json.Unmarshal([]byte(c.text), &decoded); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(decoded); err != nil || string(again) != c.text {
			t.Errorf("decodes and encodes as %s (%v), want %s", again, err, c.text)
		}
	}
}

// A table's schema file has more keys than a schema, and a null where there is no comment.
func TestSchemaDecodesSchemaFile(t *testing.T) {
	const file = `{"version":3,"id":2,"fields":[{"id":0,"name":"k","type":"INT NOT NULL"},
		{"id":3,"name":"v","type":{"type":"ARRAY","element":"VARCHAR(2147483647)"},"description":null}],
		"highestFieldId":3,"partitionKeys":[],"primaryKeys":["k"],"options":{"bucket":"1"},"comment":null,"timeMillis":1700000000000}`
	want := Schema{
		Fields: []DataField{
			{ID: 0, Name: "k", Type: IntType().NotNull()},
			{ID: 3, Name: "v", Type: ArrayType(StringType())},
		},
		PartitionKeys: []string{}, PrimaryKeys: []string{"k"}, Options: map[string]string{"bucket": "1"},
	}
	var got Schema
	if err := json.Unmarshal([]byte(file), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decodes as %+v (%v), want %+v", got, err, want)
	}
}

func TestSchemaArrow(t *testing.T) {
	for i, c := range typeCases {
		for _, typ := range []DataType{c.typ, c.typ.NotNull()} {
			s := &Schema{Fields: []DataField{{ID: i, Name: "c", Type: typ}}}
			want := arrow.NewSchema([]arrow.Field{{Name: "c", Type: c.arrow, Nullable: typ.Nullable(), Metadata: fieldID(i)}}, nil)
			got, err := s.Arrow()
			if err != nil || !got.Equal(want) {
				t.Errorf("%s: got %s (%v), want %s", typ, got, err, want)
			}
		}
	}
}

func TestSchemaArrowOfNewTable(t *testing.T) {
	s := &Schema{
		Fields:      []DataField{{Name: "a", Type: threeDeep()}, {Name: "k", Type: IntType()}},
		PrimaryKeys: []string{"k"},
	}
	got, err := s.Arrow()
	if err != nil {
		t.Fatal(err)
	}
	if k := got.Field(1); k.Nullable || !k.Metadata.Equal(fieldID(3)) {
		t.Errorf("the key is %s, want it not nullable and numbered after the two fields of a", k)
	}
	if s.Fields[1].ID != 0 {
		t.Error("Arrow changed the schema")
	}
}

func TestSchemaArrowRefuses(t *testing.T) {
	var none *Schema
	for want, s := range map[string]*Schema{
		"the schema is nil":         none,
		`column "c": no type`:       {Fields: []DataField{{Name: "c"}}},
		`TIMESTAMP(10): the precis`: {Fields: []DataField{{Name: "c", Type: TimestampType(10)}}},
		`VECTOR<INT, 0>: the len`:   {Fields: []DataField{{Name: "c", Type: VectorType(IntType(), 0)}}},
	} {
		_, err := s.Arrow()
		wantInvalid(t, err, want)
	}
}

// What Arrow gives, SchemaFromArrow takes back, save what Arrow has no word for.
func TestSchemaFromArrowRoundTrip(t *testing.T) {
	widened := map[string]DataType{
		"CHAR(5)": StringType(), "VARCHAR(20)": StringType(), "BINARY(16)": BytesType(), "VARBINARY(20)": BytesType(), "BLOB": BytesType(),
		"TIME(0)": TimeType(3), "TIME(9)": TimeType(3),
		"TIMESTAMP(1)": TimestampType(3), "TIMESTAMP(4)": TimestampType(6), "TIMESTAMP(7)": TimestampType(6), "TIMESTAMP(9)": TimestampType(6),
		"MULTISET<STRING>":          MapType(StringType().NotNull(), IntType().NotNull()),
		"MAP<STRING, INT NOT NULL>": MapType(StringType().NotNull(), IntType().NotNull()),
	}
	for _, c := range typeCases {
		want, ok := widened[c.sql]
		if !ok {
			want = c.typ
		}
		if strings.Contains(c.sql, "COMMENT") {
			want = ArrayType(RowType(
				DataField{Name: "sku", Type: StringType().NotNull()}, threeDeep().Fields()[0].Type.Fields()[1],
			).NotNull())
		}
		s, err := (&Schema{Fields: []DataField{{Name: "c", Type: c.typ.NotNull()}}}).Arrow()
		if err != nil {
			t.Fatal(err)
		}
		got, err := SchemaFromArrow(s)
		if err != nil || !got.Fields[0].Type.Equal(want.NotNull()) {
			t.Errorf("%s comes back as %v (%v), want %s", c.typ, got, err, want.NotNull())
		}
	}
}

func TestSchemaFromArrowAccepts(t *testing.T) {
	int32s, text := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	for _, c := range []struct {
		arrow arrow.DataType
		want  DataType
	}{
		{arrow.BinaryTypes.LargeString, StringType()},
		{arrow.BinaryTypes.StringView, StringType()},
		{arrow.BinaryTypes.LargeBinary, BytesType()},
		{arrow.BinaryTypes.BinaryView, BytesType()},
		{&arrow.FixedSizeBinaryType{ByteWidth: 16}, BinaryType(16)},
		{arrow.FixedWidthTypes.Time32s, TimeType(0)},
		{&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Asia/Shanghai"}, LocalZonedTimestampType(6)},
		{&arrow.DictionaryType{IndexType: int32s, ValueType: text}, StringType()},
		{arrow.RunEndEncodedOf(int32s, text), StringType()},
		{newStampType(), BinaryType(16)},
		{arrow.FixedWidthTypes.Date64, DateType()},
		{arrow.FixedWidthTypes.Time64us, TimeType(3)},
		{arrow.FixedWidthTypes.Time64ns, TimeType(3)},
		{&arrow.Decimal32Type{Precision: 5, Scale: 2}, DecimalType(5, 2)},
		{&arrow.Decimal64Type{Precision: 18, Scale: 2}, DecimalType(18, 2)},
		{&arrow.Decimal256Type{Precision: 38, Scale: 2}, DecimalType(38, 2)},
		{arrow.LargeListOf(int32s), ArrayType(IntType())},
		{arrow.ListViewOf(int32s), ArrayType(IntType())},
		{arrow.LargeListViewOf(int32s), ArrayType(IntType())},
		{arrow.ListOfNonNullable(int32s), ArrayType(IntType().NotNull())},
		{arrow.FixedSizeListOf(3, int32s), VectorType(IntType(), 3)},
		{arrow.MapOf(text, int32s), MapType(StringType().NotNull(), IntType())},
		{ // no field IDs: a struct that only looks like a variant
			arrow.StructOf(arrow.Field{Name: "value", Type: arrow.BinaryTypes.Binary}, arrow.Field{Name: "metadata", Type: arrow.BinaryTypes.Binary}),
			RowType(DataField{Name: "value", Type: BytesType().NotNull()}, DataField{Name: "metadata", Type: BytesType().NotNull()}),
		},
	} {
		got, err := SchemaFromArrow(arrow.NewSchema([]arrow.Field{{Name: "c", Type: c.arrow, Nullable: true}}, nil))
		if err != nil || !got.Fields[0].Type.Equal(c.want) {
			t.Errorf("%s gives %v (%v), want %s", c.arrow, got, err, c.want)
		}
	}
}

func TestSchemaFromArrowNumbersFields(t *testing.T) {
	leaf := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32}, arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Int32})
	s, err := SchemaFromArrow(arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "points", Type: arrow.ListOf(arrow.StructOf(arrow.Field{Name: "at", Type: arrow.MapOf(arrow.BinaryTypes.String, leaf)}))},
		{Name: "last", Type: arrow.BinaryTypes.String},
	}, nil))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	var walk func(fields []DataField, named bool)
	walk = func(fields []DataField, named bool) {
		for _, f := range fields {
			if named {
				if f.ID != len(order) {
					t.Errorf("%s has ID %d, want %d", f.Name, f.ID, len(order))
				}
				order = append(order, f.Name)
			}
			walk(f.Type.Fields(), f.Type.Kind() == KindRow)
		}
	}
	walk(s.Fields, true)
	if got := strings.Join(order, " "); got != "id points at x y last" {
		t.Errorf("the fields are %s", got)
	}
}

func TestSchemaFromArrowRefusesTypes(t *testing.T) {
	int32s := arrow.PrimitiveTypes.Int32
	for _, c := range []struct {
		arrow arrow.DataType
		want  string // the Arrow type, then the way out
	}{
		{arrow.Null, "null cannot be stored: it has no values; give the column another type"},
		{arrow.PrimitiveTypes.Uint8, "uint8 cannot be stored: Paimon has no unsigned integers; cast it to int16"},
		{arrow.PrimitiveTypes.Uint16, "uint16 cannot be stored: Paimon has no unsigned integers; cast it to int32"},
		{arrow.PrimitiveTypes.Uint32, "uint32 cannot be stored: Paimon has no unsigned integers; cast it to int64"},
		{arrow.PrimitiveTypes.Uint64, "uint64 cannot be stored: Paimon has no unsigned integers; cast it to int64, or to decimal128(20, 0)"},
		{arrow.FixedWidthTypes.Float16, "float16 cannot be stored: cast it to float32"},
		{arrow.FixedWidthTypes.Duration_ms, "duration[ms] cannot be stored: Paimon has no durations; cast it to int64"},
		{arrow.FixedWidthTypes.MonthInterval, "cannot be stored: Paimon has no intervals; cast it to int32"},
		{arrow.FixedWidthTypes.DayTimeInterval, "cannot be stored: Paimon has no intervals; use a struct of integers"},
		{arrow.FixedWidthTypes.MonthDayNanoInterval, "cannot be stored: Paimon has no intervals; use a struct of integers"},
		{&arrow.Decimal256Type{Precision: 50, Scale: 2}, "cannot be stored: the precision must be 1 to 38"},
		{&arrow.Decimal128Type{Precision: 10, Scale: -2}, "decimal(10, -2) cannot be stored: the scale must be 0 to 10"},
		{&arrow.FixedSizeBinaryType{}, "fixed_size_binary[0] cannot be stored: the length must be 1 to 2147483647"},
		{arrow.SparseUnionOf(nil, nil), "cannot be stored: use a struct with one nullable field per alternative"},
		{arrow.DenseUnionOf(nil, nil), "cannot be stored: use a struct with one nullable field per alternative"},
		{arrow.FixedSizeListOf(3, arrow.BinaryTypes.String), "cannot be stored: a VECTOR holds numbers or booleans; use an ARRAY, in Arrow a list"},
		{arrow.StructOf(), "struct<> cannot be stored: a ROW needs a field"},
		{&arrow.DictionaryType{IndexType: int32s, ValueType: arrow.PrimitiveTypes.Uint8}, "uint8 cannot be stored"},
	} {
		_, err := SchemaFromArrow(arrow.NewSchema([]arrow.Field{{Name: "ok", Type: int32s}, {Name: "odd", Type: c.arrow}}, nil))
		wantInvalid(t, err, `column "odd": Arrow type `, c.want)
	}
	const withParts = 18 // the Arrow types that typeFromArrow has a case for
	if got := len(arrowTypes) + len(arrowAdvice) + withParts; got != int(arrow.DECIMAL64)+1 {
		t.Errorf("%d of %d Arrow types are either stored or refused with advice", got, arrow.DECIMAL64+1)
	}
	deep := arrow.StructOf(arrow.Field{Name: "b", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Uint32)})
	_, err := SchemaFromArrow(arrow.NewSchema([]arrow.Field{{Name: "a", Type: deep}}, nil))
	wantInvalid(t, err, `column "a.b.value": Arrow type uint32`)
}

func TestSchemaFromArrowRefusesNames(t *testing.T) {
	_, err := SchemaFromArrow(nil)
	wantInvalid(t, err, "the schema is nil")
	_, err = SchemaFromArrow(arrow.NewSchema(nil, nil))
	wantInvalid(t, err, "the schema has no columns")

	row := func(names ...string) arrow.DataType {
		fields := make([]arrow.Field, len(names))
		for i, name := range names {
			fields[i] = arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int32}
		}
		return arrow.StructOf(fields...)
	}
	for _, c := range []struct {
		names []string
		typ   arrow.DataType
		want  string
	}{
		{[]string{"a", ""}, row("x"), "column 1 has no name"},
		{[]string{"a", "b", "a"}, row("x"), `column "a": the name is used twice; rename one`},
		{[]string{"a\xff"}, row("x"), `column "a\xff": the name is not UTF-8`},
		{[]string{"a"}, row("x", ""), `column "a": field 1 has no name`},
		{[]string{"a"}, arrow.ListOf(row("x", "x")), `column "a.element.x": the name is used twice; rename one`},
		{[]string{"_ROW_ID"}, row("x"), `column "_ROW_ID": Paimon reserves this name for a system column; rename it`},
		{[]string{"a", "_SEQUENCE_NUMBER"}, row("x"), `column "_SEQUENCE_NUMBER": Paimon reserves`},
		{[]string{"_VALUE_KIND"}, row("x"), `column "_VALUE_KIND": Paimon reserves`},
		{[]string{"_LEVEL"}, row("x"), `column "_LEVEL": Paimon reserves`},
		{[]string{"rowkind"}, row("x"), `column "rowkind": Paimon reserves`},
		{[]string{"_KEY_id"}, row("x"), `column "_KEY_id": Paimon reserves`},
		{[]string{"Id", "id", "a.b", "with space", "ключ", `"quoted"`, "_key_", "ROWKIND", strings.Repeat("x", 300)}, row("_ROW_ID"), ""},
	} {
		fields := make([]arrow.Field, len(c.names))
		for i, name := range c.names {
			fields[i] = arrow.Field{Name: name, Type: c.typ}
		}
		_, err := SchemaFromArrow(arrow.NewSchema(fields, nil))
		if c.want == "" && err == nil {
			continue
		}
		wantInvalid(t, err, c.want)
	}
}

func TestSchemaForNewTable(t *testing.T) {
	for want, typ := range map[string]DataType{
		"c\": no type":                                  {},
		"c.element\": no type":                          ArrayType(DataType{}),
		"CHAR(0): the length must be 1 to 255":          CharType(0),
		"CHAR(256): the length must be 1 to 255":        CharType(256),
		"VARCHAR(0): the length must be 1 to":           VarCharType(0),
		"VARBINARY(-1): the length must be 1 to":        VarBinaryType(-1),
		"BINARY(0): the length must be 1 to":            BinaryType(0),
		"DECIMAL(39, 0): the precision must be 1 to 38": DecimalType(39, 0),
		"DECIMAL(5, 6): the scale must be 0 to 5":       DecimalType(5, 6),
		"TIME(10): the precision must be 0 to 9":        TimeType(10),
		"TIMESTAMP(-1): the precision must be 0 to 9":   TimestampType(-1),
		"TIMESTAMP(10) WITH LOCAL TIME ZONE: the":       LocalZonedTimestampType(10),
		"VECTOR<STRING, 2>: a VECTOR holds numbers":     VectorType(StringType(), 2),
		"c.value.x\": CHAR(0)":                          MapType(IntType(), RowType(DataField{Name: "x", Type: CharType(0)})),
	} {
		_, err := (&Schema{Fields: []DataField{{Name: "c", Type: typ}}}).forNewTable("create table", "db.t")
		wantInvalid(t, err, "paimon: create table db.t: ", want)
	}
	var none *Schema
	_, err := none.forNewTable("create table", "db.t")
	wantInvalid(t, err, "the schema is nil")

	s := Schema{Fields: []DataField{{ID: 9, Name: "a", Type: threeDeep(), DefaultValue: "x"}, {ID: 9, Name: "b", Type: IntType()}}, Comment: "kept"}
	got, err := s.forNewTable("create table", "db.t")
	if err != nil {
		t.Fatal(err)
	}
	inner := got.Fields[0].Type.Fields()[0].Type.Fields()
	if got.Fields[0].ID != 0 || inner[0].ID != 1 || inner[1].ID != 2 || got.Fields[1].ID != 3 || got.Comment != "kept" || inner[0].Description == "" {
		t.Errorf("numbered as %+v", got)
	}
	if s.Fields[0].ID != 9 || s.Fields[0].Type.Fields()[0].Type.Fields()[0].ID != 1 {
		t.Error("numbering changed the schema it started from")
	}
}

// stampType is an extension type over 16 bytes.
type stampType struct{ arrow.ExtensionBase }

func newStampType() arrow.DataType {
	return &stampType{arrow.ExtensionBase{Storage: &arrow.FixedSizeBinaryType{ByteWidth: 16}}}
}

func (*stampType) ArrayType() reflect.Type                  { return nil }
func (*stampType) ExtensionName() string                    { return "test.stamp" }
func (*stampType) ExtensionEquals(arrow.ExtensionType) bool { return false }
func (*stampType) Serialize() string                        { return "" }
func (*stampType) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return nil, errors.ErrUnsupported
}

// wantInvalid checks that err is a CodeInvalidInput error whose text has all the parts.
func wantInvalid(t *testing.T, err error, parts ...string) {
	t.Helper()
	if !errors.Is(err, CodeInvalidInput) {
		t.Errorf("got %v, want CodeInvalidInput with %q", err, parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want it to say %q", err, part)
		}
	}
}
