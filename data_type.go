// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A DataType is the type of a [DataField], made by [IntType], [DecimalType], [ArrayType] and
// their like. Types are nullable until [DataType.NotNull] says otherwise. A DataType is an
// immutable value; compare two with [DataType.Equal]. The zero DataType is no type.
//
// It encodes as in Paimon's schema JSON: "INT NOT NULL", or an object for a nested type.
type DataType struct {
	kind     TypeKind
	required bool        // NOT NULL
	size     int         // the length, or the precision
	scale    int         // of a DECIMAL
	fields   []DataField // of a ROW; else "element", or "key" and "value"
}

// A TypeKind is a [DataType] without its parameters, named as in Paimon's SQL.
type TypeKind string

// The kinds of types. STRING is the longest [KindVarChar], BYTES the longest [KindVarBinary].
const (
	KindBoolean             TypeKind = "BOOLEAN"
	KindTinyInt             TypeKind = "TINYINT"
	KindSmallInt            TypeKind = "SMALLINT"
	KindInt                 TypeKind = "INT"
	KindBigInt              TypeKind = "BIGINT"
	KindFloat               TypeKind = "FLOAT"
	KindDouble              TypeKind = "DOUBLE"
	KindDecimal             TypeKind = "DECIMAL"
	KindChar                TypeKind = "CHAR"
	KindVarChar             TypeKind = "VARCHAR"
	KindBinary              TypeKind = "BINARY"
	KindVarBinary           TypeKind = "VARBINARY"
	KindDate                TypeKind = "DATE"
	KindTime                TypeKind = "TIME"
	KindTimestamp           TypeKind = "TIMESTAMP"
	KindLocalZonedTimestamp TypeKind = "TIMESTAMP_LTZ"
	KindVariant             TypeKind = "VARIANT"
	KindBlob                TypeKind = "BLOB"
	KindArray               TypeKind = "ARRAY"
	KindVector              TypeKind = "VECTOR"
	KindMap                 TypeKind = "MAP"
	KindMultiset            TypeKind = "MULTISET"
	KindRow                 TypeKind = "ROW"
)

const maxLength = math.MaxInt32

// A sizeRule says what the size of a kind is called, its bounds, and what it is when left out.
type sizeRule struct {
	what         string
	min, max, or int
}

// sizeRules has the kinds that take a length or a precision.
var sizeRules = map[TypeKind]sizeRule{
	KindDecimal:             {"precision", 1, 38, 10},
	KindTime:                {"precision", 0, 9, 0},
	KindTimestamp:           {"precision", 0, 9, 6},
	KindLocalZonedTimestamp: {"precision", 0, 9, 6},
	KindChar:                {"length", 1, 255, 1},
	KindVarChar:             {"length", 1, maxLength, 1},
	KindBinary:              {"length", 1, maxLength, 1},
	KindVarBinary:           {"length", 1, maxLength, 1},
	KindVector:              {"length", 1, maxLength, 1},
}

// BooleanType returns BOOLEAN.
func BooleanType() DataType { return DataType{kind: KindBoolean} }

// TinyIntType returns TINYINT, an int8.
func TinyIntType() DataType { return DataType{kind: KindTinyInt} }

// SmallIntType returns SMALLINT, an int16.
func SmallIntType() DataType { return DataType{kind: KindSmallInt} }

// IntType returns INT, an int32.
func IntType() DataType { return DataType{kind: KindInt} }

// BigIntType returns BIGINT, an int64.
func BigIntType() DataType { return DataType{kind: KindBigInt} }

// FloatType returns FLOAT, a float32.
func FloatType() DataType { return DataType{kind: KindFloat} }

// DoubleType returns DOUBLE, a float64.
func DoubleType() DataType { return DataType{kind: KindDouble} }

// DecimalType returns DECIMAL(precision, scale): 1 to 38 digits, scale of them after the point.
func DecimalType(precision, scale int) DataType {
	return DataType{kind: KindDecimal, size: precision, scale: scale}
}

