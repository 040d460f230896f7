// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
)

// The types that are spelled without parameters, as the C Data Interface spells them.
var plainFormats = map[string]arrow.DataType{
	"n": arrow.Null, "b": arrow.FixedWidthTypes.Boolean,
	"c": arrow.PrimitiveTypes.Int8, "C": arrow.PrimitiveTypes.Uint8,
	"s": arrow.PrimitiveTypes.Int16, "S": arrow.PrimitiveTypes.Uint16,
	"i": arrow.PrimitiveTypes.Int32, "I": arrow.PrimitiveTypes.Uint32,
	"l": arrow.PrimitiveTypes.Int64, "L": arrow.PrimitiveTypes.Uint64,
	"e": arrow.FixedWidthTypes.Float16, "f": arrow.PrimitiveTypes.Float32, "g": arrow.PrimitiveTypes.Float64,
	"z": arrow.BinaryTypes.Binary, "Z": arrow.BinaryTypes.LargeBinary,
	"u": arrow.BinaryTypes.String, "U": arrow.BinaryTypes.LargeString,
	"tdD": arrow.FixedWidthTypes.Date32, "tdm": arrow.FixedWidthTypes.Date64,
	"tts": arrow.FixedWidthTypes.Time32s, "ttm": arrow.FixedWidthTypes.Time32ms,
	"ttu": arrow.FixedWidthTypes.Time64us, "ttn": arrow.FixedWidthTypes.Time64ns,
	"tDs": arrow.FixedWidthTypes.Duration_s, "tDm": arrow.FixedWidthTypes.Duration_ms,
	"tDu": arrow.FixedWidthTypes.Duration_us, "tDn": arrow.FixedWidthTypes.Duration_ns,
}

var formatOfPlain = func() map[string]string {
	formats := make(map[string]string, len(plainFormats))
	for format, dt := range plainFormats {
		formats[dt.Fingerprint()] = format
	}
	return formats
}()

const timestampUnits = "smun" // in the order of arrow.TimeUnit

// Flags of an ArrowSchema.
const (
	flagNullable      = 2
	flagMapKeysSorted = 4
)

