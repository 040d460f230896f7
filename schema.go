// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
)

// A Schema is what a table is made of: its columns, keys, options and comment.
// It encodes as Paimon's schema JSON, and decodes from the schema files of a table too.
// A Schema is a plain value: changing it changes no table.
type Schema struct {
	Fields        []DataField       `json:"fields"`
	PartitionKeys []string          `json:"partitionKeys"`
	PrimaryKeys   []string          `json:"primaryKeys"`
	Options       map[string]string `json:"options"`
	Comment       string            `json:"comment,omitempty"`
}

// A DataField is a column of a [Schema] or a field of a ROW.
type DataField struct {
	// ID is the number by which Paimon follows a field through renames. Tables number
	// their own fields: in a schema for a new table it can stay zero and is not used.
	ID          int      `json:"id"`
	Name        string   `json:"name"`
	Type        DataType `json:"type"`
	Description string   `json:"description,omitempty"`
	// DefaultValue is the value of rows that leave the column out, as text; empty means none.
	DefaultValue string `json:"defaultValue,omitempty"`
}

// MarshalJSON encodes s as Paimon's schema JSON, in which no list is null.
func (s Schema) MarshalJSON() ([]byte, error) {
	type plain Schema
	p := plain(s)
	p.Fields = append([]DataField{}, s.Fields...)
	p.PartitionKeys = append([]string{}, s.PartitionKeys...)
	p.PrimaryKeys = append([]string{}, s.PrimaryKeys...)
	if p.Options == nil {
		p.Options = map[string]string{}
	}
	return json.Marshal(p)
}

// SchemaFromArrow returns the schema of a table for data of the given Arrow schema, without
// keys or options. Fields that are not nullable become NOT NULL. Large and view strings
// become STRING, large and view binaries BYTES, large and view lists ARRAY, dictionaries and run
// ends the type of their values, extension types their storage type, fixed-size lists VECTOR,
// timestamps with any time zone TIMESTAMP WITH LOCAL TIME ZONE, times finer than a millisecond
// TIME(3), timestamps in nanoseconds TIMESTAMP(6), since nothing finer can be written.
// [TableWrite.WriteArrowBatch] takes records of the same Arrow schema whose values fit.
//
// What Paimon cannot store is refused with an error that names the column, its Arrow type and
// what to use instead, and so are names that are empty, repeated or reserved by Paimon.
func SchemaFromArrow(schema *arrow.Schema) (s *Schema, err error) {
	const op = "convert Arrow schema"
	if schema == nil {
		return nil, invalidInput(op, "", "the schema is nil")
	}
	// A type that is a nil pointer in an interface panics in its own methods.
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, invalidInput(op, "", "the schema is broken: %v", r)
		}
	}()
	for _, f := range schema.Fields() {
		if arrowNesting(f.Type) > maxNesting {
			return nil, invalidInput(op, "", "column %q is nested deeper than %d levels", f.Name, maxNesting)
		}
	}
	fields, err := fieldsFromArrow(op, "", schema.Fields())
	if err != nil {
		return nil, err
	}
	return (&Schema{Fields: fields}).forNewTable(op, "")
}

// Arrow returns the Arrow schema of the batches that reads of a table with this schema give,
// field IDs included, and that writes to it accept. Primary keys are never nullable. One thing
// arrow-go cannot express: the key of a map, as which a MULTISET is read, is never nullable.
func (s *Schema) Arrow() (*arrow.Schema, error) {
	const op = "convert schema to Arrow"
	if s == nil {
		return nil, invalidInput(op, "", "the schema is nil")
	}
	columns := s.Fields
	ids := make(map[int]bool, len(columns))
	for _, f := range columns {
		ids[f.ID] = true
	}
	if len(ids) < len(columns) { // written by hand: number it as a new table will
		columns = numberFields(columns)
	}
	fields := make([]arrow.Field, len(columns))
	for i, f := range columns {
		if err := f.Type.check(op, "", f.Name); err != nil {
			return nil, err
		}
		fields[i] = f.arrowField()
		fields[i].Nullable = f.Type.Nullable() && !slices.Contains(s.PrimaryKeys, f.Name)
		fields[i].Metadata = fieldID(f.ID)
	}
	return arrow.NewSchema(fields, nil), nil
}