// CharType returns CHAR(length), 1 to 255 characters.
func CharType(length int) DataType { return DataType{kind: KindChar, size: length} }

// VarCharType returns VARCHAR(length).
func VarCharType(length int) DataType { return DataType{kind: KindVarChar, size: length} }

// StringType returns STRING, text of any length.
func StringType() DataType { return VarCharType(maxLength) }

// BinaryType returns BINARY(length).
func BinaryType(length int) DataType { return DataType{kind: KindBinary, size: length} }

// VarBinaryType returns VARBINARY(length).
func VarBinaryType(length int) DataType { return DataType{kind: KindVarBinary, size: length} }

// BytesType returns BYTES, binary data of any length.
func BytesType() DataType { return VarBinaryType(maxLength) }

// DateType returns DATE.
func DateType() DataType { return DataType{kind: KindDate} }

// TimeType returns TIME(precision), a time of day. Whatever the precision, the engine keeps milliseconds.
func TimeType(precision int) DataType { return DataType{kind: KindTime, size: precision} }

// TimestampType returns TIMESTAMP(precision), a date and time without a zone, with 0 to 9
// digits after the second.
func TimestampType(precision int) DataType { return DataType{kind: KindTimestamp, size: precision} }

// LocalZonedTimestampType returns TIMESTAMP(precision) WITH LOCAL TIME ZONE, a moment in time,
// with 0 to 9 digits after the second.
func LocalZonedTimestampType(precision int) DataType {
	return DataType{kind: KindLocalZonedTimestamp, size: precision}
}

// VariantType returns VARIANT, semi-structured data.
func VariantType() DataType { return DataType{kind: KindVariant} }

// BlobType returns BLOB, binary data that is kept in files of its own.
func BlobType() DataType { return DataType{kind: KindBlob} }

// ArrayType returns ARRAY<element>.
func ArrayType(element DataType) DataType {
	return DataType{kind: KindArray, fields: []DataField{{Name: "element", Type: element}}}
}

// VectorType returns VECTOR<element, length>, an array of exactly length numbers or booleans.
func VectorType(element DataType, length int) DataType {
	return DataType{kind: KindVector, size: length, fields: []DataField{{Name: "element", Type: element}}}
}

// MapType returns MAP<key, value>.
func MapType(key, value DataType) DataType {
	return DataType{kind: KindMap, fields: []DataField{{Name: "key", Type: key}, {Name: "value", Type: value}}}
}

// MultisetType returns MULTISET<element>, which is read as a map from elements to their counts.
func MultisetType(element DataType) DataType {
	return DataType{kind: KindMultiset, fields: []DataField{{Name: "element", Type: element}}}
}

// RowType returns ROW<fields>.
func RowType(fields ...DataField) DataType {
	return DataType{kind: KindRow, fields: append([]DataField{}, fields...)}
}

// NotNull returns t with NOT NULL.
func (t DataType) NotNull() DataType {
	t.required = true
	return t
}

// Nullable reports whether values of type t can be NULL.
func (t DataType) Nullable() bool { return !t.required }

// Kind returns the kind of t, and "" for the zero DataType.
func (t DataType) Kind() TypeKind { return t.kind }

// Length returns the length of a CHAR, VARCHAR, BINARY, VARBINARY or VECTOR, and 0 for other types.
func (t DataType) Length() int { return t.sized("length") }

// Precision returns the digits of a DECIMAL, the digits after the second of a TIME or timestamp,
// and 0 for other types.
func (t DataType) Precision() int { return t.sized("precision") }

func (t DataType) sized(what string) int {
	if sizeRules[t.kind].what == what {
		return t.size
	}
	return 0
}

// Scale returns the digits after the point of a DECIMAL, and 0 for other types.
func (t DataType) Scale() int { return t.scale }

// Fields returns what a nested type is made of: the fields of a ROW, the "element" of an ARRAY,
// VECTOR or MULTISET, the "key" and "value" of a MAP. The slice is the caller's.
func (t DataType) Fields() []DataField { return append([]DataField(nil), t.fields...) }