// exportType makes the C struct of a field. path names the column in errors.
func (x *loan) exportType(field arrow.Field, path string) (*cArrowSchema, error) {
	dt := storage(field.Type)
	var values arrow.DataType
	if dictionary, ok := dt.(*arrow.DictionaryType); ok {
		dt, values = dictionary.IndexType, dictionary.ValueType // in C a dictionary is what its indexes are, and has its values beside it
	}
	format, ok := formatOf(dt)
	if !ok {
		return nil, fmt.Errorf("column %s is of Arrow type %v, which cannot be written; cast it to the table's type", path, field.Type)
	}
	c := pin(x, &cArrowSchema{release: x.typeRelease})
	var err error
	if c.format, err = x.cString("the type", format); err != nil {
		return nil, err
	}
	if c.name, err = x.cString("the column name", field.Name); err != nil {
		return nil, err
	}
	if field.Nullable {
		c.flags |= flagNullable
	}
	if m, ok := dt.(*arrow.MapType); ok && m.KeysSorted {
		c.flags |= flagMapKeysSorted
	}
	if nested, ok := dt.(arrow.NestedType); ok {
		var children []*cArrowSchema
		for _, child := range nested.Fields() {
			below := strconv.Quote(child.Name)
			if path != "" {
				below = path + "." + below
			}
			exported, err := x.exportType(child, below)
			if err != nil {
				return nil, err
			}
			children = append(children, exported)
		}
		c.nChildren, c.children = int64(len(children)), pinAll(x, children)
	}
	if values != nil {
		if c.dictionary, err = x.exportType(arrow.Field{Type: values, Nullable: true}, path); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// storage is what values of a type are kept as.
func storage(dt arrow.DataType) arrow.DataType {
	for {
		extension, ok := dt.(arrow.ExtensionType)
		if !ok {
			return dt
		}
		dt = extension.StorageType()
	}
}

// formatOf spells a type. Unions and intervals have no place in a write and are left out.
func formatOf(dt arrow.DataType) (string, bool) {
	switch dt := dt.(type) {
	case *arrow.StringViewType:
		return "vu", true
	case *arrow.BinaryViewType:
		return "vz", true
	case *arrow.Decimal32Type:
		return fmt.Sprintf("d:%d,%d,32", dt.Precision, dt.Scale), true
	case *arrow.Decimal64Type:
		return fmt.Sprintf("d:%d,%d,64", dt.Precision, dt.Scale), true
	case *arrow.ListViewType:
		return "+vl", true
	case *arrow.LargeListViewType:
		return "+vL", true
	case *arrow.RunEndEncodedType:
		return "+r", true
	case *arrow.TimestampType:
		if int(dt.Unit) >= len(timestampUnits) {
			return "", false
		}
		return "ts" + timestampUnits[dt.Unit:dt.Unit+1] + ":" + dt.TimeZone, true
	case *arrow.FixedSizeBinaryType:
		return "w:" + strconv.Itoa(dt.ByteWidth), true
	case *arrow.Decimal128Type:
		return fmt.Sprintf("d:%d,%d", dt.Precision, dt.Scale), true
	case *arrow.Decimal256Type:
		return fmt.Sprintf("d:%d,%d,256", dt.Precision, dt.Scale), true
	case *arrow.ListType:
		return "+l", true
	case *arrow.LargeListType:
		return "+L", true
	case *arrow.FixedSizeListType:
		return "+w:" + strconv.Itoa(int(dt.Len())), true
	case *arrow.StructType:
		return "+s", true
	case *arrow.MapType:
		return "+m", true
	default:
		format, ok := formatOfPlain[dt.Fingerprint()]
		return format, ok
	}
}

// importType reads the C struct of a field.
func importType(c *cArrowSchema) (arrow.Field, error) {
	field := arrow.Field{Name: goString(c.name), Nullable: c.flags&flagNullable != 0, Metadata: importMetadata(c.metadata)}
	format := goString(c.format)
	if c.dictionary != nil {
		return field, fmt.Errorf("column %q: dictionaries are not read", field.Name)
	}
	var children []arrow.Field
	for _, child := range elements(c.children, c.nChildren) {
		imported, err := importType(child)
		if err != nil {
			return field, err
		}
		children = append(children, imported)
	}
	var err error
	if field.Type, err = typeOf(format, children, c.flags); err != nil {
		return field, fmt.Errorf("column %q: %w", field.Name, err)
	}
	return field, nil
}

func typeOf(format string, children []arrow.Field, flags int64) (arrow.DataType, error) {
	if dt, ok := plainFormats[format]; ok {
		return dt, nil
	}
	unknown := fmt.Errorf("Arrow type %q is not known here", format)
	kind, parameters, _ := strings.Cut(format, ":")
	switch {
	case len(kind) == 3 && kind[:2] == "ts" && strings.Contains(timestampUnits, kind[2:]):
		return &arrow.TimestampType{Unit: arrow.TimeUnit(strings.Index(timestampUnits, kind[2:])), TimeZone: parameters}, nil
	case kind == "w":
		width, err := strconv.Atoi(parameters)
		if err != nil || width < 0 {
			return nil, unknown
		}
		return &arrow.FixedSizeBinaryType{ByteWidth: width}, nil
	case kind == "d":
		return decimalOf(parameters, unknown)
	case kind == "+s":
		return arrow.StructOf(children...), nil
	case len(children) != 1:
		return nil, unknown
	case kind == "+l":
		return arrow.ListOfField(children[0]), nil
	case kind == "+L":
		return arrow.LargeListOfField(children[0]), nil
	case kind == "+w":
		n, err := strconv.ParseInt(parameters, 10, 32)
		if err != nil || n <= 0 {
			return nil, unknown
		}
		return arrow.FixedSizeListOfField(int32(n), children[0]), nil
	case kind == "+m":
		entries, ok := children[0].Type.(*arrow.StructType)
		if !ok || entries.NumFields() != 2 {
			return nil, unknown
		}
		key := entries.Field(0)
		key.Nullable = false // arrow-go has no other; a MULTISET may say so of its elements
		m := arrow.MapOfFields(key, entries.Field(1))
		m.KeysSorted = flags&flagMapKeysSorted != 0
		return m, nil
	default:
		return nil, unknown
	}
}

func decimalOf(parameters string, unknown error) (arrow.DataType, error) {
	var numbers []int32
	for part := range strings.SplitSeq(parameters, ",") {
		n, err := strconv.ParseInt(part, 10, 32)
		if err != nil {
			return nil, unknown
		}
		numbers = append(numbers, int32(n))
	}
	switch {
	case len(numbers) == 2, len(numbers) == 3 && numbers[2] == 128:
		return &arrow.Decimal128Type{Precision: numbers[0], Scale: numbers[1]}, nil
	case len(numbers) == 3 && numbers[2] == 256:
		return &arrow.Decimal256Type{Precision: numbers[0], Scale: numbers[1]}, nil
	default:
		return nil, unknown
	}
}

// importMetadata reads the key-value pairs of a field: a count, then each string behind its length, all int32 in native order.
func importMetadata(p *byte) arrow.Metadata {
	if p == nil {
		return arrow.Metadata{}
	}
	offset := 0
	number := func() int {
		// SAFETY: the producer wrote as many numbers and strings as the numbers say.
		n := *(*[4]byte)(unsafe.Add(unsafe.Pointer(p), offset))
		offset += 4
		return int(int32(binary.NativeEndian.Uint32(n[:])))
	}
	text := func() string {
		n := number()
		// SAFETY: as above.
		s := string(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(p), offset)), n))
		offset += n
		return s
	}
	var keys, values []string
	for range number() {
		keys, values = append(keys, text()), append(values, text())
	}
	return arrow.NewMetadata(keys, values)
}

// goString copies a NUL-terminated string; nil gives "".
func goString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	// SAFETY: C strings of the interface end in NUL.
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