// forNewTable returns a copy of s whose fields are numbered, or the first reason why no table can
// be made of it as far as names and types go. Keys and options are the engine's to judge.
func (s *Schema) forNewTable(op, object string) (*Schema, error) {
	if s == nil {
		return nil, invalidInput(op, object, "the schema is nil")
	}
	if len(s.Fields) == 0 {
		return nil, invalidInput(op, object, "the schema has no columns")
	}
	if err := checkNames(op, object, "", s.Fields); err != nil {
		return nil, err
	}
	for _, f := range s.Fields {
		if reserved(f.Name) {
			return nil, invalidInput(op, object, "column %q: Paimon reserves this name for a system column; rename it", f.Name)
		}
		if err := f.Type.check(op, object, f.Name); err != nil {
			return nil, err
		}
	}
	if err := s.checkTexts(op, object); err != nil {
		return nil, err
	}
	numbered := *s
	numbered.Fields = numberFields(s.Fields)
	return &numbered, nil
}

// checkTexts refuses what JSON would change without a word: text that is not UTF-8. Names of columns are checked elsewhere.
func (s *Schema) checkTexts(op, object string) error {
	texts := map[string][]string{"the comment": {s.Comment}, "a primary key": s.PrimaryKeys, "a partition key": s.PartitionKeys}
	for key, value := range s.Options {
		texts["an option"] = append(texts["an option"], key, value)
	}
	var walk func([]DataField)
	walk = func(fields []DataField) {
		for _, f := range fields {
			texts["the description of a column"] = append(texts["the description of a column"], f.Description)
			texts["the default value of a column"] = append(texts["the default value of a column"], f.DefaultValue)
			walk(f.Type.fields)
		}
	}
	walk(s.Fields)
	for what, list := range texts {
		for _, text := range list {
			if err := checkText(op, object, what, text); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkText(op, object, what, text string) error {
	if !utf8.ValidString(text) {
		return invalidInput(op, object, "%s is not UTF-8", what)
	}
	return nil
}

func reserved(name string) bool {
	switch name {
	case "_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "_ROW_ID", "rowkind":
		return true
	}
	return strings.HasPrefix(name, "_KEY_")
}

// checkNames refuses empty, unreadable and repeated names among the columns, or the fields of the ROW at path.
func checkNames(op, object, path string, fields []DataField) error {
	seen := make(map[string]bool, len(fields))
	for i, f := range fields {
		switch {
		case f.Name == "" && path == "":
			return invalidInput(op, object, "column %d has no name", i)
		case f.Name == "":
			return invalidInput(op, object, "column %q: field %d has no name", path, i)
		case !utf8.ValidString(f.Name):
			return invalidInput(op, object, "column %q: the name is not UTF-8", join(path, f.Name))
		case seen[f.Name]:
			return invalidInput(op, object, "column %q: the name is used twice; rename one", join(path, f.Name))
		}
		seen[f.Name] = true
	}
	return nil
}

// numberFields returns a copy of fields with IDs that are unique at all depths: counted from 0,
// each field before those nested in it, as Paimon numbers a new table.
func numberFields(fields []DataField) []DataField {
	next := 0
	var number func(fields []DataField, named bool) []DataField
	number = func(fields []DataField, named bool) []DataField {
		fields = slices.Clone(fields)
		for i := range fields {
			if named {
				fields[i].ID = next
				next++
			}
			t := &fields[i].Type
			t.fields = number(t.fields, t.kind == KindRow)
		}
		return fields
	}
	return number(fields, true)
}

// arrowAdvice says what to use in place of the Arrow types that Paimon has no type for.
var arrowAdvice = map[arrow.Type]string{
	arrow.NULL:                    "it has no values; give the column another type",
	arrow.UINT8:                   "Paimon has no unsigned integers; cast it to int16",
	arrow.UINT16:                  "Paimon has no unsigned integers; cast it to int32",
	arrow.UINT32:                  "Paimon has no unsigned integers; cast it to int64",
	arrow.UINT64:                  "Paimon has no unsigned integers; cast it to int64, or to decimal128(20, 0) for values that need it",
	arrow.FLOAT16:                 "cast it to float32",
	arrow.DURATION:                "Paimon has no durations; cast it to int64",
	arrow.INTERVAL_MONTHS:         "Paimon has no intervals; cast it to int32",
	arrow.INTERVAL_DAY_TIME:       "Paimon has no intervals; use a struct of integers",
	arrow.INTERVAL_MONTH_DAY_NANO: "Paimon has no intervals; use a struct of integers",
	arrow.SPARSE_UNION:            "use a struct with one nullable field per alternative",
	arrow.DENSE_UNION:             "use a struct with one nullable field per alternative",
}

// arrowTypes holds the Arrow types that need no look at their parameters or children.
var arrowTypes = map[arrow.Type]DataType{
	arrow.BOOL:         BooleanType(),
	arrow.INT8:         TinyIntType(),
	arrow.INT16:        SmallIntType(),
	arrow.INT32:        IntType(),
	arrow.INT64:        BigIntType(),
	arrow.FLOAT32:      FloatType(),
	arrow.FLOAT64:      DoubleType(),
	arrow.STRING:       StringType(),
	arrow.LARGE_STRING: StringType(),
	arrow.STRING_VIEW:  StringType(),
	arrow.BINARY:       BytesType(),
	arrow.LARGE_BINARY: BytesType(),
	arrow.BINARY_VIEW:  BytesType(),
	arrow.DATE32:       DateType(),
	arrow.DATE64:       DateType(),
}

func fieldsFromArrow(op, path string, fields []arrow.Field) ([]DataField, error) {
	converted := make([]DataField, len(fields))
	for i, f := range fields {
		t, err := typeFromArrow(op, join(path, f.Name), f.Type)
		if err != nil {
			return nil, err
		}
		t.required = !f.Nullable
		converted[i] = DataField{Name: f.Name, Type: t}
	}
	return converted, nil
}

func arrowNesting(t arrow.DataType) int {
	deepest := 0
	if nested, ok := t.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			deepest = max(deepest, arrowNesting(f.Type))
		}
	}
	return deepest + 1
}

func typeFromArrow(op, column string, from arrow.DataType) (DataType, error) {
	t, known := arrowTypes[from.ID()]
	var children []arrow.Field
	switch a := from.(type) {
	case arrow.ExtensionType:
		return typeFromArrow(op, column, a.StorageType())
	case *arrow.DictionaryType:
		return typeFromArrow(op, column, a.ValueType)
	case *arrow.RunEndEncodedType:
		return typeFromArrow(op, column, a.Encoded())
	case *arrow.FixedSizeBinaryType:
		t = BinaryType(a.ByteWidth)
	case arrow.DecimalType:
		t = DecimalType(int(a.GetPrecision()), int(a.GetScale()))
	case *arrow.Time32Type:
		t = TimeType(3 * int(a.Unit))
	case *arrow.Time64Type:
		t = TimeType(3)
	case *arrow.TimestampType:
		t = TimestampType(min(3*int(a.Unit), 6)) // nothing finer can be written
		if a.TimeZone != "" {
			t.kind = KindLocalZonedTimestamp
		}
	case *arrow.FixedSizeListType:
		t.kind, t.size, children = KindVector, int(a.Len()), a.Fields()
	case *arrow.MapType:
		t.kind, children = KindMap, []arrow.Field{a.KeyField(), a.ItemField()}
	case *arrow.StructType:
		if arrow.TypeEqual(a, variantArrowType, arrow.CheckMetadata()) {
			return VariantType(), nil
		}
		t.kind, children = KindRow, a.Fields()
	case arrow.VarLenListLikeType: // a list, large or a view, after the map that is one too
		t.kind, children = KindArray, []arrow.Field{a.ElemField()}
	default:
		if !known {
			return t, invalidInput(op, "", "column %q: Arrow type %s cannot be stored: %s", column, from, arrowAdvice[from.ID()])
		}
	}
	var err error
	if t.fields, err = fieldsFromArrow(op, column, children); err != nil {
		return t, err
	}
	if t.kind == KindArray || t.kind == KindVector {
		t.fields[0].Name = "element"
	}
	if problem := t.problem(); problem != "" {
		return t, invalidInput(op, "", "column %q: Arrow type %s cannot be stored: %s", column, from, problem)
	}
	return t, nil
}

// variantArrowType is how the engine presents VARIANT: its field IDs tell it from a plain struct.
var variantArrowType = arrow.StructOf(
	arrow.Field{Name: "value", Type: arrow.BinaryTypes.Binary, Metadata: fieldID(0)},
	arrow.Field{Name: "metadata", Type: arrow.BinaryTypes.Binary, Metadata: fieldID(1)},
)

func fieldID(id int) arrow.Metadata {
	return arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{strconv.Itoa(id)})
}