// Equal reports whether t and other read the same in SQL, which leaves the IDs and default
// values of ROW fields out.
func (t DataType) Equal(other DataType) bool { return t.String() == other.String() }

// String returns t in Paimon's SQL, such as "ARRAY<STRING NOT NULL>" or "DECIMAL(10, 2) NOT NULL".
func (t DataType) String() string {
	s := string(t.kind)
	switch {
	case s == "":
		return "no type"
	case t.kind == KindDecimal:
		s = fmt.Sprintf("%s(%d, %d)", s, t.size, t.scale)
	case t.kind == KindVarChar && t.size == maxLength:
		s = "STRING"
	case t.kind == KindVarBinary && t.size == maxLength:
		s = "BYTES"
	case t.kind == KindLocalZonedTimestamp:
		s = fmt.Sprintf("TIMESTAMP(%d) WITH LOCAL TIME ZONE", t.size)
	case t.nested():
		parts := make([]string, 0, len(t.fields)+1)
		for _, f := range t.fields {
			part := f.Type.String()
			if t.kind == KindRow {
				part = "`" + strings.ReplaceAll(f.Name, "`", "``") + "` " + part
				if f.Description != "" {
					part += " COMMENT '" + strings.ReplaceAll(f.Description, "'", "''") + "'"
				}
			}
			parts = append(parts, part)
		}
		if t.kind == KindVector {
			parts = append(parts, strconv.Itoa(t.size))
		}
		s += "<" + strings.Join(parts, ", ") + ">"
	case sizeRules[t.kind].what != "":
		s = fmt.Sprintf("%s(%d)", s, t.size)
	}
	if t.required {
		s += notNull
	}
	return s
}

const notNull = " NOT NULL"

func (t DataType) nested() bool {
	switch t.kind {
	case KindArray, KindVector, KindMap, KindMultiset, KindRow:
		return true
	}
	return false
}

// typeJSON is the object that stands for a nested type.
type typeJSON struct {
	Type    string      `json:"type"`
	Element *DataType   `json:"element,omitempty"`
	Key     *DataType   `json:"key,omitempty"`
	Value   *DataType   `json:"value,omitempty"`
	Fields  []DataField `json:"fields,omitzero"`
	Length  int         `json:"length,omitempty"`
}

// MarshalJSON encodes t as in Paimon's schema JSON.
func (t DataType) MarshalJSON() ([]byte, error) {
	if t.kind == "" {
		return nil, invalidInput("encode type", "", noType)
	}
	if !t.nested() {
		return json.Marshal(t.String())
	}
	o := typeJSON{Type: string(t.kind), Length: t.Length()}
	if t.required {
		o.Type += notNull
	}
	switch t.kind {
	case KindRow:
		o.Fields = t.fields
	case KindMap:
		o.Key, o.Value = &t.fields[0].Type, &t.fields[1].Type
	default:
		o.Element = &t.fields[0].Type
	}
	return json.Marshal(o)
}

// UnmarshalJSON decodes a type from Paimon's schema JSON.
func (t *DataType) UnmarshalJSON(data []byte) error {
	const op = "decode type"
	if !bytes.HasPrefix(data, []byte("{")) {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return invalidInput(op, "", "%s is neither a string nor an object", data)
		}
		parsed, ok := parseType(s)
		if !ok {
			return invalidInput(op, "", "%q is not a Paimon type", s)
		}
		*t = parsed
		return nil
	}
	var o typeJSON
	if err := json.Unmarshal(data, &o); err != nil {
		return err
	}
	kind, required := strings.CutSuffix(o.Type, notNull)
	switch {
	case kind == string(KindArray) && o.Element != nil:
		*t = ArrayType(*o.Element)
	case kind == string(KindVector) && o.Element != nil:
		*t = VectorType(*o.Element, o.Length)
	case kind == string(KindMultiset) && o.Element != nil:
		*t = MultisetType(*o.Element)
	case kind == string(KindMap) && o.Key != nil && o.Value != nil:
		*t = MapType(*o.Key, *o.Value)
	case kind == string(KindRow) && o.Fields != nil:
		*t = RowType(o.Fields...)
	default:
		return invalidInput(op, "", "%s is not a Paimon type", data)
	}
	t.required = required
	return nil
}