func (f DataField) arrowField() arrow.Field {
	return arrow.Field{Name: f.Name, Type: f.Type.arrowType(), Nullable: f.Type.Nullable()}
}

// arrowType returns the Arrow type of a type that has passed check.
func (t DataType) arrowType() arrow.DataType {
	children := make([]arrow.Field, len(t.fields))
	for i, f := range t.fields {
		children[i] = f.arrowField()
	}
	unit := arrow.TimeUnit((t.size + 2) / 3) // of a timestamp: precision 0 is s, to 3 ms, to 6 us, to 9 ns
	switch t.kind {
	case KindBoolean:
		return arrow.FixedWidthTypes.Boolean
	case KindTinyInt:
		return arrow.PrimitiveTypes.Int8
	case KindSmallInt:
		return arrow.PrimitiveTypes.Int16
	case KindInt:
		return arrow.PrimitiveTypes.Int32
	case KindBigInt:
		return arrow.PrimitiveTypes.Int64
	case KindFloat:
		return arrow.PrimitiveTypes.Float32
	case KindDouble:
		return arrow.PrimitiveTypes.Float64
	case KindDecimal:
		return &arrow.Decimal128Type{Precision: int32(t.size), Scale: int32(t.scale)}
	case KindChar, KindVarChar:
		return arrow.BinaryTypes.String
	case KindBinary, KindVarBinary:
		return arrow.BinaryTypes.Binary
	case KindBlob:
		return arrow.BinaryTypes.LargeBinary
	case KindDate:
		return arrow.FixedWidthTypes.Date32
	case KindTime:
		return arrow.FixedWidthTypes.Time32ms
	case KindTimestamp:
		return &arrow.TimestampType{Unit: unit}
	case KindLocalZonedTimestamp:
		return &arrow.TimestampType{Unit: unit, TimeZone: "UTC"}
	case KindArray:
		return arrow.ListOfField(children[0])
	case KindVector:
		return arrow.FixedSizeListOfField(int32(t.size), children[0])
	case KindMap:
		children[0].Nullable = false
		return arrow.MapOfFields(children[0], children[1])
	case KindMultiset: // each element with how often it occurs
		children[0].Nullable = false
		return arrow.MapOfFields(children[0], arrow.Field{Type: arrow.PrimitiveTypes.Int32})
	case KindRow:
		return arrow.StructOf(children...)
	default: // KindVariant
		return variantArrowType
	}
}