// typePattern matches a type that is not nested: name, size, scale, zone, NOT NULL.
var typePattern = regexp.MustCompile(`^([A-Z_]+)(?: ?\( ?(\d+)(?: ?, ?(\d+))? ?\))?( WITH LOCAL TIME ZONE)?( NOT NULL)?$`)

// parseType reads the SQL form of a type that is not nested, with the spellings of other writers:
// TIMESTAMP_LTZ(3), a size that is left out, one beyond the largest length for "any length".
func parseType(s string) (t DataType, ok bool) {
	m := typePattern.FindStringSubmatch(strings.Join(strings.Fields(s), " "))
	if m == nil {
		return t, false
	}
	t = DataType{kind: TypeKind(m[1]), required: m[5] != ""}
	if m[4] != "" {
		if t.kind != KindTimestamp {
			return t, false
		}
		t.kind = KindLocalZonedTimestamp
	}
	rule, sized := sizeRules[t.kind]
	switch {
	case m[2] == "":
		t.size = rule.or
	case !sized || m[3] != "" && t.kind != KindDecimal:
		return t, false
	default:
		size, err := strconv.Atoi(m[2])
		if err != nil {
			return t, false
		}
		t.size = min(size, maxLength)
		t.scale, _ = strconv.Atoi(m[3])
	}
	switch t.kind {
	case "STRING", "BYTES":
		text := t.kind == "STRING"
		t.kind, t.size = KindVarBinary, maxLength
		if text {
			t.kind = KindVarChar
		}
		return t, true
	case KindBoolean, KindTinyInt, KindSmallInt, KindInt, KindBigInt, KindFloat, KindDouble,
		KindDate, KindVariant, KindBlob:
		return t, true
	}
	return t, sized && t.kind != KindVector
}

const noType = "no type is set; make one with IntType, StringType and the like"

// problem says what is wrong with the parameters of t itself, and "" if nothing is.
func (t DataType) problem() string {
	if t.kind == "" {
		return noType
	}
	if rule := sizeRules[t.kind]; t.size < rule.min || t.size > rule.max {
		return fmt.Sprintf("the %s must be %d to %d", rule.what, rule.min, rule.max)
	}
	switch t.kind {
	case KindDecimal:
		if t.scale < 0 || t.scale > t.size {
			return fmt.Sprintf("the scale must be 0 to %d", t.size)
		}
	case KindVector:
		switch t.fields[0].Type.kind {
		case KindBoolean, KindTinyInt, KindSmallInt, KindInt, KindBigInt, KindFloat, KindDouble:
		default:
			return "a VECTOR holds numbers or booleans; use an ARRAY, in Arrow a list"
		}
	case KindRow:
		if len(t.fields) == 0 {
			return "a ROW needs a field"
		}
	}
	return ""
}

// check reports what no table can hold in t, at any depth; column is the path that leads to t.
func (t DataType) check(op, object, column string) error {
	if t.nesting() > maxNesting {
		return invalidInput(op, object, "column %q is nested deeper than %d levels", column, maxNesting)
	}
	if problem := t.problem(); problem != "" {
		return invalidInput(op, object, "column %q: %s: %s", column, t, problem)
	}
	if err := checkNames(op, object, column, t.fields); err != nil {
		return err
	}
	for _, f := range t.fields {
		if err := f.Type.check(op, object, join(column, f.Name)); err != nil {
			return err
		}
	}
	return nil
}

func (t DataType) nesting() int {
	deepest := 0
	for _, f := range t.fields {
		deepest = max(deepest, f.Type.nesting())
	}
	if t.kind == KindMap || t.kind == KindMultiset {
		deepest++ // in Arrow the entries are a struct
	}
	return deepest + 1
}

// join extends the path of a column by the name of a field inside it.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
